// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Performs the decisions of ``HostSlots``, and suspends waiting requests.
final class HostQueue: Sendable {
    private struct State {
        var machine: HostSlots
        var waiters: [HostSlots.ID: CheckedContinuation<Void, any Error>] = [:]
        /// The results of requests that were granted or refused before they suspended.
        var early: [HostSlots.ID: Result<Void, HTTPTransportError>] = [:]
        /// Closures that ask a holder for its slot, and return whether the holder gives it back.
        var askers: [HostSlots.ID: @Sendable (_ isInUse: Bool) -> Bool] = [:]
        /// The task that waits for the next deadline, and the deadline.
        var alarm: (task: Task<Void, Never>, time: Duration)?
    }

    let limits: HostSlots.Limits
    private let timeline: Timeline
    private let state: Mutex<State>

    init(_ limits: HostSlots.Limits, clock: any Clock<Duration>) {
        self.limits = limits
        self.timeline = Timeline(clock)
        self.state = Mutex(State(machine: HostSlots(limits)))
    }

    deinit {
        self.state.withLock { $0.alarm }?.task.cancel()
    }

    /// Waits for a slot.
    ///
    /// - Parameters:
    ///   - host: the host of the connection.
    ///   - whenQueued: called if no slot is free at once.
    /// - Returns: the slot, which is given back when its last reference ends.
    /// - Throws: ``HTTPTransportError`` with `busy` when too many requests wait;
    ///   `CancellationError`.
    func slot(at host: String, whenQueued: () -> Void) async throws -> ConnectionSlot {
        let now = self.timeline.elapsed()
        let client = ClientRequest.current?.client ?? .program
        let (id, effects) = self.state.withLock { state in
            let (id, effects) = state.machine.requested(host, by: client, at: now)
            // Granted or refused at once, before the request suspends.
            for effect in effects {
                switch effect {
                case .grant(id): state.early[id] = .success(())
                case .refuse(id): state.early[id] = .failure(Self.isFull(self.limits))
                default: break
                }
            }
            return (id, effects)
        }
        self.perform(effects, except: id, at: now)
        if self.state.withLock({ $0.early[id] }) == nil { whenQueued() }
        let slot = ConnectionSlot(id, self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = self.state.withLock { state -> Result<Void, any Error>? in
                    if let early = state.early.removeValue(forKey: id) {
                        return early.mapError { $0 as any Error }
                    }
                    // The task is marked as cancelled before its handlers run. So either the
                    // handler below finds this waiter, or this check sees the mark.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?
                .resume(throwing: CancellationError())
        }
        return slot
    }

    /// How many requests wait for a slot, over all hosts.
    var waitingCount: Int { self.state.withLock { $0.machine.waitingCount } }

    // MARK: Events of holders

    /// Gives a slot back, or ends the wait for it.
    func release(_ id: HostSlots.ID) {
        self.change { state, now in
            state.askers.removeValue(forKey: id)
            state.early.removeValue(forKey: id)
            return state.machine.released(id, at: now)
        }
    }

    func yields(_ id: HostSlots.ID, asker: @escaping @Sendable (_ isInUse: Bool) -> Bool) {
        self.change { state, _ in
            state.askers[id] = asker
            state.machine.yields(id)
            return []
        }
    }

    func rested(_ id: HostSlots.ID) {
        self.change { $0.machine.rested(id, at: $1) }
    }

    func resumed(_ id: HostSlots.ID) {
        self.state.withLock { $0.machine.resumed(id) }
    }

    func abandoned(_ id: HostSlots.ID, asker: @escaping @Sendable (_ isInUse: Bool) -> Bool) {
        self.change { state, now in
            state.askers[id] = asker
            return state.machine.abandoned(id, at: now)
        }
    }

    func reclaimed(_ id: HostSlots.ID, asker: (@Sendable (_ isInUse: Bool) -> Bool)?) {
        self.state.withLock { state in
            state.askers[id] = asker
            state.machine.reclaimed(id)
        }
    }

    // MARK: Effects

    private func change(_ event: (inout State, Duration) -> [HostSlots.Effect]) {
        let now = self.timeline.elapsed()
        self.perform(self.state.withLock { event(&$0, now) }, at: now)
    }

    private func perform(
        _ effects: [HostSlots.Effect],
        except own: HostSlots.ID? = nil,
        at now: Duration
    ) {
        for effect in effects {
            switch effect {
            case .grant(let id) where id != own: self.end(id, .success(()))
            case .refuse(let id) where id != own: self.end(id, .failure(Self.isFull(self.limits)))
            case .ask(let id, let isInUse):
                let asker = self.state.withLock { $0.askers[id] }
                if asker?(isInUse) != true { self.state.withLock { $0.machine.declined(id) } }
            default: break
            }
        }
        self.setAlarm(after: now)
    }

    private func end(_ id: HostSlots.ID, _ result: Result<Void, HTTPTransportError>) {
        let waiter = self.state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: id)
            // The request has not suspended yet.
            if waiter == nil { state.early[id] = result }
            return waiter
        }
        waiter?.resume(with: result)
    }

    /// Sleeps until the machine's next deadline; an earlier alarm stays set.
    ///
    /// - Parameter now: the time of the last event; the machine has handled deadlines up to it.
    private func setAlarm(after now: Duration) {
        self.state.withLock { state in
            guard let deadline = state.machine.deadline(after: now) else { return }
            if let alarm = state.alarm {
                guard deadline < alarm.time else { return }
                alarm.task.cancel()
            }
            let timeline = self.timeline
            // The queue owns the task and cancels it; the task ends at the deadline.
            let task = Task { [weak self] in
                guard (try? await timeline.sleep(deadline - now)) != nil else { return }
                self?.alarmWentOff(deadline)
            }
            state.alarm = (task, deadline)
        }
    }

    private func alarmWentOff(_ deadline: Duration) {
        self.change { state, now in
            if state.alarm?.time == deadline { state.alarm = nil }
            return state.machine.ticked(at: now)
        }
    }

    private static func isFull(_ limits: HostSlots.Limits) -> HTTPTransportError {
        HTTPTransportError(
            .busy,
            "\(limits.waiters) requests wait for its \(limits.slots) connections already"
        )
    }
}
