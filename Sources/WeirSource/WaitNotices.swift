// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Says when a person is told that something is still waited for: after 3 s, after 10 s, and every ten seconds from then
/// on; a pure machine.
package struct WaitNotices: Hashable, Sendable {
    /// How long nothing is told.
    package static let patience = Duration.seconds(3)

    private static let interval = Duration.seconds(10)

    /// How long the wait must last for the next notice.
    private var due = Self.patience

    package init() {}

    /// So much time has passed since the wait began.
    ///
    /// - Returns: whether a notice is due, and how long it is from now to the next one.
    package mutating func waited(_ time: Duration) -> (isDue: Bool, next: Duration) {
        let isDue = time >= self.due
        if isDue {
            let count = Int64(time / Self.interval) + 1
            self.due = Self.interval * count
        }
        return (isDue, self.due - time)
    }
}
