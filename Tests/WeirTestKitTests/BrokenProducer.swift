// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource
import WeirTestKit

/// Yields the chunks of a good reading with the fault of a ``BrokenSource``.
final class BrokenProducer: ChunkProducer {
    private struct State {
        var count = 0
        var held: ByteChunk?
        var isOver = false
        var other: ByteReading.AsyncIterator?
    }

    private let source: BrokenSource
    private let iterator: ByteReading.AsyncIterator
    private let lowerBound: Int64
    private let upperBound: Int64?
    private let state = Mutex(State())

    init(_ source: BrokenSource, _ reading: ByteReading, number: Int) {
        self.source = source
        self.iterator = reading.makeAsyncIterator()
        self.lowerBound = reading.lowerBound
        self.upperBound = reading.upperBound
    }

    func next() async throws -> ByteChunk? {
        let count = self.state.withLock { state in
            state.count += 1
            return state.count
        }
        switch self.source.fault {
        case .swapsChunks: return try await self.swapped(count)
        case .hangsAfterCancellation: return try await self.deaf()
        case .mixesGenerations: return try await self.unpinned()
        case .leavesWithOthers: return try await self.leavingWithOthers()
        default: break
        }
        guard let chunk = try await self.iterator.next() else { return nil }
        return try self.altered(chunk, count)
    }

    func cancel() {
        self.source.noteDrop()
    }

    private func altered(_ chunk: ByteChunk, _ count: Int) throws -> ByteChunk? {
        let length = self.source.base.resource.length
        switch self.source.fault {
        case .losesTheLastByte:
            return chunk.clamped(to: 0..<(length - 1))
        case .endsEarly:
            return chunk.clamped(to: 0..<50_000)
        case .forgetsFirstByte:
            guard count == 1, self.lowerBound == 0 else { return chunk }
            return ByteChunk(at: 0, memory: ByteMemory([0] + (try chunk.bytes().dropFirst())))
        case .shiftsTheMiddle:
            guard self.lowerBound > 0, self.upperBound != length else { return chunk }
            let bytes = try chunk.bytes()
            return ByteChunk(
                at: chunk.range.lowerBound,
                memory: ByteMemory(bytes.dropFirst() + [0])
            )
        case .yieldsEmptyChunks:
            return count == 2
                ? ByteChunk(at: chunk.range.lowerBound, memory: ByteMemory([])) : chunk
        case .yieldsTooMuch:
            guard chunk.range.upperBound == self.upperBound else { return chunk }
            return ByteChunk(
                at: chunk.range.lowerBound,
                memory: ByteMemory(try chunk.bytes() + [0])
            )
        default:
            return chunk
        }
    }

    private func swapped(_ count: Int) async throws -> ByteChunk? {
        if count == 2, let second = try await self.iterator.next() {
            self.state.withLock { $0.held = second }
            return try await self.iterator.next() ?? second
        }
        let held = self.state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        if let held { return held }
        return try await self.iterator.next()
    }

    /// Waits for a chunk and ignores cancellation.
    private func deaf() async throws -> ByteChunk? {
        let hangs = self.source.hangs
        let rescue = self.source.rescue
        return try await withTaskCancellationHandler {
            try await BrokenSource.uncancelled { [iterator] in
                try await withThrowingTaskGroup(of: ByteChunk?.self) { group in
                    group.addTask { try await iterator.next() }
                    group.addTask {
                        try await rescue.wait()
                        throw BrokenSource.failure
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? nil
                }
            }
        } onCancel: {
            hangs.open()
        }
    }

    /// Makes a new request for each piece, without a pinned version.
    private func unpinned() async throws -> ByteChunk? {
        let offset = self.state.withLock { $0.held?.range.upperBound ?? self.lowerBound }
        guard offset < self.upperBound ?? .max else { return nil }
        let piece = try await self.source.base.read(.span(offset..<(offset + 5_000)))
        let chunk = try await piece.makeAsyncIterator().next()
        self.state.withLock { $0.held = chunk }
        return chunk
    }

    /// Fails once any other reading of the source was dropped.
    private func leavingWithOthers() async throws -> ByteChunk? {
        let chunk = try await self.iterator.next()
        guard self.source.base.log.readingCount(.left) == 0 else { throw BrokenSource.failure }
        return chunk
    }
}
