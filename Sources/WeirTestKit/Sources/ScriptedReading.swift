// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The record of one reading of a ``ScriptedSource``.
public struct ScriptedReading: Sendable, Equatable {
    /// The state of a reading.
    public enum State: Sendable, Equatable {
        /// It may continue.
        case running
        /// All bytes of its range were handed out, and its reader has seen the end.
        case finished
        /// It has thrown an error of the script.
        case failed
        /// Its reader dropped it before its end.
        case left
    }

    /// The demand of the reader.
    public let demand: ReadDemand
    /// The range of the demand within the resource.
    public let range: Range<Int64>
    /// The end of the bytes that were handed out, which begin at the start of the range.
    public internal(set) var position: Int64
    /// The state of the reading.
    public internal(set) var state = State.running

    /// The bytes that were handed out.
    public var handedOut: Range<Int64> { self.range.lowerBound..<self.position }
}

/// Yields the chunks of one reading of a ``ScriptedSource``, as far as the script allows.
final class ScriptedProducer: ChunkProducer {
    private enum Step: Sendable {
        case chunk(Range<Int64>)
        case wait(Gate)
        case failure(any Error)
        case end
    }

    private let source: ScriptedSource
    private let resource: ScriptedResource
    private let index: Int

    init(_ source: ScriptedSource, _ resource: ScriptedResource, index: Int) {
        self.source = source
        self.resource = resource
        self.index = index
    }

    func next() async throws -> ByteChunk? {
        while true {
            try Task.checkCancellation()
            switch self.source.state.update(self.step) {
            case .chunk(let range):
                return ByteChunk(
                    at: range.lowerBound,
                    memory: ByteMemory(self.resource.bytes(in: range))
                )
            case .wait(let gate): try await gate.wait()
            case .failure(let error): throw error
            case .end: return nil
            }
        }
    }

    func cancel() {
        self.source.state.update { state in
            guard state.log.readings[self.index].state == .running else { return }
            state.log.readings[self.index].state = .left
        }
    }

    private func step(_ state: inout ScriptedSource.State) -> Step {
        let reading = state.log.readings[self.index]
        guard reading.state == .running else { return .end }
        let offset = reading.position
        if self.index < state.brokenOff {
            state.log.readings[self.index].state = .failed
            return .failure(
                SourceError(.changed, "The resource was replaced while it was read; start again.")
            )
        }
        guard offset < reading.range.upperBound else {
            state.log.readings[self.index].state = .finished
            return .end
        }
        let holds = state.holds.filter { !$0.gate.isOpen }
        if let hold = holds.first(where: { $0.offset == offset }) { return .wait(hold.gate) }
        if let error = state.failures.takeFirst(where: { $0.offset == offset }) {
            state.log.readings[self.index].state = .failed
            return .failure(error)
        }
        let failures = state.failures.filter { $0.times != 0 }.map(\.offset)
        let stops = (holds.map(\.offset) + failures).filter { $0 > offset }
        let limit = min(reading.range.upperBound, stops.min() ?? .max)
        let end = offset + min(self.source.chunkSize, limit - offset)
        state.log.readings[self.index].position = end
        state.log.chunkCount += 1
        return .chunk(offset..<end)
    }
}

/// An error that a script throws, at an offset or instead of an answer, a number of times.
struct ScriptedFailure: Sendable {
    let offset: Int64
    let error: any Error
    /// How many more times it is thrown; `nil` for always.
    var times: Int?
}

extension [ScriptedFailure] {
    /// The error that is due; counts it as thrown.
    mutating func takeFirst(where isDue: (ScriptedFailure) -> Bool = { _ in true }) -> (any Error)?
    {
        guard let index = self.firstIndex(where: { $0.times != 0 && isDue($0) }) else { return nil }
        if let times = self[index].times { self[index].times = times - 1 }
        return self[index].error
    }
}
