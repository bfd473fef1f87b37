// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Does what the machine of a station decides: connects, waits, and ends.
///
/// Effects are done in the order in which they were decided, one at a time, and outside of the lock. It lives while its
/// station, a listener or a connection does; without a station it ends with its last listener.
final class StationCore: Sendable {
    struct State {
        var machine: StationMachine
        var listeners: [UInt64: ListenerEnd] = [:]
        var lastListener: UInt64 = 0
        /// The connections by their numbers: the present one, and those that were left and have not ended yet.
        var connections: [UInt64: Task<Void, Never>] = [:]
        var timers: [StationTimer: Task<Void, Never>] = [:]
    }

    /// What writes to the ring: one connection at a time; one that was left writes nothing, however late it notices.
    struct Writer {
        /// The connection's number; 0: none.
        var generation: UInt64 = 0
        /// What the connection says of itself, and why the one before it was lost.
        var origin: (info: StationInfo, loss: StationLoss?)?
        /// Whether its bytes are the live end.
        var isWriting = false
        /// What it begins with is held back there until it is known how that goes on from what is kept.
        var join = ConnectionJoin()
        /// Ends that after a while.
        var settling: Task<Void, Never>?
        /// When sound was written last.
        var lastWrite: Duration?
        /// The station's time of the live end.
        var time: Duration = .zero
        /// The station's time at which the present stretch began.
        var start: Duration = .zero
        /// The newest title; `nil` while there is none.
        var title: String?
        /// Whether no listener was there since sound was written last.
        var wasIdle = false
        /// How far the server is ahead of real time.
        var lead = ServerLead()
        /// How many bytes were written since a packet was last.
        var bytesWithoutPacket: Int64 = 0
    }

    /// What is kept is dropped in mebibytes; with fewer than a few, listeners at the live end would lose some, too.
    static let leastByteCount: Int64 = 4 << 20
    /// How far a server may be ahead of real time.
    static let mostLead = Duration.seconds(120)

    let transport: any StationTransport
    let options: StationOptions
    let timeline: Timeline
    let ring: TimeShiftRing
    /// How far a server may be ahead before it is slowed down: half of what is kept at most.
    let leadLimits: ServerLead.Limits
    /// Raised whenever a listener may find something new.
    let news = Signal()
    let statuses = Broadcast<StationStatus>(capacity: 1, replaying: 1)
    let writer = Mutex(Writer())
    private let queue: EffectQueue<State, StationEffect>

    init(transport: any StationTransport, options: StationOptions) {
        self.transport = transport
        self.options = options
        self.timeline = Timeline(options.clock)
        let limits = TimeShiftLimits(
            duration: options.timeShift,
            byteCount: max(Self.leastByteCount, options.timeShiftByteCount)
        )
        self.ring = TimeShiftRing(
            limits: limits,
            folder: options.folder?.path(percentEncoded: false)
        )
        let isOnDisk = limits.duration > .zero
        self.leadLimits = ServerLead.Limits(
            duration: isOnDisk ? min(Self.mostLead, limits.duration / 2) : Self.mostLead,
            byteCount: (isOnDisk ? limits.byteCount : Int64(RingGeometry().memory)) / 2
        )
        self.queue = EffectQueue(
            State(
                machine: StationMachine(
                    policy: options.policy,
                    display: transport.display,
                    seed: options.seed ?? UInt64.random(in: 0...UInt64.max)
                )
            )
        )
        self.statuses.tell(StationStatus())
    }

    deinit {
        self.ring.close()
        self.statuses.finish()
    }

    var status: StationStatus { self.queue.withState { $0.machine.status } }

    /// The station's time of the live end.
    var liveTime: Duration { self.writer.withLock { $0.time } }

    // MARK: Listeners

    /// Adds a listener.
    ///
    /// - Returns: its number.
    func join() -> UInt64 {
        self.queue.decide(performing: self.perform) { state, effects in
            state.lastListener += 1
            let id = state.lastListener
            guard state.machine.state != .closed else {
                state.listeners[id] = .closed
                return id
            }
            state.listeners[id] = .open
            effects += state.noting(state.machine.listenerCame(now: self.timeline.elapsed()))
            return id
        }
    }

    /// Removes a listener; one that has left already is none.
    func leave(_ id: UInt64) {
        self.decide { state in
            guard let end = state.listeners.removeValue(forKey: id), case .open = end,
                !state.hasListeners
            else { return [] }
            return state.machine.lastListenerLeft()
        }
    }

    /// How many listen.
    var listenerCount: Int {
        self.queue.withState { state in
            state.listeners.values.count { if case .open = $0 { true } else { false } }
        }
    }

    func end(of id: UInt64) -> ListenerEnd {
        self.queue.withState { $0.listeners[id] } ?? .closed
    }

