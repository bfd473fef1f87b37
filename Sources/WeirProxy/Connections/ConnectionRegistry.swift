// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Holds the connections of a proxy, gives out their slots, and counts the tasks that work for
/// them.
///
/// It reports when all connections and tasks have ended.
final class ConnectionRegistry: Sendable {
    typealias ConnectionID = ConnectionSlots.ConnectionID

    private struct Member {
        let connection: NIOLoopBound<ConnectionHandler>
        let record: ActivityRecord
    }

    private struct State {
        var slots: ConnectionSlots
        var members: [ConnectionID: Member] = [:]
        /// Connections that have arrived and not ended, including displaced ones.
        var open = 0
        var tasks = 0
        var arrivals: UInt64 = 0
        var isStopped = false
        var waiters: [CheckedContinuation<Bool, Never>] = []
        var departure: (@Sendable () -> Void)?

        var isEmpty: Bool { self.open == 0 && self.tasks == 0 }

        /// Looks up the activity of a client; a connection that is being set up counts as served.
        var activities: (ConnectionID) -> ClientActivity {
            let members = self.members
            return { members[$0]?.record.activity ?? .served }
        }
    }

    /// Whether accepting pauses, for connections on other event loops.
    let isAcceptingPaused = Atomic(false)

    private let state: Mutex<State>

    init(_ limits: ConnectionSlots.Limits) {
        self.state = Mutex(State(slots: ConnectionSlots(limits)))
    }

    // MARK: Coming and going

    /// A connection has been accepted; it counts until ``left(_:)``.
    ///
    /// - Returns: its claim of a slot; `nil` if the proxy has stopped, and the connection must be
    ///   closed.
    func enter(from address: ClientAddress, at now: NIODeadline) -> SlotClaim? {
        let (arrival, displaced) = self.state.withLock {
            state -> (ConnectionSlots.Arrival?, Member?) in
            if state.isStopped { return (nil, nil) }
            state.arrivals += 1
            state.open += 1
            let arrival = state.slots.arrived(from: address)
            return (arrival, arrival.displaced.flatMap { state.members[$0] })
        }
        displaced?.connection.perform { $0.displaced() }
        return arrival.map { SlotClaim($0, at: now) }
    }

    /// How many connections have arrived so far.
    var arrivalCount: UInt64 { self.state.withLock { $0.arrivals } }

    /// An accepted connection has been set up.
    ///
    /// - Returns: false if it must be closed: the proxy has stopped, or the connection has been
    ///   displaced already.
    func joined(
        _ connection: ConnectionHandler,
        _ claim: SlotClaim,
        on eventLoop: any EventLoop
    ) -> Bool {
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        let (id, member) = (claim.id, Member(connection: bound, record: claim.activity))
        return self.state.withLock { state in
            state.members[id] = member
            return !state.isStopped && state.slots.contains(id)
        }
    }

    /// A connection has ended.
    func left(_ id: ConnectionID) {
        let (next, departure) = self.change { state -> (Member?, (@Sendable () -> Void)?) in
            state.members[id] = nil
            state.open -= 1
            return (state.slots.left(id).flatMap { state.members[$0] }, state.departure)
        }
        next?.connection.perform { $0.slotGranted() }
        departure?()
    }

    /// Sets the closure to run after each connection's end, on that connection's event loop.
    func onDeparture(_ body: (@Sendable () -> Void)?) {
        self.state.withLock { $0.departure = body }
    }

    /// The current connections.
    var connections: [NIOLoopBound<ConnectionHandler>] {
        self.state.withLock { $0.members.values.map(\.connection) }
    }

    // MARK: Slots

