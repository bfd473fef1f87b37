// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource
import WeirTestKit

/// A body that follows a test's steps.
final class ScriptedBody: HTTPBody {
    enum Step: Sendable {
        case bytes([UInt8])
        case fail(HTTPTransportError)
        /// No more bytes come until the consumer leaves.
        case stall
        /// No more bytes come until the gate opens.
        case hold(Gate)
    }

    struct State: Sendable {
        var steps: [Step]
        var pullCount = 0
        var handedOut = 0
        var isCancelled = false
        /// Whether a consumer waits for bytes that never come.
        var isStalling = false
        var hasEnded = false
    }

    let state: Watched<State>

    init(_ steps: [Step]) {
        self.state = Watched(State(steps: steps))
    }

    func next() async throws -> ByteMemory? {
        self.state.update { $0.pullCount += 1 }
        return try await withTaskCancellationHandler {
            while true {
                let (isCancelled, step) = self.state.update { state -> (Bool, Step?) in
                    if state.isCancelled || state.steps.isEmpty { return (state.isCancelled, nil) }
                    return (false, state.steps.removeFirst())
                }
                if isCancelled { throw CancellationError() }
                switch step {
                case nil:
                    self.state.update { $0.hasEnded = true }
                    return nil
                case .bytes(let bytes):
                    self.state.update { $0.handedOut += bytes.count }
                    return ByteMemory(bytes)
                case .fail(let error):
                    throw error
                case .stall:
                    self.state.update { $0.isStalling = true }
                    try await self.state.wait { $0.isCancelled }
                    throw CancellationError()
                case .hold(let gate):
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        defer { group.cancelAll() }
                        group.addTask { try await gate.wait() }
                        group.addTask { try await self.state.wait { $0.isCancelled } }
                        try await group.next()
                    }
                }
            }
        } onCancel: {
            self.cancel()
        }
    }

    func cancel() {
        self.state.update { $0.isCancelled = true }
    }
}
