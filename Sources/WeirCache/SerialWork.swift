// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Where the cache does what may wait for a disk, never on the thread of a reader or writer.
///
/// There is one queue for the catalogue, eviction and what users leave: one piece of work after the other, in the
/// order in which it came. Beside it each generation has a lane for its checkpoints: one after the other there, too,
/// but beside the queue and those of other generations, so that a large file that takes a second to become durable
/// delays no other one's claims.
protocol SerialWork: Sendable {
    /// Does something on the queue when everything before it is done.
    func enqueue(_ work: @escaping @Sendable () -> Void)
    /// Does something on the queue after a delay, when everything that is then before it is done.
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
    /// Does something on the queue when everything before it is done, and waits for it. Not from work itself.
    func perform<Result>(_ work: () -> Result) -> Result
    /// Does something in a generation's lane when everything before it there is done.
    func enqueue(in lane: GenerationID, _ work: @escaping @Sendable () -> Void)
    /// Does something in a generation's lane after a delay, when everything that is then before it there is done.
    func enqueue(
        in lane: GenerationID,
        after delay: Duration,
        _ work: @escaping @Sendable () -> Void
    )
    /// Waits until what was put into lanes so far is done. Not from work itself.
    func finishLanes()
}