    /// Finds a slot for a connection that has a request; frees a slot if necessary.
    ///
    /// A connection whose client takes no bytes is checked, on its own event loop, before it loses
    /// its slot. If that is not the caller's event loop, the check comes later. So it can help to
    /// ask again after a while.
    ///
    /// - Returns: whether the connection has a slot now.
    func findSlot(for asking: ConnectionID, at now: NIODeadline) -> Bool {
        while true {
            let (vacancy, member) = self.state.withLock {
                state -> (ConnectionSlots.Vacancy, Member?) in
                let vacancy = state.slots.asked(asking, at: now, activity: state.activities)
                switch vacancy {
                case .nowhere: return (vacancy, nil)
                case .free:
                    state.slots.granted(asking, displacing: nil)
                    return (vacancy, nil)
                case .idle(let id):
                    let member = state.members[id]
                    state.slots.granted(asking, displacing: id)
                    return (vacancy, member)
                case .stalled(let id):
                    return (vacancy, state.members[id])
                }
            }
            switch vacancy {
            case .nowhere: return false
            case .free: return true
            case .idle:
                member?.connection.perform { $0.displaced() }
                return true
            case .stalled(let id):
                guard let connection = member?.connection else { return false }
                guard connection.eventLoop.inEventLoop else {
                    self.displaceOnItsLoop(id, for: asking, connection)
                    return false
                }
                // A connection whose client has taken bytes is no candidate any more, so this loop
                // ends.
                guard connection.value.takesNothing(at: now) else { continue }
                self.state.withLock { $0.slots.granted(asking, displacing: id) }
                connection.value.displaced()
                return true
            }
        }
    }

    /// Checks a connection on its event loop, and gives its slot to another one if its client takes
    /// no bytes.
    private func displaceOnItsLoop(
        _ id: ConnectionID,
        for asking: ConnectionID,
        _ connection: NIOLoopBound<ConnectionHandler>
    ) {
        connection.eventLoop.execute {
            guard connection.value.takesNothing(at: .now()) else {
                // The checked connection is no candidate for a while: the asking connection looks
                // for another one now.
                let member = self.state.withLock { $0.members[asking] }
                member?.connection.perform { $0.lookForSlotNow() }
                return
            }
            let member = self.state.withLock { state -> Member? in
                guard state.slots.contains(id), state.slots.contains(asking),
                    !state.slots.hasSlot(asking)
                else { return nil }
                state.slots.granted(asking, displacing: id)
                return state.members[asking]
            }
            guard let member else { return }
            connection.value.displaced()
            member.connection.perform { $0.slotGranted() }
        }
    }

    /// Closes the connection whose end does the least harm, because the system has no descriptor
    /// left.
    ///
    /// - Returns: whether a connection is closed, now or in a moment.
    func shed(at now: NIODeadline) -> Bool {
        let member = self.state.withLock { state -> Member? in
            state.slots.shed(at: now, activity: state.activities).flatMap { state.members[$0] }
        }
        member?.connection.perform { $0.displaced() }
        return member != nil
    }

    /// The limit that keeps a client's connection without a slot.
    func limit(keepingOut client: ClientAddress) -> ProxyLimit {
        self.state.withLock { $0.slots.isFull(for: client) } ? .clientConnections : .connections
    }

    // MARK: Work

    /// A task that works for a connection has begun.
    func taskBegan() {
        self.state.withLock { $0.tasks += 1 }
    }

    /// A task has ended.
    func taskEnded() {
        self.change { $0.tasks -= 1 }
    }

    // MARK: The end

    /// Stops taking connections.
    ///
    /// - Returns: the current connections.
    func stop() -> [NIOLoopBound<ConnectionHandler>] {
        self.state.withLock { $0.isStopped = true }
        return self.connections
    }

    /// Waits until all connections and tasks have gone.
    ///
    /// - Returns: false if ``giveUp()`` came first.
    func emptied() async -> Bool {
        await withCheckedContinuation { continuation in
            let isEmpty = self.state.withLock { state in
                if !state.isEmpty { state.waiters.append(continuation) }
                return state.isEmpty
            }
            if isEmpty { continuation.resume(returning: true) }
        }
    }

    /// Resumes the callers of ``emptied()``.
    func giveUp() {
        let waiters = self.state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiters) = self.state.withLock { state in
            let result = body(&state)
            guard state.isEmpty else { return (result, [CheckedContinuation<Bool, Never>]()) }
            defer { state.waiters = [] }
            return (result, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: true) }
        return result
    }
}

extension NIOLoopBound {
    /// Runs a closure on the event loop: at once if the caller is on it.
    fileprivate func perform(_ body: @escaping @Sendable (Value) -> Void) {
        if self.eventLoop.inEventLoop {
            body(self.value)
        } else {
            self.eventLoop.execute { body(self.value) }
        }
    }
}
