// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Yields the lines of a stream as the chunks of a reading, for one consumer.
final class LineProducer: ChunkProducer {
    private let lines: AsyncStream<ByteMemory>
    private let position = Mutex<Int64>(0)

    init(_ lines: AsyncStream<ByteMemory>) {
        self.lines = lines
    }

    func next() async throws -> ByteChunk? {
        var lines = self.lines.makeAsyncIterator()
        let line = await lines.next()
        try Task.checkCancellation()
        guard let line else { return nil }
        let start = self.position.withLock { position in
            defer { position += Int64(line.count) }
            return position
        }
        return ByteChunk(at: start, memory: line)
    }

    /// Does nothing: the stream ends with the task that waits for a line, or with this object.
    func cancel() {}
}
