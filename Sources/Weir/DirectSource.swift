// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A resource that is not kept, since it lies on this machine; it can be closed.
final class DirectSource: ByteSource {
    private struct State {
        var isClosed = false
        var last = 0
        var readers: [Int: WeakReader] = [:]
    }

    private struct WeakReader {
        weak var producer: Producer?
    }

    private let base: any ByteSource
    private let state = Mutex(State())

    init(_ base: any ByteSource) {
        self.base = base
    }

    func describe() async throws -> ResourceDescription {
        try self.check()
        return try await self.base.describe()
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try self.check()
        return try await self.base.isUnchanged(pin)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard !self.state.withLock({ $0.isClosed }) else { return nil }
        return self.base.residentSlice(range)
    }

    func openHeld() async { await self.base.openHeld() }

    func availability() -> Availability { self.base.availability() }

    func availabilityChanges() -> AsyncStream<Availability> { self.base.availabilityChanges() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try self.check()
        let reading = try await self.base.read(demand)
        let producer = Producer(reading.makeAsyncIterator())
        let isClosed = self.state.withLock { state in
            state.last += 1
            state.readers = state.readers.filter { $0.value.producer != nil }
            state.readers[state.last] = WeakReader(producer: producer)
            return state.isClosed
        }
        if isClosed { producer.end() }
        return ByteReading(
            description: reading.description,
            lowerBound: reading.lowerBound,
            upperBound: reading.upperBound,
            provesEnd: reading.provesEnd,
            producer: producer
        )
    }

    /// Ends its readers with `SourceError.Code.closed`; later ones fail likewise.
    func close() {
        let readers = self.state.withLock { state in
            state.isClosed = true
            defer { state.readers = [:] }
            return state.readers
        }
        for reader in readers.values { reader.producer?.end() }
    }

    private func check() throws {
        if self.state.withLock({ $0.isClosed }) { throw SharedSource.closedError }
    }

    private final class Producer: ChunkProducer {
        private let iterator: ByteReading.AsyncIterator
        private let isEnded = Mutex(false)

        init(_ iterator: ByteReading.AsyncIterator) {
            self.iterator = iterator
        }

        func next() async throws -> ByteChunk? {
            do {
                if self.isEnded.withLock({ $0 }) { throw SharedSource.closedError }
                let chunk = try await self.iterator.next()
                if self.isEnded.withLock({ $0 }) { throw SharedSource.closedError }
                return chunk
            } catch is CancellationError where self.isEnded.withLock({ $0 }) {
                throw SharedSource.closedError
            }
        }

        func cancel() {
            self.iterator.cancel()
        }

        func end() {
            self.isEnded.withLock { $0 = true }
            self.iterator.cancel()
        }
    }
}
