// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What stands behind a ``ByteReading``: yields chunks on demand, and can be told to leave.
public protocol ChunkProducer: AnyObject, Sendable {
    /// The next chunk, `nil` after the last. Called by one consumer, one call at a time.
    ///
    /// Isolation: runs wherever its caller is. Throws `CancellationError` at once when the calling task
    /// is cancelled.
    func next() async throws -> ByteChunk?

    /// The consumer has gone: stop, from any thread, at any time, any number of times.
    func cancel()
}
