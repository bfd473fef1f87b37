// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The check of one clause: makes its subjects, compares their behaviour, and reports violations.
final class Examination: Sendable {
    let contract: ByteSourceContract
    private let clause: ByteSourceContract.Clause
    private let awaiting = Mutex("its start")
    private let conclusion = Watched<Result<Void, any Error>?>(nil)
    private let ends = Mutex<[@Sendable () async -> Void]>([])

    init(_ contract: ByteSourceContract, _ clause: ByteSourceContract.Clause) {
        self.contract = contract
        self.clause = clause
    }

    /// The event that the check waits for, in words, in case it waits in vain.
    var awaited: String { self.awaiting.withLock { $0 } }

    /// Sets the event that the check waits for next.
    func await(_ what: String) {
        self.awaiting.withLock { $0 = what }
    }

    /// Sets the outcome of the check; only the first call counts.
    func conclude(_ outcome: Result<Void, any Error>) {
        self.conclusion.update { $0 = $0 ?? outcome }
    }

    /// Waits for the outcome of the check.
    func outcome() async throws -> Result<Void, any Error> {
        try await self.conclusion.wait { $0 != nil }
        return self.conclusion.value ?? .success(())
    }

    /// Runs a reader beside others; its error concludes the check even while other readers wait for this one.
    func beside<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch {
            if !(error is CancellationError) { self.conclude(.failure(error)) }
            throw error
        }
    }

    /// Ends the subjects.
    func end() async {
        let ends = self.ends.withLock { ends in
            defer { ends = [] }
            return ends
        }
        for end in ends { await end() }
    }

    func violation(_ message: String) -> ContractViolation {
        ContractViolation(clause: self.clause.name, message: message)
    }

    func expect(_ isTrue: Bool, otherwise message: @autoclosure () -> String) throws {
        guard isTrue else { throw self.violation(message()) }
    }

    /// Makes a new subject of a resource.
    func subject(of resource: ContractResource) async throws -> ContractSubject {
        self.await("a source of the resource")
        let subject = try await self.contract.makeSubject(resource)
        if let end = subject.end { self.ends.withLock { $0.append(end) } }
        return subject
    }

    /// Starts to read, and compares the description of the reading with the expected one.
    func start(
        _ demand: ReadDemand,
        of source: any ByteSource,
        expecting range: Range<Int64>,
        in resource: ContractResource
    ) async throws -> ByteReading {
        self.await("the answer to \(demand.range)")
        let reading = try await source.read(demand)
        let question = "\(demand.range) of \(resource.length) bytes"
        try self.expect(
            reading.lowerBound == range.lowerBound,
            otherwise: "answered \(question) with a reading from \(reading.lowerBound)"
        )
        let mayBeOpen = !resource.isLengthKnown
        try self.expect(
            reading.upperBound == range.upperBound || (mayBeOpen && reading.upperBound == nil),
            otherwise: "answered \(question) with a reading up to \(reading.upperBound as Int64?)"
        )
        let length = reading.resource.length
        try self.expect(
            length == resource.length || (mayBeOpen && length == nil),
            otherwise: "described the resource of \(question) as \(length as Int64?) bytes long"
        )
        return reading
    }

    /// Takes chunks until the end of the range or up to a limit, and compares every byte.
    ///
    /// - Returns: the offset behind the last byte.
    @discardableResult
    func take(
        _ chunkLimit: Int = .max,
        of iterator: ByteReading.AsyncIterator,
        from offset: Int64? = nil,
        expecting range: Range<Int64>,
        in resource: ContractResource
    ) async throws -> Int64 {
        var position = offset ?? range.lowerBound
        for _ in 0..<chunkLimit {
            self.await("the chunk at \(position)")
            guard let chunk = try await iterator.next() else {
                try self.expect(
                    position == range.upperBound,
                    otherwise: "ended at \(position) a reading of \(range)"
                )
                return position
            }
            try self.compare(chunk, at: position, within: range, in: resource)
            position = chunk.range.upperBound
        }
        return position
    }

    /// Takes all chunks of a reading of the whole resource, and reports the arrival of the first one.
    func takeAll(
        of reading: ByteReading,
        in resource: ContractResource,
        onFirstChunk: () -> Void
    ) async throws {
        let whole = 0..<resource.length
        let iterator = reading.makeAsyncIterator()
        let position = try await self.take(1, of: iterator, expecting: whole, in: resource)
        onFirstChunk()
        try await self.take(of: iterator, from: position, expecting: whole, in: resource)
    }

    /// Reads a range and compares every byte.
    func expectBytes(
        _ requested: RequestedRange,
        of source: any ByteSource,
        are range: Range<Int64>,
        in resource: ContractResource
    ) async throws {
        let reading = try await self.start(
            ReadDemand(requested),
            of: source,
            expecting: range,
            in: resource
        )
        try await self.take(of: reading.makeAsyncIterator(), expecting: range, in: resource)
    }

    /// Reads, and expects an error as the answer.
    func expectRefusal(
        _ code: SourceError.Code,
        _ demand: ReadDemand,
        of source: any ByteSource
    ) async throws {
        self.await("the refusal of \(demand.range)")
        do {
            _ = try await source.read(demand)
        } catch let error as SourceError {
            try self.expect(
                error.code == code,
                otherwise: "refused \(demand.range) with \(error.code) instead of \(code)"
            )
            return
        }
        throw self.violation("answered \(demand.range) instead of refusing it with \(code)")
    }

    /// Compares one chunk with the resource.
    func compare(
        _ chunk: ByteChunk,
        at position: Int64,
        within range: Range<Int64>,
        in resource: ContractResource
    ) throws {
        try self.expect(
            chunk.range.lowerBound == position,
            otherwise: "yielded a chunk of \(chunk.range) where byte \(position) was due"
        )
        try self.expect(!chunk.range.isEmpty, otherwise: "yielded an empty chunk at \(position)")
        try self.expect(
            chunk.range.upperBound <= range.upperBound,
            otherwise: "yielded a chunk of \(chunk.range) in a reading of \(range)"
        )
        let bytes = try chunk.bytes()
        try self.expect(
            bytes.count == chunk.range.count,
            otherwise: "yielded \(bytes.count) bytes in a chunk of \(chunk.range)"
        )
        guard bytes != resource.bytes(in: chunk.range) else { return }
        let wrong = PatternBytes.firstDifference(in: bytes, at: position, seed: resource.seed)
        throw self.violation("yielded a wrong byte at \(wrong ?? position)")
    }
}
