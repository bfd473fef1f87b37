// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

/// A source that follows a test's script, and records the calls to it.
///
/// Without a script it answers at once and correctly. The script may make answers wait or fail
/// (``holdAnswers()``, ``refuse(with:times:)``). It may make readings stop before an offset until a
/// gate opens (``hold(before:)``), or throw there (``fail(at:with:times:)``). It may replace the
/// resource (``replace(with:running:)``). ``log`` records all events; ``waitForReads(_:)`` and
/// similar functions wait for them without polling. The source hands out bytes only when a consumer
/// pulls. It may be used from any number of tasks.
public final class ScriptedSource: ByteSource {
    /// The effect of a change of the resource on running readings.
    public enum RunningReadings: Sendable {
        /// They continue with the bytes that they began with.
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
        /// Readings with a lower index read a resource that was replaced, and their next chunk is
        /// an error.
        var brokenOff = 0
    }

    let state: Watched<State>
    let chunkSize: Int64

    /// Makes a source of a resource.
    ///
    /// - Parameters:
    ///   - resource: the resource to read until it is replaced.
    ///   - chunkSize: the most bytes of a chunk. Chunks also end where the script has a hold or a
    ///     failure.
    public init(_ resource: ScriptedResource, chunkSize: Int = 16_384) {
        precondition(chunkSize > 0, "a chunk is never empty")
        self.state = Watched(State(resource: resource))
        self.chunkSize = Int64(chunkSize)
    }

    /// Makes a source of a pattern.
    public convenience init(length: Int64, seed: UInt64 = 1, chunkSize: Int = 16_384) {
        self.init(ScriptedResource(length: length, seed: seed), chunkSize: chunkSize)
    }

    /// The current resource.
    public var resource: ScriptedResource { self.state.value.resource }

    /// The record of all events so far.
    public var log: Log { self.state.value.log }

    /// Returns the description of the current resource.
    public func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        self.state.update { $0.log.descriptionCount += 1 }
        try await self.passAnswerGates()
        return try self.state.update { state -> Result<ResourceDescription, any Error> in
            if let error = state.refusals.takeFirst() { return .failure(error) }
            return .success(state.resource.resourceDescription)
        }.get()
    }

    /// Starts to read the current resource.
    ///
    /// - Throws: the errors of the script; `SourceError` with `rangeNotSatisfiable` or `changed`;
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
    /// The calls to a scripted source, and its work, up to one moment.
    public struct Log: Sendable {
        /// The demands that ``ScriptedSource/read(_:)`` was called with, in order, refused ones
        /// too.
        public internal(set) var demands: [ReadDemand] = []
        /// The readings that were started, in order.
        public internal(set) var readings: [ScriptedReading] = []
        /// How often ``ScriptedSource/describe()`` was called.
        public internal(set) var descriptionCount = 0
        /// The largest number of readings that ran at the same time.
        public internal(set) var mostRunningReadings = 0
        /// How many chunks were handed out.
        public internal(set) var chunkCount = 0

        /// How many bytes were handed out by all readings together.
        public var byteCount: Int64 {
            self.readings.reduce(0) { $0 + Int64($1.handedOut.count) }
        }

        /// The bytes that were handed out, by any reading of any generation.
        public var handedOut: RangeSet<Int64> {
            self.readings.reduce(into: RangeSet<Int64>()) { $0.insert(contentsOf: $1.handedOut) }
        }

        /// How many bytes were handed out again.
        public var repeatedByteCount: Int64 { self.byteCount - self.handedOut.byteCount }

        /// How many readings are in a state.
        public func readingCount(_ state: ScriptedReading.State) -> Int {
            self.readings.count { $0.state == state }
        }
    }

    /// Makes every reading that gets to an offset stop before it until the gate opens.
    ///
    /// A reading that starts behind the offset, or ends there, is not held. A test waits with
    /// ``Gate/waitForWaiters(_:)`` until a reader is held.
    ///
    /// - Returns: the gate, closed.
    public func hold(before offset: Int64) -> Gate {
        let gate = Gate()
        self.hold(before: offset, until: gate)
        return gate
    }

    /// Makes every reading that gets to an offset stop before it until a gate opens.
    public func hold(before offset: Int64, until gate: Gate) {
        self.state.update { $0.holds.append((offset, gate)) }
    }

    /// Makes every later ``describe()`` and ``read(_:)`` wait until the gate opens.
    ///
    /// - Returns: the gate, closed.
    public func holdAnswers() -> Gate {
        let gate = Gate()
        self.state.update { $0.answerGates.append(gate) }
        return gate
    }

    /// Makes readings that get to an offset throw instead of yielding the byte there.
    ///
    /// - Parameters:
    ///   - offset: the first byte that is not yielded. A reading that ends there does not fail.
    ///   - error: the error to throw.
    ///   - times: how many readings fail; `nil` for all.
    public func fail(at offset: Int64, with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.failures.append(ScriptedFailure(offset: offset, error: error, times: times))
        }
    }

    /// Makes ``describe()`` and ``read(_:)`` throw instead of answering.
    ///
    /// - Parameters:
    ///   - error: the error to throw.
    ///   - times: how many of the next calls throw; `nil` for all.
    public func refuse(with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.refusals.append(ScriptedFailure(offset: 0, error: error, times: times))
        }
    }

    /// Removes all holds, failures and refusals, and releases the held readers.
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

    /// Replaces the current resource by another one.
    ///
    /// From now on, demands for the old resource are refused with `changed`.
    ///
    /// - Parameters:
    ///   - resource: the new resource.
    ///   - running: the effect on running readings.
    public func replace(with resource: ScriptedResource, running: RunningReadings = .goOn) {
        self.state.update { state in
            state.resource = resource
            if running == .fail { state.brokenOff = state.log.readings.count }
        }
    }

    /// Waits until a condition on the log holds.
    ///
    /// The condition is checked after every change, so that no state is missed, however short.
    ///
    /// - Throws: `CancellationError`.
    public func wait(until condition: @escaping @Sendable (Log) -> Bool) async throws {
        try await self.state.wait { condition($0.log) }
    }

    /// Waits until there have been this many demands.
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
