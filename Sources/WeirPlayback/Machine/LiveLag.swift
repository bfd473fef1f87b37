// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a station is heard too late.
///
/// How far behind its live end it is heard is the listener's choice: at the beginning, by what a server sends at once or
/// by the place that was gone to, and by pausing. More than that comes about by itself, by sound that comes in a lump
/// after an outage and by clocks that differ; beyond ``allowance`` it is caught up with.
struct LiveLag: Hashable, Sendable {
    /// How much later than chosen it may be heard.
    static let allowance = Duration.seconds(10)
    /// While so much is heard first, it is as late as the listener chose.
    private static let beginning = Duration.seconds(1)

    private let start: Duration
    /// How far behind the live end the listener chose to be.
    private(set) var chosen: Duration = .zero

    /// A station begins to be heard.
    ///
    /// - Parameter heard: how much of the run was heard before.
    init(after heard: Duration) {
        self.start = heard
    }

    /// Takes note of how it is.
    ///
    /// - Parameters:
    ///   - behind: how far behind the live end it is heard.
    ///   - heard: how much of the run is heard by now.
    ///   - isPaused: whether the listener paused it.
    /// - Returns: whether it is heard too late.
    mutating func isTooMuch(_ behind: Duration, heard: Duration, isPaused: Bool) -> Bool {
        guard !isPaused, heard - self.start >= Self.beginning else {
            self.chosen = max(self.chosen, behind)
            return false
        }
        return behind > self.chosen + Self.allowance
    }
}
