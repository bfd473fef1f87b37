// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A task whose result a caller can read without waiting, or await together with another task.
///
/// Releasing the last reference cancels the task.
final class Pending<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var observers: [@Sendable () -> Void] = []
    }

    private final class Outcome: Sendable {
        let state = Mutex(State())

        func settle(_ result: Result<Value, any Error>) {
            let observers = self.state.withLock { state in
                state.result = result
                defer { state.observers = [] }
                return state.observers
            }
            for observer in observers { observer() }
        }
    }

    private let outcome = Outcome()
    private let executor: (any TaskExecutor)?
    private let task: Task<Void, Never>

    /// Starts the task.
    ///
    /// - Parameters:
    ///   - executor: runs the task; `nil` for the default executor.
    ///   - operation: the work.
    init(
        on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        self.executor = executor
        // This object owns the task, and cancels it in `deinit`.
        self.task = Task(executorPreference: executor) { [outcome] in
            do {
                outcome.settle(.success(try await operation()))
            } catch {
                outcome.settle(.failure(error))
            }
        }
    }

    deinit { self.task.cancel() }

    /// The result; `nil` until the task has ended.
    var result: Result<Value, any Error>? { self.outcome.state.withLock { $0.result } }

    /// Cancels the task.
    func cancel() { self.task.cancel() }

    /// Calls the observer when there is a result: at once if there is one already.
    fileprivate func whenDone(_ observer: @escaping @Sendable () -> Void) {
        let isDone = self.outcome.state.withLock { state in
            if state.result == nil { state.observers.append(observer) }
            return state.result != nil
        }
        if isDone { observer() }
    }

    /// Waits for this task or another one, for a limited time.
    ///
    /// - Throws: `CancellationError`, but no error of the tasks.
    func wait<Other: Sendable>(
        or other: Pending<Other>?,
        for time: Duration? = nil,
        on timeline: Timeline
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        self.whenDone { continuation.yield() }
        other?.whenDone { continuation.yield() }
        // This call owns the timer, and cancels it when it returns.
        let timer = time.map { time in
            Task(executorPreference: self.executor) {
                try? await timeline.sleep(time)
                continuation.yield()
            }
        }
        defer { timer?.cancel() }
        var iterator = events.makeAsyncIterator()
        await iterator.next()
        try Task.checkCancellation()
    }

    /// Waits for the result.
    ///
    /// - Throws: `CancellationError`, or the error of the task.
    func value(on timeline: Timeline) async throws -> Value {
        while true {
            if let result { return try result.get() }
            try await self.wait(or: nil as Pending<Value>?, on: timeline)
        }
    }
}
