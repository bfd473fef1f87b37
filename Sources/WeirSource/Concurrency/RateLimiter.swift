// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits all its users together to a rate of bytes or requests, in the order that ``TurnQueue``
/// decides.
///
/// Unused time is not saved: after a pause the rate is the same as before.
package final class RateLimiter: Sendable {
    /// A turn that was requested and not yet granted.
    package struct Wait: Sendable {
        fileprivate let turn: TurnQueue.Turn
        fileprivate let units: Int64
    }

    private struct State {
        var queue: TurnQueue
        var waiters: [TurnQueue.Turn: CheckedContinuation<Void, any Error>] = [:]
        /// Turns that were granted before their tasks began to wait.
        var early: Set<TurnQueue.Turn> = []
        /// The task that waits for the next deadline, and the deadline.
        var alarm: (task: Task<Void, Never>, time: Duration)?
    }

    /// The rate, in units a second.
    package let unitsPerSecond: Int64

    /// The number of bytes in a turn: the bytes of a tenth of a second, at least 16 KiB.
    ///
    /// A connection may deliver more bytes at once. Without smaller pieces, another reader that
    /// waits for its first byte would wait until all of them are paid for.
    package var pieceSize: Int64 { max(16 << 10, self.unitsPerSecond / 10) }

    private let timeline: Timeline
    private let state: Mutex<State>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - unitsPerSecond: 1 or more; a lower value means 1.
    ///   - clock: measures the time and sleeps.
    package init(unitsPerSecond: Int64, clock: any Clock<Duration> = ContinuousClock()) {
        self.unitsPerSecond = max(1, unitsPerSecond)
        self.timeline = Timeline(clock)
        self.state = Mutex(State(queue: TurnQueue(TurnQueue.Rates(all: self.unitsPerSecond))))
    }

    deinit {
        self.state.withLock { $0.alarm }?.task.cancel()
    }

    /// How many tasks wait for turns.
    package var waitingCount: Int { self.state.withLock { $0.waiters.count } }

    /// Waits for a turn, and takes it.
    ///
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled; the call then
    ///   costs nothing.
    package func take(_ units: Int) async throws {
        try Task.checkCancellation()
        guard let wait = self.ask(for: units, line: 0) else { return }
        try await self.wait(for: wait)
    }

    /// Requests a turn for the client of the current task.
    ///
    /// - Parameters:
    ///   - units: the cost of the turn.
    ///   - line: the line within the client; the client's lines take turns.
    /// - Returns: `nil` if the turn was granted; otherwise a value to pass to ``wait(for:)``, once.
    package func ask(for units: Int, line: UInt64) -> Wait? {
        let client = ClientRequest.current?.client ?? .program
        let now = self.timeline.elapsed()
        let units = Int64(max(0, units))
        let (turn, waiters, isGranted) = self.state.withLock { state in
            let turn = state.queue.asked(for: units, by: client, line: line, at: now)
            let waiters = self.grant(&state, at: now)
            return (turn, waiters, state.early.remove(turn) != nil)
        }
        for waiter in waiters { waiter.resume() }
        return isGranted ? nil : Wait(turn: turn, units: units)
    }

    /// Waits until a turn has come.
    ///
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled; the call then
    ///   costs nothing.
    package func wait(for wait: Wait) async throws {
        let turn = wait.turn
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isThere = self.state.withLock { state in
                    // The task is marked as cancelled before its handlers run: either the handler
                    // below finds the continuation, or this line sees the mark.
                    if Task.isCancelled || state.early.remove(turn) != nil { return true }
                    state.waiters[turn] = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.waiters.removeValue(forKey: turn) }
            waiter?.resume()
        }
        guard Task.isCancelled else { return }
        self.giveUp(wait)
        throw CancellationError()
    }

    /// Removes a turn from the queue, or returns its units if it was granted.
    private func giveUp(_ wait: Wait) {
        let now = self.timeline.elapsed()
        let waiters = self.state.withLock { state in
            state.early.remove(wait.turn)
            if !state.queue.left(wait.turn) {
                state.queue.returned(wait.units, of: wait.turn, at: now)
            }
            return self.grant(&state, at: now)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Grants all turns that can be granted, and sets the alarm for the next deadline.
    ///
    /// - Returns: the tasks to resume, outside the lock.
    private func grant(
        _ state: inout State,
        at now: Duration
    ) -> [CheckedContinuation<Void, any Error>] {
        var waiters: [CheckedContinuation<Void, any Error>] = []
        for turn in state.queue.grants(at: now) {
            if let waiter = state.waiters.removeValue(forKey: turn) {
                waiters.append(waiter)
            } else {
                state.early.insert(turn)
            }
        }
        guard let deadline = state.queue.deadline else { return waiters }
        if let alarm = state.alarm {
            guard deadline < alarm.time else { return waiters }
            alarm.task.cancel()
        }
        // Owned by the limiter, which cancels it; ends with the deadline.
        let task = Task { [weak self, timeline] in
            guard (try? await timeline.sleep(deadline - now)) != nil else { return }
            self?.alarmWentOff(deadline)
        }
        state.alarm = (task, deadline)
        return waiters
    }

    private func alarmWentOff(_ deadline: Duration) {
        let now = self.timeline.elapsed()
        let waiters = self.state.withLock { state in
            if state.alarm?.time == deadline { state.alarm = nil }
            return self.grant(&state, at: now)
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension RateLimiter: CustomStringConvertible {
    /// The rate.
    package var description: String { "\(self.unitsPerSecond) bytes/s" }
}
