// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FrameChannel {
    /// Starts a reading and sends it to its end, or why there is none; stops when the other end leaves.
    func send(reading start: @escaping @Sendable () async throws -> ByteReading) async {
        await self.whileThere { [self] in
            do {
                let reading = try await start()
                try await self.send(OwnerAnswer.reading(ReadingMessage(reading)))
                for try await chunk in reading { try await self.send(chunk) }
                try await self.send(OwnerAnswer.end)
            } catch {
                try? await self.send(OwnerAnswer.failure(FailureMessage(error)))
            }
        }
    }

    /// Sends one answer, or why there is none; stops when the other end leaves.
    func send(answer work: @escaping @Sendable () async throws -> OwnerAnswer) async {
        await self.whileThere { [self] in
            do {
                try await self.send(try await work())
            } catch {
                try? await self.send(OwnerAnswer.failure(FailureMessage(error)))
            }
        }
    }

    /// Takes in a reading that the other end sends.
    func reading() async throws -> ByteReading {
        guard case .reading(let head) = try await self.answer(),
            let reading = head.reading(from: { FramedProducer(self, from: $0, to: $1) })
        else { throw Interruption() }
        return reading
    }

    /// Works for as long as the other end is there; it says nothing meanwhile.
    private func whileThere(_ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { await work() }
            group.addTask { _ = await self.next() }
            await group.next()
            group.cancelAll()
        }
        self.close()
    }

    /// Sends a chunk in pieces that fit into memory many times over.
    private func send(_ chunk: ByteChunk) async throws {
        var lower = chunk.range.lowerBound
        while lower < chunk.range.upperBound {
            let count = min(Int64(Frame.longestPiece), chunk.range.upperBound - lower)
            guard let piece = chunk.clamped(to: lower..<lower + count) else { return }
            try await self.send(piece.memory())
            lower += count
        }
    }
}
