// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource
import WeirTestKit

/// A source with one fault, based on a source without faults.
final class BrokenSource: ByteSource {
    let fault: Fault
    let base: ScriptedSource
    /// Opened when the fault makes the source hang.
    let hangs = Gate()
    /// Opened by the test to release a source that hangs.
    let rescue = Gate()
    /// Opened when a source that reads ahead has reached the end.
    let hasReadAhead = Gate()

    private struct Memory {
        var describedCount = 0
        var readCount = 0
        var openReading: Gate?
        var wasDropped = false
    }

    private let memory = Mutex(Memory())

    init(_ fault: Fault, _ base: ScriptedSource) {
        self.fault = fault
        self.base = base
    }

    func describe() async throws -> ResourceDescription {
        if self.fault == .answersCancelledTasks {
            return try await Self.uncancelled { try await self.base.describe() }
        }
        return self.altered(try await self.base.describe())
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let number = self.memory.withLock { memory in
            memory.readCount += 1
            return memory.readCount
        }
        switch self.fault {
        case .forgetsTheRefusal:
            do {
                return try await self.base.read(demand)
            } catch let error as SourceError where error.code == .rangeNotSatisfiable {
                return .empty(try await self.base.describe(), at: demand.range.knownLowerBound ?? 0)
            }
        case .ignoresVersions:
            return try await self.base.read(ReadDemand(demand.range))
        case .refusesVersions:
            if demand.version?.validator != nil { throw Self.failure }
        case .refusesEmptyRanges:
            if demand.range.isEmpty { throw SourceError.pastTheEnd(demand.range, length: 0) }
        case .refusesTheEnd:
            let length = self.base.resource.length
            if length > 0, demand.range.knownLowerBound == length {
                throw SourceError.pastTheEnd(demand.range, length: length)
            }
        case .refusesEmptyResources:
            if self.base.resource.length == 0 { throw Self.failure }
        case .takesSuffixesForStarts:
            if case .suffix(let count) = demand.range {
                return try await self.base.read(.span(0..<count))
            }
        case .refusesLongSuffixes:
            if case .suffix(let count) = demand.range, count > self.base.resource.length {
                throw SourceError.pastTheEnd(demand.range, length: self.base.resource.length)
            }
        case .refusesDemandsOverTheEnd:
            if let end = demand.range.knownUpperBound, end > self.base.resource.length,
                demand.range.knownLowerBound ?? 0 < self.base.resource.length
            {
                throw SourceError.pastTheEnd(demand.range, length: self.base.resource.length)
            }
        case .answersCancelledTasks:
            return try await Self.uncancelled { try await self.base.read(demand) }
        case .readsAhead:
            return try await self.readAhead(demand)
        case .servesOneReader:
            return try await self.serveAlone(demand)
        case .isSpoiltByDrops:
            if self.memory.withLock({ $0.wasDropped }) { throw Self.failure }
        case .needsALength:
            if self.base.resource.isLengthKnown == false { throw Self.failure }
        case .takesAnyEndForProof:
            let reading = try await self.base.read(demand)
            return ByteReading(
                resource: reading.resource,
                lowerBound: reading.lowerBound,
                upperBound: reading.upperBound,
                producer: LastProducer(reading.makeAsyncIterator(), Gate())
            )
        case .lendsWrongBytes, .claimsTooMuch, .endsWithoutAvailability:
            return try await self.base.read(demand)
        default:
            break
        }
        let reading = try await self.base.read(demand)
        return reading.replacing(resource: self.altered(reading.resource)).replacing(
            producer: BrokenProducer(self, reading, number: number)
        )
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard self.fault == .lendsWrongBytes else { return nil }
        let resource = self.base.resource
        guard let part = range.resolved(inLength: resource.length), !part.isEmpty else {
            return nil
        }
        return ResidentSlice(
            file: WrongFile(),
            fileOffset: 0,
            range: part,
            resource: resource.resourceDescription
        )
    }

    var availability: Availability {
        let length = self.base.resource.length
        return switch self.fault {
        case .claimsTooMuch: Availability(held: RangeSet(0..<(length + 1)), length: length)
        default: self.base.availability
        }
    }

    func availabilityChanges() -> AsyncStream<Availability> {
        if self.fault == .endsWithoutAvailability {
            return AsyncStream { $0.finish() }
        }
        return self.base.availabilityChanges()
    }

    func noteDrop() {
        self.memory.withLock { $0.wasDropped = true }
    }

    static let failure = SourceError(.originFailed, "The fault of this source.")

    /// Runs an operation in a task that the caller's cancellation does not reach.
    static func uncancelled<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // Owned by this call, which waits for the task's end even after a cancellation; that is the fault.
        try await Task { try await operation() }.value
    }

    private func altered(_ description: ResourceDescription) -> ResourceDescription {
        var description = description
        switch self.fault {
        case .miscountsTheLength:
            description.length = description.length.map { $0 + 1 }
        case .changesItsMind:
            let count = self.memory.withLock { memory in
                memory.describedCount += 1
                return memory.describedCount
            }
            description.validator = .revision("\(count)")
        default:
            break
        }
        return description
    }

    private func readAhead(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.base.read(demand)
        let chunks = Watched<(all: [ByteChunk], isOver: Bool)>(([], false))
        let hasReadAhead = self.hasReadAhead
        // The task has no owner and ends with the resource; that is the fault.
        Task {
            for try await chunk in reading { chunks.update { $0.all.append(chunk) } }
            chunks.update { $0.isOver = true }
            hasReadAhead.open()
        }
        return reading.replacing(producer: QueueProducer(chunks))
    }

    private func serveAlone(_ demand: ReadDemand) async throws -> ByteReading {
        let before = self.memory.withLock { $0.openReading }
        if let before {
            self.hangs.open()
            try await before.wait()
        }
        let isOver = Gate()
        self.memory.withLock { $0.openReading = isOver }
        let reading = try await self.base.read(demand)
        return reading.replacing(producer: LastProducer(reading.makeAsyncIterator(), isOver))
    }
}

/// Yields the chunks of a queue.
private final class QueueProducer: ChunkProducer {
    private let chunks: Watched<(all: [ByteChunk], isOver: Bool)>
    private let index = Mutex(0)

    init(_ chunks: Watched<(all: [ByteChunk], isOver: Bool)>) {
        self.chunks = chunks
    }

    func next() async throws -> ByteChunk? {
        let index = self.index.withLock { index in
            index += 1
            return index - 1
        }
        try await self.chunks.wait { $0.all.count > index || $0.isOver }
        let all = self.chunks.value.all
        return index < all.count ? all[index] : nil
    }

    func cancel() {}
}

/// Opens a gate when it has reached its end or was dropped.
private final class LastProducer: ChunkProducer {
    private let iterator: ByteReading.AsyncIterator
    private let isOver: Gate

    init(_ iterator: ByteReading.AsyncIterator, _ isOver: Gate) {
        self.iterator = iterator
        self.isOver = isOver
    }

    func next() async throws -> ByteChunk? {
        let chunk = try await self.iterator.next()
        if chunk == nil { self.isOver.open() }
        return chunk
    }

    func cancel() { self.isOver.open() }
}

/// A file full of sevens.
private final class WrongFile: LeasedFile {
    let descriptor: CInt? = -1

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        for index in buffer.indices { buffer[index] = 7 }
        return buffer.count
    }
}
