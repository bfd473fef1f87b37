// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Yields a range of one version: extents of the tier where they are, what lies between them from the origin.
///
/// An extent is yielded when all of it has come and is known to be genuine. Up to two are read ahead.
final class TieredProducer: ChunkProducer {
    /// How many extents are read ahead of the one that is wanted.
    private static let readAhead = 2
    /// The longest piece that is yielded at once.
    private static let pieceSize: Int64 = 1 << 20

    private struct State {
        var position: Int64
        /// What has come of the tier and is to be yielded first.
        var chunk: ByteChunk?
        /// What the origin is read of.
        var run: (iterator: ByteReading.AsyncIterator, end: Int64)?
        /// Extents that are being read.
        var ahead: [Int: Task<ByteMemory?, any Error>] = [:]
        /// Extents that could not be had, though they were to be there.
        var lacking: Set<Int> = []
        var isCancelled = false
        var described: ResourceDescription?
    }

    private let end: Int64
    private let generation: TierGeneration
    private let map: TierMap
    private let tier: Tier
    private let origin: @Sendable (ReadDemand) async throws -> ByteReading
    private let pin: ReadDemand.Pin
    private let state: Mutex<State>

    init(
        _ range: Range<Int64>,
        of generation: TierGeneration,
        _ map: TierMap,
        tier: Tier,
        origin: @escaping @Sendable (ReadDemand) async throws -> ByteReading,
        pin: ReadDemand.Pin
    ) {
        self.end = range.upperBound
        self.generation = generation
        self.map = map
        self.tier = tier
        self.origin = origin
        self.pin = pin
        self.state = Mutex(State(position: range.lowerBound))
    }

    deinit { self.cancel() }

    /// What the origin has said of the resource, if it was asked.
    var described: ResourceDescription? { self.state.withLock { $0.described } }

    /// Waits for the first bytes of the tier, or for the head of the origin's answer.
    func begin() async throws { try await self.open() }

    func next() async throws -> ByteChunk? {
        while true {
            try Task.checkCancellation()
            let (position, chunk, run) = self.state.withLock { state in
                (state.position, state.chunk, state.run)
            }
            if let chunk {
                let limit = min(chunk.range.upperBound, position.addingClamped(Self.pieceSize))
                guard let piece = chunk.clamped(to: position..<limit) else { return nil }
                self.state.withLock { state in
                    state.position = limit
                    if limit >= chunk.range.upperBound { state.chunk = nil }
                }
                return piece
            }
            if position >= self.end { return nil }
            guard let run else {
                try await self.open()
                continue
            }
            guard let piece = try await run.iterator.next() else {
                guard position >= run.end else {
                    throw SourceError(
                        .truncated,
                        "The origin's answer ended before the end that it had announced."
                    )
                }
                self.state.withLock { $0.run = nil }
                continue
            }
            guard piece.range.lowerBound == position,
                let wanted = piece.clamped(to: position..<min(run.end, self.end))
            else {
                throw SourceError(
                    .badAnswer,
                    "The origin yielded other bytes than those that were asked for."
                )
            }
            self.state.withLock { state in
                state.position = wanted.range.upperBound
                if wanted.range.upperBound >= run.end { state.run = nil }
            }
            return wanted
        }
    }

    func cancel() {
        let (tasks, run) = self.state.withLock { state in
            state.isCancelled = true
            defer { (state.ahead, state.run) = ([:], nil) }
            return (Array(state.ahead.values), state.run)
        }
        for task in tasks { task.cancel() }
        run?.iterator.cancel()
    }

    /// Opens what comes next: an extent, or a run of the origin up to the next extent.
    private func open() async throws {
        let position = self.state.withLock { $0.position }
        let number = self.tier.layout.number(of: position)
        if self.isWorthAsking(number), let bytes = try await self.extent(number) {
            let start = self.tier.layout.range(of: number, inLength: self.generation.length)
                .lowerBound
            let chunk = ByteChunk(at: start, memory: bytes).clamped(to: position..<self.end)
            self.state.withLock { $0.chunk = chunk }
            self.lookAhead(of: number)
            return
        }
        let next = self.nextWorthAsking(behind: number).map {
            self.tier.layout.range(of: $0, inLength: self.generation.length).lowerBound
        }
        let end = min(self.end, next ?? .max)
        let reading = try await self.origin(
            ReadDemand(.span(position..<end), pinnedTo: self.pin)
        )
        guard reading.lowerBound == position, reading.upperBound.map({ $0 >= end }) ?? true else {
            throw SourceError(
                .badAnswer,
                "The origin answered with other bytes than those that were asked for."
            )
        }
        let isCancelled = self.state.withLock { state in
            state.described = reading.resource
            if !state.isCancelled { state.run = (reading.makeAsyncIterator(), end) }
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    private func isWorthAsking(_ number: Int) -> Bool {
        !self.tier.isLeftAlone && self.map.mayHave(number)
            && !self.state.withLock { $0.lacking.contains(number) }
    }

    /// The next extent behind one that the tier may have.
    private func nextWorthAsking(behind number: Int) -> Int? {
        guard !self.tier.isLeftAlone else { return nil }
        let lacking = self.state.withLock { $0.lacking }
        var next = self.map.next(from: number + 1)
        while let known = next, lacking.contains(known) { next = self.map.next(from: known + 1) }
        return next
    }

    /// An extent, perhaps one that is being read already.
    private func extent(_ number: Int) async throws -> ByteMemory? {
        let task = self.state.withLock { $0.ahead.removeValue(forKey: number) }
        let bytes: ByteMemory?
        if let task {
            bytes = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } else {
            bytes = try await self.tier.extent(number, of: self.generation)
        }
        if bytes == nil { self.state.withLock { _ = $0.lacking.insert(number) } }
        return bytes
    }

    /// Begins to read the next extents, as far as they are wanted.
    private func lookAhead(of number: Int) {
        for next in number + 1...number + Self.readAhead {
            let range = self.tier.layout.range(of: next, inLength: self.generation.length)
            guard range.lowerBound < self.end, self.map.there.contains(next),
                self.state.withLock({ $0.ahead[next] == nil && !$0.isCancelled }),
                self.tier.mayReadAhead()
            else { continue }
            // Owned by the producer, which waits for it or cancels it.
            let task = Task { [tier, generation] in
                defer { tier.endReadAhead() }
                return try await tier.extent(next, of: generation)
            }
            let isCancelled = self.state.withLock { state in
                if !state.isCancelled { state.ahead[next] = task }
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
        }
    }
}
