// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Does what the machine of a station decides: connects, waits, and ends.
///
/// Effects are done in the order in which they were decided, one at a time, and outside of the lock. It lives while its
/// station, a listener or a connection does; a station that nobody holds ends with its last listener.
final class StationCore: Sendable {
    struct State {
        var machine: StationMachine
        var listeners: [UInt64: ListenerEnd] = [:]
        var lastListener: UInt64 = 0
        /// What was decided and not done yet.
        var effects: [StationEffect] = []
        /// Whether somebody does them.
        var isActing = false
        /// The connections by their numbers: the present one, and those that were left and have not ended yet.
        var connections: [UInt64: Task<Void, Never>] = [:]
        var timers: [StationTimer: Task<Void, Never>] = [:]
    }

    /// Who may write to the ring: a connection that was left has no say, however late it notices.
    struct Pen {
        /// The connection's number; 0: none.
        var generation: UInt64 = 0
        /// Whether it has begun a stretch, and its bytes are the live end.
        var isWriting = false
        /// When sound was written last.
        var lastWrite: Duration?
        /// The station's time of the live end.
        var time: Duration = .zero
        /// The station's time at which the present stretch began.
        var start: Duration = .zero
        /// Whether nobody listened since sound was written last.
        var wasIdle = false
    }

    /// What is kept is dropped in mebibytes; with fewer than a few, listeners at the live end would lose some, too.
    static let leastByteCount: Int64 = 4 << 20

    let line: any StationTransport
    let options: StationOptions
    let timeline: Timeline
    let ring: TimeShiftRing
    let bell = NewsBell()
    let board = StatusBoard()
    let pen = Mutex(Pen())
    private let state: Mutex<State>

    init(line: any StationTransport, options: StationOptions) {
        self.line = line
        self.options = options
        self.timeline = Timeline(options.clock)
        self.ring = TimeShiftRing(
            limits: TimeShiftLimits(
                duration: options.timeShift,
                byteCount: max(Self.leastByteCount, options.timeShiftByteCount)
            ),
            folder: options.folder
        )
        self.state = Mutex(
            State(
                machine: StationMachine(
                    policy: options.policy,
                    display: line.display,
                    seed: options.seed ?? UInt64.random(in: 0...UInt64.max)
                )
            )
        )
    }

    deinit {
        self.ring.close()
        self.board.close()
    }

    var status: StationStatus { self.state.withLock { $0.machine.status } }

    /// The station's time of the live end.
    var liveTime: Duration { self.pen.withLock { $0.time } }

    // MARK: Listeners

    /// Adds a listener.
    ///
    /// - Returns: its number.
    func join() -> UInt64 {
        var id: UInt64 = 0
        self.decide { state in
            state.lastListener += 1
            id = state.lastListener
            guard state.machine.state != .closed else {
                state.listeners[id] = .closed
                return []
            }
            state.listeners[id] = .open
            return state.machine.listenerCame(now: self.timeline.elapsed())
        }
        return id
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

    func end(of id: UInt64) -> ListenerEnd {
        self.state.withLock { $0.listeners[id] } ?? .closed
    }

    /// A place to read from.
    ///
    /// - Parameters:
    ///   - start: where it is.
    ///   - cause: why it is gone to.
    /// - Returns: a cursor that gives its stretch first, if there is one.
    func cursor(at start: StationStart, cause: StreamStretch.Cause) -> RingCursor {
        self.pen.withLock { pen in
            switch start {
            case .behind(let distance) where distance > .zero:
                return RingCursor(self.ring.joint(forTime: pen.time - distance), cause: cause)
            case .behind, .live:
                // No further back than the present connection.
                let burst = start == .live ? max(.zero, self.options.burst) : .zero
                let joint = self.ring.joint(forTime: max(pen.time - burst, pen.start))
                var cursor = RingCursor(joint, cause: cause)
                guard !pen.isWriting else { return cursor }
                // Nothing will be added to the last stretch: who wants what comes next waits for the next one, and is
                // told no word of the last.
                while self.ring.read(at: &cursor, limit: .max) != nil {}
                return cursor
            }
        }
    }

    // MARK: Deciding and acting

    /// Asks the machine, and does what it says.
    func decide(_ event: (inout State) -> [StationEffect]) {
        let isActor = self.state.withLock { state in
            let effects = event(&state)
            for case .end(let loss) in effects { state.endListeners(loss) }
            state.effects += effects
            guard !state.isActing, !state.effects.isEmpty else { return false }
            state.isActing = true
            return true
        }
        guard isActor else { return }
        while let effect = self.state.withLock({ $0.takeEffect() }) { self.act(effect) }
    }

    private func act(_ effect: StationEffect) {
        switch effect {
        case .connect(let target, let generation, let loss):
            self.connect(to: target, generation: generation, after: loss)
        case .disconnect: self.disconnect()
        case .start(let timer, let delay, let generation):
            self.start(timer, delay, generation: generation)
        case .stop(let timer):
            self.state.withLock { $0.timers.removeValue(forKey: timer) }?.cancel()
        case .publish(let status): self.publish(status)
        case .end: self.bell.ring()
        }
    }

    private func publish(_ status: StationStatus) {
        if status.phase == .idle { self.pen.withLock { $0.wasIdle = true } }
        self.board.publish(status)
    }

    private func connect(
        to target: StationTarget,
        generation: UInt64,
        after loss: StationLoss?
    ) {
        self.pen.withLock { pen in
            pen.generation = generation
            pen.isWriting = false
        }
        let left = self.state.withLock { state -> [Task<Void, Never>] in
            // It may have been left before it was begun.
            guard state.machine.isConnected, state.machine.generation == generation else {
                return []
            }
            let left = Array(state.connections.values)
            // Owned by this core, which cancels it when the machine leaves the connection; it ends with its body.
            state.connections[generation] = Task(executorPreference: self.options.executor) {
                await self.run(target, generation: generation, after: loss)
                self.state.withLock { $0.connections[generation] = nil }
            }
            return left
        }
        for connection in left { connection.cancel() }
    }

    private func disconnect() {
        self.pen.withLock { pen in
            pen.generation = 0
            pen.isWriting = false
        }
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
        self.state.withLock { $0.timers.updateValue(task, forKey: timer) }?.cancel()
    }

    /// The network is another.
    func pathChanged() {
        self.decide { $0.machine.pathChanged(now: self.timeline.elapsed()) }
    }

    private var connections: [Task<Void, Never>] {
        self.state.withLock { Array($0.connections.values) }
    }

    /// Ends all, and waits until every connection has let go of its line.
    func close() async {
        self.decide { $0.machine.closed() }
        self.bell.ring()
        for connection in self.connections { await connection.value }
        self.ring.close()
        self.board.close()
    }
}

extension StationCore.State {
    /// Whether somebody listens who is to get more.
    var hasListeners: Bool {
        self.listeners.values.contains { if case .open = $0 { true } else { false } }
    }

    /// Nobody who listens now gets more than what is kept, or even that.
    mutating func endListeners(_ loss: StationLoss?) {
        for (id, end) in self.listeners {
            guard let loss else {
                self.listeners[id] = .closed
                continue
            }
            if case .open = end { self.listeners[id] = .lost(loss) }
        }
    }

    /// The next thing to do; with none, nobody does any more.
    mutating func takeEffect() -> StationEffect? {
        guard !self.effects.isEmpty else {
            self.isActing = false
            return nil
        }
        return self.effects.removeFirst()
    }
}
