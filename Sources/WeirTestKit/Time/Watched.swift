// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value under a lock, with changes that can be awaited without polling and without sleeping.
///
/// Tests use it to wait for an event in another task or thread. Any thread records an event with
/// ``update(_:)``, and the test waits with ``wait(until:)``.
public final class Watched<Value: Sendable>: Sendable {
    private typealias Waiter = (
        id: UInt64, isDue: @Sendable (Value) -> Bool,
        continuation: CheckedContinuation<Void, any Error>
    )

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Starts with a value.
    public init(_ value: Value) {
        self.state = Mutex(State(value: value))
    }

    /// The current value.
    public var value: Value {
        self.state.withLock { $0.value }
    }

    /// Changes the value, then wakes every waiter whose condition has become true.
    ///
    /// The change runs under the lock: it must not touch this object again.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, due) = self.state.withLock { state in
            let result = change(&state.value)
            var due: [Waiter] = []
            state.waiters.removeAll { waiter in
                guard waiter.isDue(state.value) else { return false }
                due.append(waiter)
                return true
            }
            return (result, due.map(\.continuation))
        }
        for continuation in due { continuation.resume() }
        return result
    }

    /// Returns when a condition holds, at once if it already does.
    ///
    /// The condition is checked under the lock after every change, so no state is missed, however
    /// short.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled before the condition holds.
    public func wait(until isDue: @escaping @Sendable (Value) -> Bool) async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task is marked as cancelled before its handlers run. So either the handler
                // below finds this waiter, or this closure sees the mark.
                let outcome = self.state.withLock { state -> Result<Void, any Error>? in
                    if isDue(state.value) { return .success(()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append((id, isDue, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let left = self.state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            left?.resume(throwing: CancellationError())
        }
    }
}
