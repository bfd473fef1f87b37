// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource
import WeirTestKit

/// A large resource of zeros in buffers, which counts the bytes that readers have pulled.
struct ZeroSource: ByteSource {
    let length: Int64
    let pulledBytes = Watched<Int64>(0)

    func describe() async throws -> ResourceDescription { ResourceDescription(length: self.length) }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard let range = demand.range.resolved(inLength: self.length) else {
            throw SourceError.pastTheEnd(demand.range, length: self.length)
        }
        return ByteReading(
            resource: ResourceDescription(length: self.length),
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: Producer(range, self.pulledBytes)
        )
    }

    private final class Producer: ChunkProducer {
        private static let chunk = ByteBuffer(repeating: 0, count: 64 * 1024)
        private let position: Watched<Int64>
        private let end: Int64
        private let pulledBytes: Watched<Int64>

        init(_ range: Range<Int64>, _ pulledBytes: Watched<Int64>) {
            self.position = Watched(range.lowerBound)
            self.end = range.upperBound
            self.pulledBytes = pulledBytes
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            let position = self.position.value
            let count = min(self.end - position, Int64(Self.chunk.readableBytes))
            guard count > 0 else { return nil }
            self.position.update { $0 += count }
            self.pulledBytes.update { $0 += count }
            let memory = ByteMemory(owner: Self.chunk, count: Self.chunk.readableBytes) {
                $0.withUnsafeReadableBytes($1)
            }
            return ByteChunk(at: position, memory: memory[0..<Int(count)])
        }

        func cancel() {}
    }
}
