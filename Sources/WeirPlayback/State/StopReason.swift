// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a player stopped, or is silent for a moment.
public enum StopReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// It has not.
    case none
    /// All was played.
    case endOfStream
    /// The user wanted it.
    case user
    /// It could not go on; the error stands beside it.
    case error
    /// It goes on by itself: after a seek, on another device, when the station is reached again.
    case temporary
}
