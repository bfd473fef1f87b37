// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// That a station's server said how long it wants to be left alone (`Retry-After`): the cause of such a `throttled`.
public struct StationBusy: Error, Hashable, Sendable {
    /// How long; what the server says may be a second or years.
    public let delay: Duration

    init(_ delay: Duration) {
        self.delay = delay
    }
}
