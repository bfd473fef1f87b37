// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a listener begins to listen.
public enum StationStart: Hashable, Sendable {
    /// At the live end.
    case live
    /// So far behind the live end, as far as that is kept.
    case behind(Duration)
}
