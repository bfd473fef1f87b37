// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes entries for the queue of what an item consists of; used by one task.
protocol ItemFeed: AnyObject {
    /// The next entries, as many as one look at the source brings, which may be none.
    ///
    /// - Returns: `nil` when the item is over.
    /// - Throws: ``PlayerFailure``; `CancellationError`.
    func next() async throws -> [QueueEntry]?
}
