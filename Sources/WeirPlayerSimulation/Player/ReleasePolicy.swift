// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// When a player lets go of the pieces that it was given.
public enum ReleasePolicy: Hashable, Sendable {
    /// As soon as it has them.
    case atOnce
    /// When so many newer pieces have come.
    case lagging(pieces: Int)
    /// When the request has ended.
    case never
}
