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

    /// How many extents the origin is asked for at once while the tier is left alone: then it is looked at again.
    private static let longestRun: Int64 = 16

    /// What the origin is read of.
    private struct Run {
        let iterator: ByteReading.AsyncIterator
        let end: Int64
        /// Whether the tier may have the same bytes: then it is read again as soon as it is no longer late.
        let isBeside: Bool
        let start: Int64
        /// How long the reader has waited for its bytes.
        var waited = Duration.zero
    }

    /// An extent that is being read.
    private struct Reading {
        let number: Int
        let bytes: Pending<ByteMemory?>
    }

    private struct State {
        var position: Int64
        /// What has come of the tier and is to be yielded first.
        var chunk: ByteChunk?
        var run: Run?
        /// The extent that the tier was asked for last, while the origin is read in its place.
        var late: Reading?
        /// The extent that the run beside the tier is in.
        var passed = 0
        /// Extents that are being read ahead.
        var ahead: [Int: Reading] = [:]
        /// Extents that could not be had, though they were to be there.
        var lacking: Set<Int> = []
        /// Where extents are; `nil`: it is not known yet.
        var map: TierMap?
        var coming: Pending<TierMap?>?
        var isCancelled = false
        var described: ResourceDescription?
    }

    private let end: Int64
    private let generation: TierGeneration
    private let tier: Tier
    private let origin: @Sendable (ReadDemand) async throws -> ByteReading
    private let originName: String
    private let version: ReadDemand.Version
    private let state: Mutex<State>

    init(
        _ range: Range<Int64>,
        of generation: TierGeneration,
        tier: Tier,
        origin: @escaping @Sendable (ReadDemand) async throws -> ByteReading,
        originName: String,
        version: ReadDemand.Version
    ) {
        self.end = range.upperBound
        self.generation = generation
        self.tier = tier
        self.origin = origin
        self.originName = originName
        self.version = version
        self.state = Mutex(State(position: range.lowerBound))
    }

    deinit { self.cancel() }

    /// What the origin has said of the resource, if it was asked.
    var described: ResourceDescription? { self.state.withLock { $0.described } }

    /// Waits for the first bytes of the tier, or for the head of the origin's answer.
    ///
    /// - Parameters:
    ///   - map: where extents are.
    ///   - hedge: what the origin may have been asked already.
    /// - Returns: the origin's answer, where it is one of another version.
    /// - Throws: what the origin throws; `CancellationError`.
    func begin(_ map: TierMap, _ hedge: inout Hedge<ByteReading>) async throws -> ByteReading? {
        self.state.withLock { $0.map = map }
        return try await self.open(&hedge)
    }

    /// Begins with the origin's answer.
    ///
    /// - Parameters:
    ///   - reading: from the first byte of the range on.
    ///   - map: where extents are, when it comes.
    func begin(with reading: ByteReading, _ map: Pending<TierMap?>) {
        self.state.withLock { state in
            state.coming = map
            self.install(reading, until: self.end, isBeside: true, &state)
        }
    }

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
            if run.isBeside, self.tierHasComeBack(at: position) { continue }
            let asked = self.tier.timeline.elapsed()
            let pulled = try await run.iterator.next()
            let waited = self.tier.timeline.elapsed() - asked
            self.state.withLock { $0.run?.waited += waited }
            guard let piece = pulled else {
                guard position >= run.end else {
                    throw SourceError(
                        .truncated,
                        "The origin's answer ended before the end that it had announced."
                    )
                }
                self.endRun()
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
            self.state.withLock { $0.position = wanted.range.upperBound }
            if wanted.range.upperBound >= run.end { self.endRun() }
            return wanted
        }
    }

    func cancel() {
        let (readings, run) = self.state.withLock { state in
            state.isCancelled = true
            let readings = Array(state.ahead.values) + [state.late].compactMap(\.self)
            defer { (state.ahead, state.late, state.run) = ([:], nil, nil) }
            return (readings, state.run)
        }
        for reading in readings { reading.bytes.cancel() }
        run?.iterator.cancel()
    }

    // MARK: The origin's run

    private func install(
        _ reading: ByteReading,
        until end: Int64,
        isBeside: Bool,
        _ state: inout State
    ) {
        state.described = reading.resource
        state.run = Run(
            iterator: reading.makeAsyncIterator(),
            end: end,
            isBeside: isBeside,
            start: state.position
        )
        let number = self.tier.layout.number(of: state.position)
        state.passed = number
        state.ahead = state.ahead.filter { $0.key >= number }
    }

    /// Lets go of the run; the origin's pace is what it was.
    private func endRun(cancelling: Bool = false) {
        let ended = self.state.withLock { state in
            defer { state.run = nil }
            return state.run.map { ($0, state.position) }
        }
        guard let (run, position) = ended else { return }
        if cancelling { run.iterator.cancel() } else if run.isBeside { self.outrun() }
        self.tier.note(self.originName) { $0.delivered(position - run.start, in: run.waited) }
    }

    /// The origin was sooner with an extent than the tier, of which nothing has come yet.
    private func outrun() {
        guard let late = self.state.withLock({ $0.late }), late.bytes.result == nil else { return }
        self.tier.late(.extents)
    }

    /// Whether the tier is to be read again, while the origin is.
    private func tierHasComeBack(at position: Int64) -> Bool {
        let number = self.tier.layout.number(of: position)
        let (late, coming, passed) = self.state.withLock { ($0.late, $0.coming, $0.passed) }
        if let late, let result = late.bytes.result {
            self.state.withLock { $0.late = nil }
            if late.number == number, case .success(let bytes?) = result {
                self.endRun(cancelling: true)
                self.take(bytes, of: number, at: position)
                return true
            }
        }
        if let result = coming?.result {
            self.state.withLock { state in
                state.coming = nil
                state.map = (try? result.get()) ?? TierMap(there: [], end: nil)
            }
        }
        guard number != passed else { return false }
        // The next extent begins.
        let (map, isLate) = self.state.withLock { state in
            state.passed = number
            return (state.map, state.late != nil)
        }
        guard let map, !isLate else {
            // Nothing more is asked of the tier before it has given what it was asked for.
            self.outrun()
            let range = self.tier.layout.range(of: number, inLength: self.generation.length)
            self.tier.goOn(for: min(self.end, range.upperBound) - position)
            return false
        }
        guard map.mayHave(number), !self.isLeftAlone else { return false }
        self.endRun(cancelling: true)
        return true
    }

    // MARK: The tier's extents

    /// Takes an extent that has come.
    private func take(_ bytes: ByteMemory, of number: Int, at position: Int64) {
        let start = self.tier.layout.range(of: number, inLength: self.generation.length).lowerBound
        let chunk = ByteChunk(at: start, memory: bytes).clamped(to: position..<self.end)
        self.state.withLock { state in
            state.chunk = chunk
            state.late = nil
            state.ahead = state.ahead.filter { $0.key > number }
        }
        self.lookAhead(of: number)
    }

    /// Takes the next extent, or begins to read the origin.
    private func open() async throws {
        let (position, late) = self.state.withLock { ($0.position, $0.late) }
        let number = self.tier.layout.number(of: position)
        let range = self.tier.layout.range(of: number, inLength: self.generation.length)
        let (origin, version) = (self.origin, self.version)
        let end = min(self.end, range.upperBound)
        var hedge = Hedge(self.tier, origin: self.originName, byteCount: end - position) {
            try await origin(ReadDemand(.span(position..<end), version: version))
        }
        let foreign: ByteReading?
        let isAhead = self.state.withLock { $0.ahead[number]?.bytes.result != nil }
        if let late, late.number < number, late.bytes.result == nil, !isAhead,
            self.isWorthAsking(number)
        {
            // Nothing more is asked of the tier before it has given what it was asked for.
            self.tier.goOn(for: end - position)
            foreign = try self.take(try await hedge.ask(), at: position, isBeside: true)
        } else {
            foreign = try await self.open(&hedge)
        }
        guard foreign == nil else {
            throw SourceError(.changed, "The origin has another version than the one that is read.")
        }
    }

    /// Takes the next extent, or begins to read the origin.
    ///
    /// - Returns: the origin's answer, where it is one of another version.
    private func open(_ hedge: inout Hedge<ByteReading>) async throws -> ByteReading? {
        let position = self.state.withLock { $0.position }
        let number = self.tier.layout.number(of: position)
        guard self.isWorthAsking(number) else {
            return try await self.readOrigin(from: position, hedge.beside)
        }
        let reading =
            self.state.withLock { $0.ahead.removeValue(forKey: number) } ?? self.reading(number)
        self.state.withLock { $0.late = reading }
        switch try await hedge.first(reading.bytes, .extents) {
        case .store(let bytes?):
            hedge.beside?.cancel()
            self.take(bytes, of: number, at: position)
            return nil
        case .store(nil):
            self.state.withLock { state in
                state.lacking.insert(number)
                state.late = nil
            }
            return try await self.readOrigin(from: position, hedge.beside)
        case .origin(let answer): return try self.take(answer, at: position, isBeside: true)
        }
    }

    /// Reads from the origin what the tier lacks, or all while it is left alone.
    private func readOrigin(
        from position: Int64,
        _ beside: Pending<ByteReading>?
    ) async throws -> ByteReading? {
        if let beside {
            let answer = try await beside.value(on: self.tier.timeline)
            return try self.take(answer, at: position, isBeside: true)
        }
        let number = self.tier.layout.number(of: position)
        let next = self.nextToAsk(behind: number)
        let start = self.tier.layout.range(of: next, inLength: self.generation.length).lowerBound
        let end = min(self.end, start > position ? start : .max)
        let demand = ReadDemand(.span(position..<end), version: self.version)
        return try self.take(try await self.origin(demand), at: position, until: end)
    }

    /// Takes what the origin answers.
    ///
    /// - Returns: the answer, where it is one of another version.
    private func take(
        _ reading: ByteReading,
        at position: Int64,
        until end: Int64? = nil,
        isBeside: Bool = false
    ) throws -> ByteReading? {
        guard self.version.agrees(with: reading.resource), !reading.coversWhole else {
            return reading
        }
        let end = min(end ?? reading.upperBound ?? 0, self.end)
        guard reading.lowerBound == position, end > position,
            reading.upperBound.map({ $0 >= end }) ?? true
        else {
            throw SourceError(
                .badAnswer,
                "The origin answered with other bytes than those that were asked for."
            )
        }
        let isCancelled = self.state.withLock { state in
            if !state.isCancelled {
                self.install(reading, until: end, isBeside: isBeside, &state)
            }
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
        return nil
    }

    /// Whether the tier is left alone now; if it has been for long enough, it is tried meanwhile.
    private var isLeftAlone: Bool {
        guard self.tier.isLeftAlone else { return false }
        self.tier.probeIfDue(self.generation.resource, origin: self.originName)
        return true
    }

    private func isWorthAsking(_ number: Int) -> Bool {
        !self.isLeftAlone
            && self.state.withLock { state in
                !state.lacking.contains(number) && state.map?.mayHave(number) ?? false
            }
    }

    /// The next extent behind one that the tier may have, or at which it is looked at again.
    private func nextToAsk(behind number: Int) -> Int {
        guard !self.tier.isLeftAlone else { return number + Int(Self.longestRun) }
        let (map, lacking) = self.state.withLock { ($0.map, $0.lacking) }
        var next = map?.next(from: number + 1)
        while let known = next, lacking.contains(known) { next = map?.next(from: known + 1) }
        // There is none behind the last.
        return next ?? self.tier.layout.number(of: self.generation.length) + 1
    }

    private func reading(_ number: Int, whenDone: @escaping @Sendable () -> Void = {}) -> Reading {
        Reading(
            number: number,
            bytes: Pending(on: self.tier.executor) { [tier, generation] in
                defer { whenDone() }
                return try await tier.extent(number, of: generation)
            }
        )
    }

    /// Begins to read the next extents, as far as they are wanted.
    private func lookAhead(of number: Int) {
        for next in number + 1...number + Self.readAhead {
            let range = self.tier.layout.range(of: next, inLength: self.generation.length)
            guard range.lowerBound < self.end,
                self.state.withLock({ state in
                    state.map?.there.contains(next) ?? false && state.ahead[next] == nil
                        && !state.isCancelled
                }),
                self.tier.mayReadAhead()
            else { continue }
            let reading = self.reading(next) { [tier] in tier.endReadAhead() }
            let isCancelled = self.state.withLock { state in
                if !state.isCancelled { state.ahead[next] = reading }
                return state.isCancelled
            }
            if isCancelled { reading.bytes.cancel() }
        }
    }
}
