// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirSource

/// Limits the rate of sending: to each client, over all of its connections, and to all clients
/// together.
///
/// A connection asks for each turn before it sends; ``TurnQueue`` decides when the turn comes.
final class SendingPace: Sendable {
    private struct State {
        var queue: TurnQueue
        /// The connections that wait, each by its turn.
        var waiters: [TurnQueue.Turn: Waiter] = [:]
        /// When the queue is checked again.
        var alarm: Duration?
    }

    private struct Waiter {
        let eventLoop: any EventLoop
        let goOn: @Sendable () -> Void
    }

    /// The smallest turn.
    ///
    /// No response that is sent in one piece is longer.
    static let leastTurn = ResidentPiece.copySize

    /// The size of a turn: 64 KiB, or the bytes of a hundredth of a second if these are more.
    let turnSize: Int64

    private let timeline: Timeline
    private let state: Mutex<State>

    /// `nil` without a limit.
    init?(_ limits: SendingLimits, clock: any Clock<Duration> = ContinuousClock()) {
        guard limits.client != nil || limits.all != nil else { return nil }
        let rates = TurnQueue.Rates(all: limits.all, client: limits.client)
        self.turnSize = max(Self.leastTurn, min(rates.all ?? .max, rates.client ?? .max) / 100)
        self.timeline = Timeline(clock)
        self.state = Mutex(State(queue: TurnQueue(rates)))
    }

    /// The number of known clients.
    var clientCount: Int { self.state.withLock { $0.queue.clientCount } }

    /// A connection asks for a turn.
    ///
    /// - Parameters:
    ///   - bytes: how many bytes it wants to send, no more than a turn.
    ///   - client: the client that it sends to.
    ///   - connection: the connection, which waits for no other turn.
    ///   - eventLoop: the connection's event loop.
    ///   - goOn: called on that event loop if the turn comes later than now, unless ``left(_:)`` is
    ///     called first.
    /// - Returns: the turn, and the limit that it has to wait for; `nil` if the turn has come.
    func ask(
        for bytes: Int64,
        by client: ClientID,
        on connection: ConnectionSlots.ConnectionID,
        _ eventLoop: any EventLoop,
        goOn: @escaping @Sendable () -> Void
    ) -> (turn: TurnQueue.Turn, limit: ProxyLimit?) {
        let now = self.timeline.elapsed()
        let (turn, limit, waiters) = self.state.withLock { state in
            // Checked before the connection asks, since the new turn must not count.
            let isOverOwn = state.queue.isOverItsRate(client, at: now)
            let turn = state.queue.asked(
                for: bytes,
                by: client,
                line: connection.rawValue,
                at: now
            )
            var granted = state.queue.grants(at: now)
            let limit: ProxyLimit?
            if let index = granted.firstIndex(of: turn) {
                granted.remove(at: index)
                limit = nil
            } else {
                state.waiters[turn] = Waiter(eventLoop: eventLoop, goOn: goOn)
                limit = isOverOwn ? .clientRate : .rate
            }
            self.setAlarm(&state, at: now, on: eventLoop)
            return (turn, limit, granted.compactMap { state.waiters.removeValue(forKey: $0) })
        }
        for waiter in waiters { waiter.eventLoop.execute(waiter.goOn) }
        return (turn, limit)
    }

    /// A connection no longer wants a turn that it waits for; the turn costs nothing.
    ///
    /// - Returns: false if the turn has come: the connection's callback runs in a moment, and must
    ///   return the turn.
    func left(_ turn: TurnQueue.Turn) -> Bool {
        self.state.withLock { state in
            guard state.waiters.removeValue(forKey: turn) != nil else { return false }
            state.queue.left(turn)
            return true
        }
    }

    /// A connection returns the unused bytes of a turn.
    func returned(_ bytes: Int64, of turn: TurnQueue.Turn, on eventLoop: any EventLoop) {
        let now = self.timeline.elapsed()
        self.state.withLock { state in
            state.queue.returned(bytes, of: turn, at: now)
            self.setAlarm(&state, at: now, on: eventLoop)
        }
    }

    /// Schedules a check of the queue for the time when a turn may be granted; an earlier alarm
    /// suffices.
    private func setAlarm(_ state: inout State, at now: Duration, on eventLoop: any EventLoop) {
        guard let deadline = state.queue.deadline else { return }
        // An overdue alarm may belong to an event loop that is busy or has ended.
        if let alarm = state.alarm, alarm <= deadline, alarm > now { return }
        state.alarm = deadline
        eventLoop.scheduleTask(in: TimeAmount(max(.zero, deadline - now))) {
            self.alarmWentOff(deadline, on: eventLoop)
        }
    }

    private func alarmWentOff(_ alarm: Duration, on eventLoop: any EventLoop) {
        let now = self.timeline.elapsed()
        let waiters = self.state.withLock { state in
            if state.alarm == alarm { state.alarm = nil }
            let granted = state.queue.grants(at: now)
            self.setAlarm(&state, at: now, on: eventLoop)
            return granted.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.eventLoop.execute(waiter.goOn) }
    }
}

/// The rates of sending to clients, in bytes a second; `nil` for no limit.
package struct SendingLimits: Hashable, Sendable {
    /// The rate of one client.
    package var client: Int64?
    /// The rate of all clients together.
    package var all: Int64?

    package init(client: Int64? = nil, all: Int64? = nil) {
        self.client = client
        self.all = all
    }
}
