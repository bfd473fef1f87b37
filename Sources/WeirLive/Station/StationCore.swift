// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Performs the decisions of a station's machine: connects, waits, and ends.
///
/// Effects are performed in the order of their decisions, one at a time, and outside of the lock.
/// The core lives as long as its station, a listener or a connection. Without a station it ends
/// with its last listener.
final class StationCore: Sendable {
    struct State {
        var machine: StationMachine
        var listeners: [UInt64: ListenerEnd] = [:]
        var lastListener: UInt64 = 0
        /// The connections by number: the current one, and those that the station left but that
        /// have not ended.
        var connections: [UInt64: Task<Void, Never>] = [:]
        var timers: [StationTimer: Task<Void, Never>] = [:]
    }

    /// The writer of the ring: one connection at a time.
    ///
    /// A connection that the station has left writes nothing, however late it notices.
    struct Writer {
        /// The connection's number; 0: no connection.
        var generation: UInt64 = 0
        /// The connection's facts about the station, and why the previous connection was lost.
        var origin: (info: StationInfo, loss: StationError?)?
        /// Whether the connection's bytes are the live end.
        var isWriting = false
        /// Holds back the beginning of the connection until it knows how the connection continues
        /// the kept stream.
        var join = ConnectionJoin()
        /// Ends the holding back after a while.
        var settling: Task<Void, Never>?
        /// When sound was last written.
        var lastWrite: Duration?
        /// The station's time of the live end.
        var time: Duration = .zero
        /// The station's time at which the current stretch began.
        var start: Duration = .zero
        /// The newest title; `nil` without a title.
        var title: String?
        /// Whether the station was without listeners at some time since sound was last written.
        var wasIdle = false
        /// How far the server is ahead of real time.
        var lead = ServerLead()
        /// How many bytes were written since the last packet.
        var bytesWithoutPacket: Int64 = 0
    }

    /// The least limit of kept bytes.
    ///
    /// Kept bytes are dropped a mebibyte at a time. With a limit below a few mebibytes, listeners
    /// at the live end would lose bytes, too.
    static let leastByteCount: Int64 = 4 << 20
    /// How far a server may be ahead of real time.
    static let mostLead = Duration.seconds(120)

    let transport: any StationTransport
    let options: StationOptions
    let timeline: Timeline
    let ring: TimeShiftRing
    /// How far a server may be ahead before the station slows it down: half of the kept stream at
    /// most.
    let leadLimits: ServerLead.Limits
    /// Raised whenever a listener may find new pieces.
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

    /// Removes a listener; has no effect for one that has left already.
    func leave(_ id: UInt64) {
        self.decide { state in
            guard let end = state.listeners.removeValue(forKey: id), case .open = end,
                !state.hasListeners
            else { return [] }
            return state.machine.lastListenerLeft()
        }
    }

    /// The number of listeners.
    var listenerCount: Int {
        self.queue.withState { state in
            state.listeners.values.count { if case .open = $0 { true } else { false } }
        }
    }

    func end(of id: UInt64) -> ListenerEnd {
        self.queue.withState { $0.listeners[id] } ?? .closed
    }

    /// A position to read from.
    ///
    /// - Parameters:
    ///   - start: the position.
    ///   - cause: why the reader goes there.
    /// - Returns: a cursor whose reader gets its stretch first, if there is one.
    func cursor(at start: StationStart, cause: StreamStretch.Cause) -> RingCursor {
        self.writer.withLock { writer in
            switch start {
            case .behind(let distance) where distance > .zero:
                return self.ring.joint(forTime: writer.time - distance).begun(cause)
            case .time(let time):
                return self.ring.joint(forTime: min(time, writer.time)).begun(cause)
            case .behind, .live:
                // No further back than the current connection.
                let burst = start == .live ? max(.zero, self.options.burst) : .zero
                let joint = self.ring.joint(forTime: max(writer.time - burst, writer.start))
                var cursor = joint.begun(cause)
                guard !writer.isWriting else { return cursor }
                // The reader waits for new sound, and gets no metadata of the kept sound.
                while self.ring.read(at: &cursor, limit: .max) != nil {}
                cursor.packet = self.ring.endPacket
                cursor.isFresh = true
                cursor.awaitsStretch = true
                return cursor
            }
        }
    }

    // MARK: Deciding and acting

    /// Passes an event to the machine, and performs the effects.
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
        after loss: StationError?
    ) {
        self.leaveWriter(to: generation)
        let left = self.queue.withState { state -> [Task<Void, Never>] in
            // The machine may have left the connection before it began.
            guard state.machine.isConnected, state.machine.generation == generation else {
                return []
            }
            let left = Array(state.connections.values)
            // Owned by this core, which cancels it when the machine leaves the connection; it ends
            // with its body.
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
        // Owned by this core, which cancels it when the timer stops or starts again; it ends when
        // the time has passed.
        let task = Task(executorPreference: self.options.executor) { [timeline] in
            do { try await timeline.sleep(delay) } catch { return }
            self.decide {
                $0.machine.timerFired(timer, generation: generation, now: timeline.elapsed())
            }
        }
        self.queue.withState { $0.timers.updateValue(task, forKey: timer) }?.cancel()
    }

    /// The network has changed.
    func pathChanged() {
        self.decide { $0.machine.pathChanged(now: self.timeline.elapsed()) }
    }

    private var connections: [Task<Void, Never>] {
        self.queue.withState { Array($0.connections.values) }
    }

    /// Ends everything, and waits until every connection has ended.
    func close() async {
        self.decide { $0.machine.closed() }
        self.news.raise()
        for connection in self.connections { await connection.value }
        self.ring.close()
        self.statuses.finish()
    }
}

extension StationCore.State {
    /// Whether a listener can still get new pieces.
    var hasListeners: Bool {
        self.listeners.values.contains { if case .open = $0 { true } else { false } }
    }

    /// Applies ends before the effects are performed, so that an end reaches the listeners at once.
    mutating func noting(_ effects: [StationEffect]) -> [StationEffect] {
        for case .end(let loss) in effects { self.endListeners(loss) }
        return effects
    }

    /// Ends the current listeners: after a loss they still get the kept pieces; without a loss they
    /// get nothing.
    private mutating func endListeners(_ loss: StationError?) {
        for (id, end) in self.listeners {
            guard let loss else {
                self.listeners[id] = .closed
                continue
            }
            if case .open = end { self.listeners[id] = .lost(loss) }
        }
    }
}
