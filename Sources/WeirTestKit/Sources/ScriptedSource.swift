// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

/// A source that does what a test scripts, and tells what was asked of it.
///
/// It answers at once and correctly until told otherwise. The script may make answers wait or fail
/// (``holdAnswers()``, ``refuse(with:times:)``), readings stop before an offset until a gate opens
/// (``hold(before:)``) or throw there (``fail(at:with:times:)``), and replace the resource
/// (``replace(with:running:)``). What happens is written to ``log``; ``waitForReads(_:)`` and its
/// sisters wait for it without polling. It hands out nothing that was not pulled, and may be used from
/// any number of tasks.
public final class ScriptedSource: ByteSource {
    /// What a change of the resource does to readings that run.
    public enum RunningReadings: Sendable {
        /// They go on with the bytes that they began with.
        case goOn
        /// Their next chunk is an error, `changed`.
        case fail
    }

    struct State: Sendable {
        var resource: ScriptedResource
        var log = Log()
        var holds: [(offset: Int64, gate: Gate)] = []
        var answerGates: [Gate] = []
        var failures: [ScriptedFailure] = []
        var refusals: [ScriptedFailure] = []
        /// Readings with an index below this one belong to a generation that was broken off.
        var brokenOff = 0
    }

    let state: Watched<State>
    let chunkSize: Int64

    /// Makes a source of a resource.
    ///
    /// - Parameters:
    ///   - resource: what is read until it is replaced.
    ///   - chunkSize: how many bytes a chunk has at most. Chunks also end where the script has a hold
    ///     or a failure.
    public init(_ resource: ScriptedResource, chunkSize: Int = 16_384) {
        precondition(chunkSize > 0, "a chunk is never empty")
        self.state = Watched(State(resource: resource))
        self.chunkSize = Int64(chunkSize)
    }

    /// Makes a source of a pattern.
    public convenience init(length: Int64, seed: UInt64 = 1, chunkSize: Int = 16_384) {
        self.init(ScriptedResource(length: length, seed: seed), chunkSize: chunkSize)
    }

    /// The resource as it is now.
    public var resource: ScriptedResource { self.state.value.resource }

    /// What has happened so far.
    public var log: Log { self.state.value.log }

    /// Tells what the resource is now.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        self.state.update { $0.log.descriptionCount += 1 }
        try await self.passAnswerGates()
        return try self.state.update { state -> Result<ResourceDescription, any Error> in
            if let error = state.refusals.takeFirst() { return .failure(error) }
            return .success(state.resource.resourceDescription)
        }.get()
    }

    /// Starts to read the resource as it is now.
    ///
    /// - Throws: what the script says; `SourceError` with `rangeNotSatisfiable` or `changed`;
    ///   `CancellationError`.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        self.state.update { $0.log.demands.append(demand) }
        try await self.passAnswerGates()
        return try self.state.update { state in
            Result { try self.start(demand, &state) }
        }.get()
    }

    private func start(_ demand: ReadDemand, _ state: inout State) throws -> ByteReading {
        if let error = state.refusals.takeFirst() { throw error }
        let resource = state.resource
        try resource.resourceDescription.check(demand.version)
        guard let range = demand.range.resolved(inLength: resource.length) else {
            throw SourceError.pastTheEnd(demand.range, length: resource.length)
        }
        let index = state.log.readings.count
        state.log.readings.append(
            ScriptedReading(demand: demand, range: range, position: range.lowerBound)
        )
        state.log.mostRunningReadings = max(
            state.log.mostRunningReadings,
            state.log.readingCount(.running)
        )
        return ByteReading(
            resource: resource.resourceDescription,
            lowerBound: range.lowerBound,
            upperBound: resource.isLengthKnown ? range.upperBound : nil,
            provesEnd: resource.provesEnd,
            producer: ScriptedProducer(self, resource, index: index)
        )
    }

    private func passAnswerGates() async throws {
        for gate in self.state.value.answerGates { try await gate.wait() }
    }
}

extension ScriptedSource {
    /// What has been asked of a scripted source, and what it has done, up to one moment.
    public struct Log: Sendable {
        /// The demands that ``ScriptedSource/read(_:)`` was called with, in order, refused ones too.
        public internal(set) var demands: [ReadDemand] = []
        /// The readings that were started, in order.
        public internal(set) var readings: [ScriptedReading] = []
        /// How often ``ScriptedSource/describe()`` was called.
        public internal(set) var descriptionCount = 0
        /// How many readings ran at the same time at most.
        public internal(set) var mostRunningReadings = 0
        /// How many chunks were handed out.
        public internal(set) var chunkCount = 0

