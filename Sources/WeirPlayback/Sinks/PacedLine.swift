// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The waiting that belongs to a ``SinkPace``: one task writes and drains, any thread pauses, resumes and discards.
///
/// It sleeps on its clock and waits on a continuation, in the task that called and a child of it, so that all of it
/// runs on the executor of the caller.
final class PacedLine: Sendable {
    private struct State {
        var pace: SinkPace
        /// Counts what was dropped: a call that waits returns when this is no more what it was.
        var era: UInt64 = 0
        /// Counts the changes that a waiting task has to look at.
        var changes: UInt64 = 0
        /// The task that waits; more than one only while a cancelled one leaves.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let timeline: Timeline
    private let state: Mutex<State>

    init(capacity: Duration, clock: any Clock<Duration>) {
        self.timeline = Timeline(clock)
        self.state = Mutex(State(pace: SinkPace(capacity: capacity)))
    }

    var delay: Duration {
        let now = self.timeline.elapsed()
        return self.state.withLock { $0.pace.delay(at: now) }
    }

    /// Takes sound when it finds room, and returns when as much would find room again, or when it was dropped.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func write(_ length: Duration) async throws {
        let era = self.state.withLock { $0.era }
        try await self.wait(in: era) { $0.waitForRoom(length, at: $1) }
        let now = self.timeline.elapsed()
        let isTaken = self.state.withLock { state in
            guard state.era == era else { return false }
            state.pace.take(length, at: now)
            return true
        }
        guard isTaken else { return }
        try await self.wait(in: era) { $0.waitForRoom(length, at: $1) }
    }

    /// Returns when all was heard or dropped.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func drain() async throws {
        let era = self.state.withLock { $0.era }
        try await self.wait(in: era) { $0.wait(untilLeft: .zero, at: $1) }
    }

    func pause() {
        let now = self.timeline.elapsed()
        self.change { $0.pace.pause(at: now) }
    }

    func resume() {
        let now = self.timeline.elapsed()
        self.change { $0.pace.resume(at: now) }
    }

    func discard() {
        self.change { state in
            state.pace.discard()
            state.era += 1
        }
    }

    /// Drops everything, and holds nothing any more.
    func close() {
        let now = self.timeline.elapsed()
        self.change { state in
            state.pace.discard()
            state.pace.resume(at: now)
            state.era += 1
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = self.state.withLock { state in
            body(&state)
            state.changes += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func wait(
        in era: UInt64,
        for condition: (SinkPace, Duration) -> SinkPace.Wait
    ) async throws {
        while true {
            try Task.checkCancellation()
            let now = self.timeline.elapsed()
            let (wait, changes) = self.state.withLock { state in
                (state.era == era ? condition(state.pace, now) : .none, state.changes)
            }
            switch wait {
            case .none: return
            case .untilChanged: await self.waitForChange(after: changes)
            case .sleep(let time): await self.sleep(time, orChangeAfter: changes)
            }
        }
    }

    /// Returns after a time, or as soon as there is a change or the task is cancelled.
    private func sleep(_ time: Duration, orChangeAfter changes: UInt64) async {
        await withTaskGroup { group in
            group.addTask {
                // A sleep that was cancelled has nobody to wake: who cancels has woken already.
                guard (try? await self.timeline.sleep(time)) != nil else { return }
                self.change { _ in }
            }
            await self.waitForChange(after: changes)
            group.cancelAll()
        }
    }

    /// Returns as soon as there was a change or the task is cancelled.
    private func waitForChange(after changes: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The task is marked as cancelled before its handlers run: either the handler below finds this
                // continuation, or this sees the mark.
                let isDue = self.state.withLock { state in
                    if Task.isCancelled || state.changes != changes { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            self.change { _ in }
        }
    }
}
