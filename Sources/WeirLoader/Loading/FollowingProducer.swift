// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// Follows the fetch: yields the held bytes, and waits for more at their end.
final class FollowingProducer: ChunkProducer {
    private struct State {
        var position: Int64
        /// A reading of the rest from the origin, once the cache cannot help.
        var direct: Direct?
    }

    /// A reading of the origin, with the end of the reader's range.
    private struct Direct {
        let chunks: ByteReading.AsyncIterator
        /// The version of the resource at the time of the request.
        let version: ReadDemand.Version?
        /// The end of the reader's range, if known.
        let end: Int64?
        /// Whether the reading ends before the reader's range does, so that another reading
        /// follows.
        let isPart: Bool
        /// The cached bytes just before the next byte, to be compared with the response, if there
        /// are any.
        let compared: (generation: Generation, range: Range<Int64>)?

        init(
            _ reading: ByteReading,
            version: ReadDemand.Version?,
            end: Int64?,
            comparing compared: (generation: Generation, range: Range<Int64>)? = nil
        ) {
            self.chunks = reading.makeAsyncIterator()
            self.version = version
            self.end = end
            self.isPart = (reading.upperBound ?? .max) < end ?? .max
            self.compared = compared
        }
    }

    /// The source of the next bytes.
    private enum Next {
        case chunk(ByteChunk)
        /// The origin has begun to send the bytes.
        case coming
        case end
        case direct(Direct)
    }

    private let loader: ResourceLoader
    private let id: DemandID
    /// Where the reader began, perhaps with held bytes that another producer has yielded.
    private let start: Int64
    private let state: Mutex<State>

    init(loader: ResourceLoader, id: DemandID, position: Int64, start: Int64) {
        self.loader = loader
        self.id = id
        self.start = start
        self.state = Mutex(State(position: position))
    }

    /// Waits for the first byte, for the end, or until the origin has begun to send the first byte.
    func begin() async throws {
        let position = self.state.withLock { $0.position }
        if case .direct(let direct) = try await self.find(at: position, isBeginning: true) {
            self.state.withLock { $0.direct = direct }
        }
    }

    func next() async throws -> ByteChunk? {
        while true {
            let (position, direct) = self.state.withLock { ($0.position, $0.direct) }
            if let direct {
                if let chunk = try await self.next(of: direct, at: position) { return chunk }
                guard direct.isPart else { return nil }
                self.state.withLock { $0.direct = nil }
                continue
            }
            switch try await self.find(at: position) {
            case .end: return nil
            case .coming: continue
            case .chunk(let chunk):
                self.state.withLock { $0.position = chunk.range.upperBound }
                return chunk
            case .direct(let direct):
                self.state.withLock { $0.direct = direct }
            }
        }
    }

    /// The next chunk of a reading of the origin, cut at the reader's end.
    private func next(of direct: Direct, at position: Int64) async throws -> ByteChunk? {
        if let end = direct.end, position >= end { return nil }
        while let chunk = try await self.heeding(direct.version, { try await direct.chunks.next() })
        {
            if let compared = direct.compared, let known = chunk.clamped(to: compared.range) {
                try Self.compare(known, with: compared.generation)
            }
            guard let part = chunk.clamped(to: position..<(direct.end ?? .max)) else { continue }
            self.state.withLock { $0.position = part.range.upperBound }
            return part
        }
        return nil
    }

    private static func compare(_ chunk: ByteChunk, with generation: Generation) throws {
        do {
            try JoiningWriter.compare(chunk.memory(), at: chunk.range.lowerBound, generation)
        } catch let error as CacheError {
            throw SourceError(.cacheFailed, error.message, cause: error)
        }
    }

    /// Continues at the origin.
    private func direct(
        _ demand: ReadDemand,
        at position: Int64,
        comparing generation: Generation?
    ) async throws -> Direct {
        let end = demand.range.knownUpperBound
        if let rest = await self.loader.takeHandedOver(self.id), rest.next <= position,
            position < rest.reading.upperBound ?? .max,
            generation == nil || self.needsNoComparison(rest, at: position, end: end)
        {
            return Direct(rest.reading, version: demand.version, end: end)
        }
        guard let generation, let run = generation.readable.run(containing: position - 1) else {
            return Direct(try await self.read(demand), version: demand.version, end: end)
        }
        let start = max(run.lowerBound, position - JoiningWriter.comparedCount)
        var demand = demand
        demand.range = end.map { .span(start..<$0) } ?? .from(start)
        return Direct(
            try await self.read(demand),
            version: demand.version,
            end: end,
            comparing: (generation, start..<position)
        )
    }

    /// Whether a response without a validator joins no bytes that it was not compared with.
    ///
    /// Before it are cached bytes if this reader has yielded some. Behind it are cached bytes if it
    /// ends before the reader's range does.
    private func needsNoComparison(
        _ rest: ResourceLoader.HandedOver,
        at position: Int64,
        end: Int64?
    ) -> Bool {
        let last = min(end ?? .max, rest.reading.resource.length ?? .max)
        return (rest.isJoined || position == self.start) && rest.reading.upperBound ?? .max >= last
    }

    private func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.heeding(demand.version) { try await self.loader.origin.read(demand) }
    }

    /// Runs an operation; if it finds the resource changed, reports that to the loader.
    ///
    /// So the next reader does not ask for the old version again.
    private func heeding<Value>(
        _ version: ReadDemand.Version?,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await operation()
        } catch let error as SourceError where error.code == .changed {
            await self.loader.heardOfChange(error, from: version)
            throw error
        }
    }

    private func find(at position: Int64, isBeginning: Bool = false) async throws -> Next {
        while true {
            switch try await self.loader.pull(self.id, at: position, isBeginning: isBeginning) {
            case .end: return .end
            case .coming: return .coming
            case .direct(let demand, let generation):
                return .direct(try await self.direct(demand, at: position, comparing: generation))
            case .held(let generation, let limit):
                // Outside the actor, since the comparison may read the disk. A damaged block
                // becomes a hole, which the loader sees and fetches at the next pull.
                do throws(CacheError) {
                    if let chunk = try generation.checkedChunk(at: position, before: limit) {
                        return .chunk(chunk)
                    }
                } catch {
                    await self.loader.cannotRead(self.id, error)
                }
            }
        }
    }

    func cancel() {
        self.state.withLock { $0.direct }?.chunks.cancel()
        // An unstructured task, since the caller cannot wait: it ends after one call of the actor.
        Task { [loader, id] in await loader.depart(id) }
    }
}
