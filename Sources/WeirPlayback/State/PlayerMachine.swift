// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides what a player does: commands and news in, effects out.
///
/// No clock, no task, no sound.
///
/// What is seen from outside is one of nine states; inside there are a life (not started, active, stopping, stopped), a
/// phase of the active life, and who holds the sound. So a pause never forgets what it paused, and nothing but the user
/// undoes the user's pause.
struct PlayerMachine: Sendable {
    /// Whether the player was started.
    enum Life: Hashable, Sendable {
        case initialized
        case active(PlayerPhase)
        case stopping
        case stopped
    }

    private(set) var life = Life.initialized
    private(set) var hold: PlayerHold = []
    private(set) var failure: PlayerFailure?
    /// Counts beginnings; news of an older one is not heard.
    private(set) var generation: UInt64 = 0
    /// How often the sound ran dry since the start.
    private(set) var underruns = 0
    /// Whether the source has said that nothing more comes.
    private(set) var hasAll = false

    private var ending = StopReason.none
    /// Whether the silence, if there is one, ends by itself: a seek, a device, a lost station.
    private var isTemporary = false
    private var isLineLost = false
    private var buffer: BufferPolicy

    init(buffer: BufferPolicy = BufferPolicy()) {
        self.buffer = buffer
    }

    /// What is seen from outside.
    var state: PlayerState {
        switch self.life {
        case .initialized: return .initialized
        case .stopping: return .stopping
        case .stopped: return .stopped
        case .active(let phase):
            if !self.hold.isEmpty { return .paused }
            switch phase {
            case .opening: return .starting
            case .awaitingData: return .waitingForData
            case .filling: return .waitingForQueueToStart
            case .sounding: return .playing
            case .dry: return .buffering
            }
        }
    }

    /// Why it stopped, or is silent for a moment.
    var stopReason: StopReason {
        switch self.life {
        case .initialized: return .none
        case .stopping, .stopped: return self.ending
        case .active(let phase):
            if self.hold.contains(.user) { return .none }
            if self.hold.contains(.interruption) { return .temporary }
            switch phase {
            case .sounding: return .none
            case .dry: return self.isLineLost ? .temporary : .none
            case .opening, .awaitingData, .filling:
                return self.isTemporary || self.isLineLost ? .temporary : .none
            }
        }
    }

    /// How much sound is gathered before it begins or goes on, in seconds.
    var bufferTarget: Double { self.buffer.target }

    /// Whether the renderer may write.
    var isSounding: Bool { self.life == .active(.sounding) && self.hold.isEmpty }

    private var isActive: Bool {
        if case .active = self.life { return true }
        return false
    }

    // MARK: Commands

    /// Begins, from any state; what went before is forgotten, the error too.
    mutating func start(buffer: BufferPolicy? = nil) -> (PlayerAnswer, [PlayerEffect]) {
        let wasHeld = !self.hold.isEmpty
        if let buffer { self.buffer = buffer } else { self.buffer = BufferPolicy() }
        self.underruns = 0
        self.failure = nil
        self.ending = .none
        self.hold = []
        self.isTemporary = false
        // What is held is dropped before the sink is let go: nothing of it is heard.
        let begun = self.begin()
        return (.done, wasHeld ? begun + [.resumeSink] : begun)
    }

