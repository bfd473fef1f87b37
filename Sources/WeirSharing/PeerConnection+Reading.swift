// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

// A reading that is sent from one process to the other.
extension PeerConnection {
    /// Starts a reading and sends it, or the error; stops when the other end leaves.
    func send(reading start: @escaping @Sendable () async throws -> ByteReading) async {
        await self.whileConnected { [self] in
            do {
                let reading = try await start()
                try await self.send(
                    .reading(
                        reading.resource,
                        lowerBound: reading.lowerBound,
                        upperBound: reading.upperBound,
                        provesEnd: reading.provesEnd,
                        coversWhole: reading.coversWhole
                    )
                )
                for try await chunk in reading { try await self.send(chunk) }
                try await self.send(.end)
            } catch {
                try? await self.send(.failure(error))
            }
        }
    }

    /// Sends one answer, or the error; stops when the other end leaves.
    func send(answer work: @escaping @Sendable () async throws -> Message) async {
        await self.whileConnected { [self] in
            do {
                try await self.send(try await work())
            } catch {
                try? await self.send(.failure(error))
            }
        }
    }

    /// Receives a reading from the other end.
    func reading() async throws -> ByteReading {
        guard
            case .reading(let description, let lower, let upper, let provesEnd, let coversWhole) =
                try await self.answer()
        else { throw PeerError.disconnected }
        return ByteReading(
            resource: description,
            lowerBound: lower,
            upperBound: upper,
            provesEnd: provesEnd,
            coversWhole: coversWhole,
            producer: ReceivingProducer(self, from: lower, to: upper)
        )
    }

    /// Works while the other end is connected, then closes the connection.
    ///
    /// A frame from the other end also ends the work: the other end must not send one in the meantime.
    private func whileConnected(_ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { await work() }
            group.addTask { _ = await self.next() }
            await group.next()
            group.cancelAll()
        }
        self.close()
    }

    /// Sends a chunk in pieces, so that many pieces fit into memory at the same time.
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

/// Yields the bytes that arrive over a connection.
private final class ReceivingProducer: ChunkProducer {
    private let connection: PeerConnection
    private let upperBound: Int64?
    private let position: Atomic<Int64>
    private let isCancelled = Atomic(false)

    init(_ connection: PeerConnection, from lowerBound: Int64, to upperBound: Int64?) {
        self.connection = connection
        self.upperBound = upperBound
        self.position = Atomic(lowerBound)
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        switch await self.connection.next() {
        case .bytes(let memory)?:
            let position = self.position.load(ordering: .relaxed)
            let count = Int64(memory.count)
            guard count <= (self.upperBound ?? .max) - position else { throw self.brokenOff }
            self.position.store(position + count, ordering: .relaxed)
            return ByteChunk(at: position, memory: memory)
        case .message(let content)?:
            // An unreadable message ends this connection; the next connection reports why.
            switch try? Message(decoding: content) {
            case .end:
                self.connection.close()
                return nil
            case .failure(let error): throw error
            default: throw self.brokenOff
            }
        case nil:
            throw self.brokenOff
        }
    }

    func cancel() {
        self.isCancelled.store(true, ordering: .relaxed)
        self.connection.close()
    }

    private var brokenOff: any Error {
        Task.isCancelled || self.isCancelled.load(ordering: .relaxed)
            ? CancellationError() : PeerError.disconnected
    }
}
