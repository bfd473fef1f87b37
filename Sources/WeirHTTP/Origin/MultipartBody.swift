// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The one part of a `multipart/byteranges` body, as a separate body.
final class MultipartBody: HTTPBody {
    private let body: any HTTPBody
    /// The machine, and the bytes that arrived in one piece with the part's head.
    private let state: Mutex<(machine: MultipartMachine, first: ByteMemory?)>

    init(_ body: any HTTPBody, boundary: String) {
        self.body = body
        self.state = Mutex((MultipartMachine(boundary: boundary), nil))
    }

    /// Reads up to the end of the part's head.
    ///
    /// - Throws: ``HTTPTransportError``, with `malformed` when there is no part; `CancellationError`.
    func readHead() async throws -> HTTPHeaderList {
        while let memory = try await self.body.next() {
            switch self.state.withLock({ $0.machine.received(memory) }) {
            case .head(let headers): return headers
            case .nothing, .bytes: continue
            case .broken(let what): throw HTTPTransportError(.malformed, what)
            }
        }
        throw HTTPTransportError(.connectionLost, "the body ended within the head of its part")
    }

    /// Starts the part after its head was accepted.
    func begin(partLength: Int64) {
        self.state.withLock { state in
            if case .bytes(let memory) = state.machine.begin(partLength: partLength) {
                state.first = memory
            }
        }
    }

    func next() async throws -> ByteMemory? {
        if let first = self.state.withLock({ $0.first.take() }) { return first }
        while true {
            let (isComplete, needsTail) = self.state.withLock {
                ($0.machine.isComplete, $0.machine.needsTail)
            }
            if isComplete, !needsTail { break }
            let memory: ByteMemory?
            do {
                memory = try await self.body.next()
            } catch let error as HTTPTransportError {
                // All bytes of the part have arrived; a failure behind them does not matter.
                guard isComplete else { throw error }
                return nil
            }
            guard let memory else { return nil }
            switch self.state.withLock({ $0.machine.received(memory) }) {
            case .bytes(let bytes): return bytes
            case .nothing, .head: continue
            case .broken(let what): throw HTTPTransportError(.malformed, what)
            }
        }
        if self.state.withLock({ $0.machine.hasMoreParts }) {
            throw HTTPTransportError(.malformed, "several parts instead of one")
        }
        return nil
    }

    func cancel() {
        self.body.cancel()
    }
}
