// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Yields a range of one version: extents of the tier, and the bytes between them from the origin.
///
/// An extent is yielded when it has arrived completely and its seal is valid. Up to two extents are
/// read ahead.
final class TieredProducer: ChunkProducer {
    /// How many extents are read ahead.
    private static let readAhead = 2
    /// The maximum size, in bytes, of a yielded piece.
    private static let pieceSize: Int64 = 1 << 20

    /// How many extents are requested from the origin at once during a pause of the tier.
    private static let longestRun: Int64 = 16

    /// A reading of the origin.
    private struct Run {
        let iterator: ByteReading.AsyncIterator
        let end: Int64
        /// Whether the tier may have the same bytes; then the reader returns to the tier as soon as
        /// the tier is no longer late.
        let isBeside: Bool
        let start: Int64
        /// How long the reader has waited for the origin's bytes.
        var waited = Duration.zero
    }

    /// An extent that is being read.
    private struct Reading {
        let number: Int
        let bytes: Pending<ByteMemory?>
    }

    private struct State {
        var position: Int64
        /// The bytes of the tier to yield first.
        var chunk: ByteChunk?
        var run: Run?
        /// The extent last requested from the tier, while the origin is read instead.
        var late: Reading?
        /// The extent that the reading of the origin has reached.
        var passed = 0
        /// Extents that are being read ahead.
        var ahead: [Int: Reading] = [:]
        /// The extents that the tier could not supply, although it should have them.
        var lacking: Set<Int> = []
        /// The list of extents; `nil` until it is known.
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

    /// The origin's description of the resource, if the origin was asked.
    var described: ResourceDescription? { self.state.withLock { $0.described } }

    /// Waits for the first bytes of the tier, or for the head of the origin's response.
    ///
    /// - Parameters:
    ///   - map: the list of extents.
    ///   - hedge: a request to the origin that may be running already.
    /// - Returns: the origin's response, if it has another version, or covers the whole resource.
    /// - Throws: the origin's error; `CancellationError`.
    func begin(_ map: TierMap, _ hedge: inout Hedge<ByteReading>) async throws -> ByteReading? {
        self.state.withLock { $0.map = map }
        return try await self.open(&hedge)
    }

    /// Starts with the origin's response.
    ///
    /// - Parameters:
    ///   - reading: the response, from the first byte of the range on.
    ///   - map: the list of extents, when it arrives.
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
                        "The origin's answer ended before its announced end."
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
                    "The origin returned other bytes than the requested ones."
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

    // MARK: Readings of the origin

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

    /// Ends the reading of the origin, and notes the origin's pace.
    private func endRun(cancelling: Bool = false) {
        let ended = self.state.withLock { state in
            defer { state.run = nil }
            return state.run.map { ($0, state.position) }
        }
        guard let (run, position) = ended else { return }
        if cancelling { run.iterator.cancel() } else if run.isBeside { self.outrun() }
        self.tier.note(self.originName) { $0.delivered(position - run.start, in: run.waited) }
    }

    /// Notes that the origin supplied an extent before the tier.
    private func outrun() {
        guard let late = self.state.withLock({ $0.late }), late.bytes.result == nil else { return }
        self.tier.late(.extents)
    }

    /// Whether to read the tier again, in place of the origin.
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
        // The next extent starts here.
        let (map, isLate) = self.state.withLock { state in
            state.passed = number
            return (state.map, state.late != nil)
        }
        guard let map, !isLate else {
            // The tier gets no further requests before it has answered the last one.
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

    /// Takes an extent that has arrived.
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

    /// Takes the next extent, or starts to read the origin.
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
            // The tier gets no further requests before it has answered the last one.
            self.tier.goOn(for: end - position)
            foreign = try self.take(try await hedge.ask(), at: position, isBeside: true)
        } else {
            foreign = try await self.open(&hedge)
        }
        guard foreign == nil else {
            throw SourceError(
                .changed,
                "The resource changed at the origin while it was being read."
            )
        }
    }

    /// Takes the next extent, or starts to read the origin.
    ///
    /// - Returns: the origin's response, if it has another version, or covers the whole resource.
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

    /// Reads from the origin those bytes that the tier lacks, or all bytes during a pause of the
    /// tier.
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

    /// Takes the origin's response.
    ///
    /// - Returns: the response, if it has another version, or covers the whole resource.
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
                "The origin answered with other bytes than the requested ones."
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

    /// Whether the tier is paused now; if the pause is over, starts a probe.
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

    /// The next extent to request from the tier; during a pause, the extent at which to check the
    /// pause again.
    private func nextToAsk(behind number: Int) -> Int {
        guard !self.tier.isLeftAlone else { return number + Int(Self.longestRun) }
        let (map, lacking) = self.state.withLock { ($0.map, $0.lacking) }
        var next = map?.next(from: number + 1)
        while let known = next, lacking.contains(known) { next = map?.next(from: known + 1) }
        // No extent follows the last one.
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

    /// Starts to read the next extents, if they are wanted.
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
