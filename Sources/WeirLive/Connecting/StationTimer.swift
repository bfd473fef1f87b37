// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station waits for by the clock.
enum StationTimer: Hashable, Sendable, CaseIterable {
    /// An answer's head, bytes, or sound that should have come by then.
    case watchdog
    /// The next attempt.
    case retry
    /// A listener who may come back.
    case grace
}
