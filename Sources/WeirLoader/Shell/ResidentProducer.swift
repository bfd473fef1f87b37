// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// Yields a range that is held whole, without asking anybody.
final class ResidentProducer: ChunkProducer {
    private let generation: Generation
    private let end: Int64
    private let maximumChunk: Int64
    private let position: Mutex<Int64>

    init(generation: Generation, range: Range<Int64>, maximumChunk: Int64) {
        self.generation = generation
        self.end = range.upperBound
        self.maximumChunk = maximumChunk
        self.position = Mutex(range.lowerBound)
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        return try self.position.withLock { position in
            guard position < self.end else { return nil }
            let limit = min(self.end, position + self.maximumChunk)
            guard let slice = self.generation.slice(at: position, before: limit) else {
                throw SourceError(
                    .closed,
                    "The resource was removed from the cache while it was being read; open it again.",
                    range: position..<self.end
                )
            }
            position = slice.range.upperBound
            return ByteChunk(slice)
        }
    }

    func cancel() {}
}
