// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A simulated time for tasks: when all of them sleep, the time jumps to the next deadline.
///
/// One thread runs the tasks in order. With a seed, the next of the ready tasks is drawn at random,
/// as on a busy machine with many threads.
///
/// A day passes in seconds, and the same program runs in the same way each time. This is true for
/// tasks that run on this executor and sleep on its ``clock``. These are the operation of
/// ``run(_:)``, its child tasks, and tasks that prefer this executor. A task that waits for another
/// thread, a file or a socket does not stop the time.
///
///     let time = VirtualTime()
///     try await time.run {
///         let player = Player(clock: time.clock, executor: time)
///         …
///         try await time.clock.sleep(for: .seconds(86_400))
///     }
public final class VirtualTime: TaskExecutor, Sendable {
    /// The virtual time, counted from its beginning.
    public struct Clock: _Concurrency.Clock, Sendable {
        /// A point in the virtual time, by its distance from the beginning.
        public typealias Instant = ManualClock.Instant

        fileprivate let world: VirtualTime

        /// The current time.
        public var now: Instant { self.world.now }
        /// Time moves in steps of any size.
        public var minimumResolution: Duration { .nanoseconds(1) }

        /// Sleeps until the time has reached a deadline.
        ///
        /// - Throws: `CancellationError`, at once, if the calling task is cancelled.
        public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
            try await self.world.sleep(until: deadline)
        }
    }

    private typealias Sleeper = (
        id: UInt64, deadline: Duration, continuation: CheckedContinuation<Void, any Error>
    )

    private struct State {
        var jobs: [UnownedJob] = []
        var firstJob = 0
        var order: SeededGenerator?
        var now: Duration = .zero
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0
        var isDone = false
    }

    private let state: Mutex<State>
    private let somethingToDo = DispatchSemaphore(value: 0)

    /// Starts at time zero.
    ///
    /// - Parameter seed: determines the order of ready tasks; `nil`: the order in which they became
    ///   ready.
    public init(seed: UInt64? = nil) {
        self.state = Mutex(State(order: seed.map { SeededGenerator(seed: $0) }))
    }

    /// The clock of this virtual time.
    public var clock: Clock { Clock(world: self) }

    /// Queues a job of a task; called by the concurrency runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.state.withLock { $0.jobs.append(job) }
        self.somethingToDo.signal()
    }

    /// Runs an operation in this virtual time, on a thread of its own, until it returns.
    ///
    /// - Parameter operation: the operation. Unstructured tasks that it leaves behind are suspended
    ///   from then on.
    /// - Returns: the operation's result.
    /// - Throws: the operation's error.
    public func run<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        self.state.withLock { $0.isDone = false }
        let thread = Thread { self.work() }
        thread.stackSize = 8 << 20
        thread.start()
        let task = Task(executorPreference: self) { try await operation() }
        let result = await task.result
        self.state.withLock { $0.isDone = true }
        self.somethingToDo.signal()
        return try result.get()
    }

    private enum Turn {
        case run(UnownedJob)
        case wake([CheckedContinuation<Void, any Error>])
        case wait
        case end
    }

    /// Runs all ready jobs, and moves the time when there is no job.
    private func work() {
        while true {
            switch self.turn() {
            case .run(let job): job.runSynchronously(on: self.asUnownedTaskExecutor())
            case .wake(let continuations):
                for continuation in continuations { continuation.resume() }
            case .wait: self.somethingToDo.wait()
            case .end: return
            }
        }
    }

    private func turn() -> Turn {
        self.state.withLock { state in
            if state.firstJob < state.jobs.count {
                if let drawn = state.order?.next() {
                    let ahead = Int(drawn % UInt64(state.jobs.count - state.firstJob))
                    state.jobs.swapAt(state.firstJob, state.firstJob + ahead)
                }
                let job = state.jobs[state.firstJob]
                state.firstJob += 1
                if state.firstJob == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.firstJob = 0
                }
                return .run(job)
            }
            if state.isDone { return .end }
            guard let next = state.sleepers.map(\.deadline).min() else { return .wait }
            state.now = max(state.now, next)
            // Wakes the tasks in the order in which they went to sleep, which is always the same.
            let due = state.sleepers.filter { $0.deadline <= next }
            state.sleepers.removeAll { $0.deadline <= next }
            return .wake(due.map(\.continuation))
        }
    }

    private var now: Clock.Instant { Clock.Instant(offset: self.state.withLock { $0.now }) }

    private func sleep(until deadline: Clock.Instant) async throws {
        try Task.checkCancellation()
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task is marked as cancelled before its handlers run. So either the handler
                // below finds this sleeper, or this closure sees the mark.
                let outcome = self.state.withLock { state -> Result<Void, any Error>? in
                    if deadline.offset <= state.now { return .success(()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.sleepers.append((id, deadline.offset, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let left = self.state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.sleepers.remove(at: index).continuation
            }
            left?.resume(throwing: CancellationError())
        }
    }
}
