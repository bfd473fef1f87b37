// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Yields the bytes of a reading in pieces of a size that the consumer says, each in memory.
struct PieceReader {
    private var iterator: ByteReading.AsyncIterator
    private var rest: ByteChunk?

    init(_ reading: ByteReading) {
        self.iterator = reading.makeAsyncIterator()
    }

    /// The next bytes, never none; `nil` at the end of the reading.
    ///
    /// What lies on disk is read from it, which may block.
    ///
    /// - Parameter limit: how many bytes at most.
    /// - Returns: bytes that nobody changes any more.
    /// - Throws: as the reading does.
    mutating func next(atMost limit: Int) async throws -> ByteMemory? {
        let chunk: ByteChunk
        if let rest {
            chunk = rest
        } else if let next = try await self.iterator.next() {
            chunk = next
        } else {
            return nil
        }
        let split = chunk.range.lowerBound + Int64(limit)
        self.rest = chunk.clamped(to: min(split, chunk.range.upperBound)..<chunk.range.upperBound)
        return try (chunk.clamped(to: chunk.range.lowerBound..<split) ?? chunk).memory()
    }
}