        /// How many bytes were handed out by all readings together.
        public var byteCount: Int64 {
            self.readings.reduce(0) { $0 + Int64($1.handedOut.count) }
        }

        /// Which bytes were handed out, by any reading of any generation.
        public var handedOut: RangeSet<Int64> {
            self.readings.reduce(into: RangeSet<Int64>()) { $0.insert(contentsOf: $1.handedOut) }
        }

        /// How many bytes were handed out although they had been handed out before.
        public var repeatedByteCount: Int64 { self.byteCount - self.handedOut.byteCount }

        /// How many readings stand in a state.
        public func readingCount(_ state: ScriptedReading.State) -> Int {
            self.readings.count { $0.state == state }
        }
    }

    /// Makes every reading that comes to an offset stop before it until the gate opens.
    ///
    /// A reading that starts behind the offset, or ends there, is not held. A test knows that a reader
    /// stands there by ``Gate/waitForWaiters(_:)``.
    ///
    /// - Returns: the gate, shut.
    public func hold(before offset: Int64) -> Gate {
        let gate = Gate()
        self.hold(before: offset, until: gate)
        return gate
    }

    /// Makes every reading that comes to an offset stop before it until a gate opens.
    public func hold(before offset: Int64, until gate: Gate) {
        self.state.update { $0.holds.append((offset, gate)) }
    }

    /// Makes every ``describe()`` and ``read(_:)`` that comes from now on wait until the gate opens.
    ///
    /// - Returns: the gate, shut.
    public func holdAnswers() -> Gate {
        let gate = Gate()
        self.state.update { $0.answerGates.append(gate) }
        return gate
    }

    /// Makes readings that come to an offset throw instead of yielding the byte there.
    ///
    /// - Parameters:
    ///   - offset: the first byte that is not yielded. A reading that ends there does not fail.
    ///   - error: what they throw.
    ///   - times: how many readings fail; `nil` for all.
    public func fail(at offset: Int64, with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.failures.append(ScriptedFailure(offset: offset, error: error, times: times))
        }
    }

    /// Makes ``describe()`` and ``read(_:)`` throw instead of answering.
    ///
    /// - Parameters:
    ///   - error: what they throw.
    ///   - times: how many of the next calls throw; `nil` for all.
    public func refuse(with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.refusals.append(ScriptedFailure(offset: 0, error: error, times: times))
        }
    }

    /// Forgets all holds, failures and refusals, and lets through the readers that are held.
    public func clearScript() {
        let gates = self.state.update { state in
            let gates = state.holds.map(\.gate) + state.answerGates
            state.holds = []
            state.answerGates = []
            state.failures = []
            state.refusals = []
            return gates
        }
        for gate in gates { gate.open() }
    }

    /// Replaces the present resource by another one.
    ///
    /// Demands for the old one are refused with `changed` from now on.
    ///
    /// - Parameters:
    ///   - resource: what is read from now on.
    ///   - running: what becomes of the readings that run.
    public func replace(with resource: ScriptedResource, running: RunningReadings = .goOn) {
        self.state.update { state in
            state.resource = resource
            if running == .fail { state.brokenOff = state.log.readings.count }
        }
    }

    /// Waits until a condition on the log holds.
    ///
    /// The condition is asked after every change, so that no state is missed, however short.
    ///
    /// - Throws: `CancellationError`.
    public func wait(until condition: @escaping @Sendable (Log) -> Bool) async throws {
        try await self.state.wait { condition($0.log) }
    }

    /// Waits until this many demands have come.
    ///
    /// - Throws: `CancellationError`.
    public func waitForReads(_ count: Int) async throws {
        try await self.wait { $0.demands.count >= count }
    }

    /// Waits until this many bytes have been handed out.
    ///
    /// - Throws: `CancellationError`.
    public func waitForBytes(_ count: Int64) async throws {
        try await self.wait { $0.byteCount >= count }
    }

    /// Waits until this many readings have been dropped before their end.
    ///
    /// - Throws: `CancellationError`.
    public func waitForDepartures(_ count: Int) async throws {
        try await self.wait { $0.readingCount(.left) >= count }
    }

    /// Waits until no reading runs.
    ///
    /// - Throws: `CancellationError`.
    public func waitUntilIdle() async throws {
        try await self.wait { $0.readingCount(.running) == 0 }
    }
}
