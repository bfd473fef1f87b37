// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a person gets a notice of a wait: after 3 s, after 10 s, and then every ten seconds; a pure machine.
package struct WaitNotices: Hashable, Sendable {
    /// The time before the first notice.
    package static let patience = Duration.seconds(3)

    private static let interval = Duration.seconds(10)

    /// The length of the wait at which the next notice is due.
    private var due = Self.patience

    package init() {}

    /// Takes the time since the wait began.
    ///
    /// - Returns: whether a notice is due, and the time from now to the next one.
    package mutating func waited(_ time: Duration) -> (isDue: Bool, next: Duration) {
        let isDue = time >= self.due
        if isDue {
            let count = Int64(time / Self.interval) + 1
            self.due = Self.interval * count
        }
        return (isDue, self.due - time)
    }
}