    /// A place to read from.
    ///
    /// - Parameters:
    ///   - start: where it is.
    ///   - cause: why it is gone to.
    /// - Returns: a cursor that gives its stretch first, if there is one.
    func cursor(at start: StationStart, cause: StreamStretch.Cause) -> RingCursor {
        self.writer.withLock { writer in
            switch start {
            case .behind(let distance) where distance > .zero:
                return self.ring.joint(forTime: writer.time - distance).begun(cause)
            case .time(let time):
                return self.ring.joint(forTime: min(time, writer.time)).begun(cause)
            case .behind, .live:
                // No further back than the present connection.
                let burst = start == .live ? max(.zero, self.options.burst) : .zero
                let joint = self.ring.joint(forTime: max(writer.time - burst, writer.start))
                var cursor = joint.begun(cause)
                guard !writer.isWriting else { return cursor }
                // A reader of what comes next waits for that, and is told no word of what is kept.
                while self.ring.read(at: &cursor, limit: .max) != nil {}
                cursor.packet = self.ring.endPacket
                cursor.isFresh = true
                cursor.awaitsStretch = true
                return cursor
            }
        }
    }

    // MARK: Deciding and acting

    /// Asks the machine, and does what it says.
    func decide(_ event: (inout State) -> [StationEffect]) {
        self.queue.decide(performing: self.perform) { state, effects in
            effects += state.noting(event(&state))
        }
    }

    private func perform(_ effect: StationEffect) {
        switch effect {
        case .connect(let target, let generation, let loss):
            self.connect(to: target, generation: generation, after: loss)
        case .disconnect: self.disconnect()
        case .start(let timer, let delay, let generation):
            self.start(timer, delay, generation: generation)
        case .stop(let timer):
            self.queue.withState { $0.timers.removeValue(forKey: timer) }?.cancel()
        case .publish(let status): self.publish(status)
        case .end: self.news.raise()
        }
    }

    private func publish(_ status: StationStatus) {
        if status.phase == .idle { self.writer.withLock { $0.wasIdle = true } }
        self.statuses.tell(status)
    }

    private func connect(
        to target: StationTarget,
        generation: UInt64,
        after loss: StationLoss?
    ) {
        self.leaveWriter(to: generation)
        let left = self.queue.withState { state -> [Task<Void, Never>] in
            // It may have been left before it was begun.
            guard state.machine.isConnected, state.machine.generation == generation else {
                return []
            }
            let left = Array(state.connections.values)
            // Owned by this core, which cancels it when the machine leaves the connection; it ends with its body.
            state.connections[generation] = Task(executorPreference: self.options.executor) {
                await self.run(target, generation: generation, after: loss)
                self.queue.withState { $0.connections[generation] = nil }
            }
            return left
        }
        for connection in left { connection.cancel() }
    }

    private func disconnect() {
        self.leaveWriter(to: 0)
        for connection in self.connections { connection.cancel() }
    }

    private func start(_ timer: StationTimer, _ delay: Duration, generation: UInt64) {
        // Owned by this core, which cancels it when the timer is stopped or set anew; it ends when the time has passed.
        let task = Task(executorPreference: self.options.executor) { [timeline] in
            do { try await timeline.sleep(delay) } catch { return }
            self.decide {
                $0.machine.timerFired(timer, generation: generation, now: timeline.elapsed())
            }
        }
        self.queue.withState { $0.timers.updateValue(task, forKey: timer) }?.cancel()
    }

    /// The network is another.
    func pathChanged() {
        self.decide { $0.machine.pathChanged(now: self.timeline.elapsed()) }
    }

    private var connections: [Task<Void, Never>] {
        self.queue.withState { Array($0.connections.values) }
    }

    /// Ends all, and waits until every connection has ended.
    func close() async {
        self.decide { $0.machine.closed() }
        self.news.raise()
        for connection in self.connections { await connection.value }
        self.ring.close()
        self.statuses.finish()
    }
}

extension StationCore.State {
    /// Whether a listener is there that is to get more.
    var hasListeners: Bool {
        self.listeners.values.contains { if case .open = $0 { true } else { false } }
    }

    /// Takes note of effects before they are performed: an end reaches the listeners at once.
    mutating func noting(_ effects: [StationEffect]) -> [StationEffect] {
        for case .end(let loss) in effects { self.endListeners(loss) }
        return effects
    }

    /// Gives the present listeners no more than what is kept, or nothing where there is no loss to tell.
    private mutating func endListeners(_ loss: StationLoss?) {
        for (id, end) in self.listeners {
            guard let loss else {
                self.listeners[id] = .closed
                continue
            }
            if case .open = end { self.listeners[id] = .lost(loss) }
        }
    }
}
