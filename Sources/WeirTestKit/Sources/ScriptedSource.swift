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
            return .success(state.resource.description)
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
        try resource.description.check(demand.pin)
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
            description: resource.description,
            lowerBound: range.lowerBound,
            upperBound: resource.isLengthKnown ? range.upperBound : nil,
            producer: ScriptedProducer(self, resource, index: index)
        )
    }

    private func passAnswerGates() async throws {
        for gate in self.state.value.answerGates { try await gate.wait() }
    }
}
