// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where the cache does what may wait for a disk: one piece of work after the other, in the order in
/// which it came, never on the thread of a reader or writer.
protocol SerialWork: Sendable {
    /// Does something when everything before it is done.
    func enqueue(_ work: @escaping @Sendable () -> Void)
    /// Does something after a delay, when everything that is then before it is done.
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
    /// Does something when everything before it is done, and waits for it. Not from work itself.
    func perform<Result>(_ work: () -> Result) -> Result
}
