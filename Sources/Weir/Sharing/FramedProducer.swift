// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirSource

/// Yields what comes over a connection.
final class FramedProducer: ChunkProducer {
    private let channel: FrameChannel
    private let upperBound: Int64?
    private let position: Atomic<Int64>
    private let isCancelled = Atomic(false)

    init(_ channel: FrameChannel, from lowerBound: Int64, to upperBound: Int64?) {
        self.channel = channel
        self.upperBound = upperBound
        self.position = Atomic(lowerBound)
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        switch await self.channel.next() {
        case .bytes(let buffer)?:
            let position = self.position.load(ordering: .relaxed)
            let count = Int64(buffer.readableBytes)
            guard count <= (self.upperBound ?? .max) - position else { throw self.gone }
            self.position.store(position + count, ordering: .relaxed)
            return ByteChunk(at: position, memory: Self.memory(buffer))
        case .message(let buffer)?:
            // What is not understood ends this connection; the next one says why.
            switch try? FrameChannel.decode(OwnerAnswer.self, from: buffer) {
            case .end:
                self.channel.close()
                return nil
            case .failure(let failure): throw failure.error
            default: throw self.gone
            }
        case nil:
            throw self.gone
        }
    }

    func cancel() {
        self.isCancelled.store(true, ordering: .relaxed)
        self.channel.close()
    }

    private var gone: any Error {
        Task.isCancelled || self.isCancelled.load(ordering: .relaxed)
            ? CancellationError() : Interruption()
    }

    private static func memory(_ buffer: ByteBuffer) -> ByteMemory {
        ByteMemory(owner: buffer, count: buffer.readableBytes) { buffer, body in
            buffer.withUnsafeReadableBytes(body)
        }
    }
}