    /// Begins elsewhere in what is played.
    mutating func seek() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("seek"), []) }
        self.isTemporary = true
        return (.done, self.begin())
    }

    /// Holds the sound.
    mutating func pause() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("pause"), []) }
        guard !self.hold.contains(.user) else { return (.alreadySo, []) }
        return (.done, self.changeHold(self.hold.union(.user)))
    }

    /// Lets the sound go on, whoever held it.
    mutating func resume() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("go on"), []) }
        guard !self.hold.isEmpty else { return (.alreadySo, []) }
        return (.done, self.changeHold([]))
    }

    /// Ends; it may be started again at once.
    mutating func stop() -> (PlayerAnswer, [PlayerEffect]) {
        switch self.life {
        case .initialized:
            return (.refused("Nothing was started that could stop"), [])
        case .stopped: return (.alreadySo, [])
        case .stopping:
            // Whatever ended it: the user wants it so.
            guard self.ending != .user, self.ending != .error else { return (.alreadySo, []) }
            self.ending = .user
            return (.done, [.publish])
        case .active:
            return (.done, self.end(.user))
        }
    }

    // MARK: News of the system

    /// The system takes the sound away.
    mutating func interruptionBegan() -> [PlayerEffect] {
        guard self.isActive, !self.hold.contains(.interruption) else { return [] }
        return self.changeHold(self.hold.union(.interruption))
    }

    /// The system gives the sound back; without its leave to go on, that is left to the user.
    mutating func interruptionEnded(shouldResume: Bool) -> [PlayerEffect] {
        guard self.isActive, self.hold.contains(.interruption) else { return [] }
        let rest = self.hold.subtracting(.interruption)
        return self.changeHold(shouldResume ? rest : rest.union(.user))
    }

    /// The sink's device is another: it is opened anew, and the sound goes on where it was.
    mutating func deviceChanged() -> [PlayerEffect] {
        guard self.isActive else { return [] }
        self.isTemporary = true
        return self.begin()
    }

    // MARK: News of what was begun

    /// What is played is open.
    mutating func opened(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.life == .active(.opening) else { return [] }
        return self.enter(.awaitingData)
    }

    /// So much sound lies in the queue.
    ///
    /// - Parameters:
    ///   - seconds: of sound in the queue.
    ///   - isFull: whether the queue takes no more, however much it wants.
    ///   - generation: whose queue it is.
    /// - Returns: what is to be done.
    mutating func queued(seconds: Double, isFull: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, case .active(let phase) = self.life else { return [] }
        let isEnough = isFull || self.hasAll || seconds >= self.buffer.target
        switch phase {
        case .opening, .sounding: return []
        case .awaitingData: return self.enter(isEnough ? .sounding : .filling)
        case .filling, .dry: return isEnough ? self.enter(.sounding) : []
        }
    }

    /// Nothing more comes into the queue: what is in it is played, however little.
    ///
    /// - Parameters:
    ///   - hasSound: whether there is a packet in the queue.
    ///   - generation: whose queue it is.
    /// - Returns: what is to be done.
    mutating func sourceEnded(hasSound: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, case .active(let phase) = self.life else { return [] }
        self.hasAll = true
        return phase == .sounding || !hasSound ? [] : self.enter(.sounding)
    }

    /// The queue and the sink are empty, and more is to come.
    mutating func ranDry(at now: Duration, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isSounding, !self.hasAll else { return [] }
        self.underruns += 1
        self.buffer.ranDry(at: now)
        return self.enter(.dry)
    }

    /// The connection behind the queue was lost, or is there again.
    mutating func lineChanged(isLost: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive, self.isLineLost != isLost else {
            return []
        }
        let before = self.stopReason
        self.isLineLost = isLost
        return before == self.stopReason ? [] : [.publish]
    }

    /// All was heard.
    mutating func finished(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive else { return [] }
        return self.end(.endOfStream)
    }

    /// It cannot go on.
    mutating func failed(_ failure: PlayerFailure, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive else { return [] }
        self.failure = failure
        return self.end(.error)
    }

    /// All was let go of.
    mutating func released(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.life == .stopping else { return [] }
        self.life = .stopped
        return [.publish]
    }

    // MARK: Within

    private mutating func begin() -> [PlayerEffect] {
        self.generation &+= 1
        self.life = .active(.opening)
        self.hasAll = false
        self.isLineLost = false
        return [.closeGate, .begin(generation: self.generation), .publish]
    }

    private mutating func enter(_ phase: PlayerPhase) -> [PlayerEffect] {
        let wasSounding = self.isSounding
        self.life = .active(phase)
        if phase == .sounding { self.isTemporary = false }
        var effects: [PlayerEffect] = []
        if self.isSounding != wasSounding { effects.append(wasSounding ? .closeGate : .openGate) }
        return effects + [.publish]
    }

    private mutating func changeHold(_ hold: PlayerHold) -> [PlayerEffect] {
        let before = (isHeld: !self.hold.isEmpty, isSounding: self.isSounding)
        self.hold = hold
        var effects: [PlayerEffect] = []
        if before.isHeld != !hold.isEmpty {
            effects.append(hold.isEmpty ? .resumeSink : .pauseSink)
        }
        if before.isSounding != self.isSounding {
            effects.append(before.isSounding ? .closeGate : .openGate)
        }
        return effects + [.publish]
    }

    private mutating func end(_ reason: StopReason) -> [PlayerEffect] {
        let wasHeld = !self.hold.isEmpty
        self.life = .stopping
        self.ending = reason
        self.hold = []
        let effects: [PlayerEffect] = [.closeGate, .release(generation: self.generation)]
        return effects + (wasHeld ? [.resumeSink, .publish] : [.publish])
    }

    private func notPlaying(_ what: String) -> PlayerAnswer {
        .refused("Nothing plays, so it cannot \(what)")
    }
}
