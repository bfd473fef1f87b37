// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The effects of a player's machine, performed in the given order.
enum PlayerEffect: Hashable, Sendable {
    /// Cancel the tasks of the previous run, drop its sound, and begin a run.
    case begin(generation: UInt64)
    /// Let the renderer write.
    case openGate
    /// Stop the renderer from writing.
    case closeGate
    /// Pause the sink.
    case pauseSink
    /// Let the sink continue.
    case resumeSink
    /// Change the volume of the sink.
    case setGain(Float)
    /// Cancel the tasks, drop the sound that was not heard, close the sink, and report `released`.
    case release(generation: UInt64)
    /// Fetch the beginning of an item before its turn, in place of any other item.
    case prefetch(ItemID)
    /// End that fetching.
    case cancelPrefetch
    /// Notify the observers: the state, its reason or the error changed.
    case publish
}

/// Decides what a player does: commands and events in, effects out.
///
/// It has no clock and no task, and plays no sound.
///
/// A player passes through stages, from `initialized` to `stopped`. A pause, by the user or the
/// system, does not change the stage, which can advance meanwhile. When the pause ends, the sound
/// continues from the stage reached by then. Only the user ends the user's pause.
struct PlayerMachine: Hashable, Sendable {
    /// The stage, without pauses: never `paused`.
    private var stage = PlayerState.initialized
    /// Whether the user paused.
    private var isPausedByUser = false
    /// Whether the system interrupted the sound, for a call or the like.
    private var isInterrupted = false
    private(set) var failure: PlayerFailure?
    /// Counts the runs; events of an older run are ignored.
    private(set) var generation: UInt64 = 0
    /// The number of underruns since the start.
    private(set) var underruns = 0

    /// Whether the source has ended: the queue gets no more.
    private var hasAll = false
    private var ending = StopReason.none
    /// Whether a silence ends without the user: a seek, a new device, a lost station.
    private var isTemporary = false
    private var isConnectionLost = false
    /// Whether a file's source has delivered nothing for a while.
    private var isSourceSilent = false
    /// Whether the run has opened the sink: until then nothing is heard, however much sound is
    /// ready.
    private var isSinkOpen = false
    private var buffer: BufferPolicy

    init(buffer: BufferPolicy = BufferPolicy()) {
        self.buffer = buffer
    }

    /// The state for the application.
    var state: PlayerState {
        if self.isActive, self.isHeld { return .paused }
        return self.stage == .playing && !self.isSinkOpen ? .waitingForQueueToStart : self.stage
    }

    /// Why the player stopped, or is silent for a moment.
    var stopReason: StopReason {
        switch self.stage {
        case .initialized: return .none
        case .stopping, .stopped: return self.ending
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering, .paused:
            if self.isPausedByUser { return .none }
            if self.isInterrupted { return .temporary }
            switch self.stage {
            case .playing where self.isSinkOpen: return .none
            case .buffering:
                return self.isConnectionLost || self.isSourceSilent ? .temporary : .none
            default:
                return self.isTemporary || self.isConnectionLost || self.isSourceSilent
                    ? .temporary : .none
            }
        }
    }

    /// How much sound is gathered before playback begins or continues, in seconds.
    var bufferTarget: Double { self.buffer.target }

    /// Whether the renderer may write.
    var isSounding: Bool { self.stage == .playing && !self.isHeld }

    /// Whether the player has no playable sound until the source delivers more.
    var isWaitingForSource: Bool {
        switch self.stage {
        case .starting, .waitingForData, .waitingForQueueToStart, .buffering: !self.isHeld
        case .initialized, .playing, .paused, .stopping, .stopped: false
        }
    }

    /// Whether it was started and has not begun to stop.
    var isActive: Bool {
        switch self.stage {
        case .initialized, .stopping, .stopped: false
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering, .paused:
            true
        }
    }

    private var isHeld: Bool { self.isPausedByUser || self.isInterrupted }

    // MARK: Commands

    /// Starts, from any state, and forgets all earlier events, including an error.
    mutating func start(buffer: BufferPolicy? = nil) -> (PlayerAnswer, [PlayerEffect]) {
        let wasHeld = self.isHeld
        if let buffer { self.buffer = buffer } else { self.buffer = BufferPolicy() }
        self.underruns = 0
        self.ending = .none
        self.isPausedByUser = false
        self.isInterrupted = false
        self.isTemporary = false
        // The old run's sound is dropped before the sink continues, so that none of it is heard.
        let begun = self.begin()
        return (.done, wasHeld ? begun + [.resumeSink] : begun)
    }

    /// Begins a run at another position in the items.
    mutating func seek() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("seek"), []) }
        self.isTemporary = true
        return (.done, self.begin())
    }

    /// Pauses the sound.
    mutating func pause() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("pause"), []) }
        guard !self.isPausedByUser else { return (.alreadySo, []) }
        return (.done, self.hold(isPausedByUser: true, isInterrupted: self.isInterrupted))
    }

    /// Continues the sound, whether the user or the system paused it.
    mutating func resume() -> (PlayerAnswer, [PlayerEffect]) {
        guard self.isActive else { return (self.notPlaying("continue"), []) }
        guard self.isHeld else { return (.alreadySo, []) }
        return (.done, self.hold(isPausedByUser: false, isInterrupted: false))
    }

    /// Stops; a new start is possible at once.
    mutating func stop() -> (PlayerAnswer, [PlayerEffect]) {
        if self.isActive { return (.done, self.end(.user)) }
        switch self.stage {
        case .initialized:
            return (.refused("Nothing plays, so it cannot stop"), [])
        // The user's stop takes precedence over the end.
        case .stopping where self.ending == .endOfStream:
            self.ending = .user
            return (.done, [.publish])
        default: return (.alreadySo, [])
        }
    }

    // MARK: Events of the system

    /// The system interrupted the sound.
    mutating func interruptionBegan() -> [PlayerEffect] {
        guard self.isActive, !self.isInterrupted else { return [] }
        return self.hold(isPausedByUser: self.isPausedByUser, isInterrupted: true)
    }

    /// The interruption ended; if the sound must not continue on its own, the player waits for the
    /// user.
    mutating func interruptionEnded(shouldResume: Bool) -> [PlayerEffect] {
        guard self.isActive, self.isInterrupted else { return [] }
        return self.hold(
            isPausedByUser: self.isPausedByUser || !shouldResume,
            isInterrupted: false
        )
    }

    /// The sink's device has changed: the sink is opened again, and the sound continues where it
    /// was.
    mutating func deviceChanged() -> [PlayerEffect] {
        guard self.isActive else { return [] }
        self.isTemporary = true
        return self.begin()
    }

    // MARK: Events of a run

    /// The source is open.
    mutating func opened(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.stage == .starting else { return [] }
        return self.enter(.waitingForData)
    }

    /// Packets were added to the queue.
    ///
    /// - Parameters:
    ///   - seconds: the seconds of sound in the queue.
    ///   - isFull: whether the queue takes no more, however little sound it holds.
    ///   - generation: the run of the queue.
    /// - Returns: the effects.
    mutating func queued(seconds: Double, isFull: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation else { return [] }
        let isEnough = isFull || self.hasAll || seconds >= self.buffer.target
        let wasSilent = self.endSilence()
        switch self.stage {
        case .waitingForData: return self.enter(isEnough ? .playing : .waitingForQueueToStart)
        case .waitingForQueueToStart, .buffering:
            return isEnough ? self.enter(.playing) : wasSilent ? [.publish] : []
        default: return []
        }
    }

    /// A file's source has delivered nothing for a while, although the player waits for sound.
    ///
    /// - Parameters:
    ///   - failure: describes this until the source delivers more.
    ///   - generation: the run that waits.
    /// - Returns: the effects.
    mutating func sourceFellSilent(
        _ failure: PlayerFailure,
        _ generation: UInt64
    ) -> [PlayerEffect] {
        guard generation == self.generation, self.isWaitingForSource, !self.isSourceSilent else {
            return []
        }
        self.isSourceSilent = true
        self.failure = failure
        return [.publish]
    }

    /// Ends the source's silence; returns whether there was one.
    private mutating func endSilence() -> Bool {
        guard self.isSourceSilent else { return false }
        self.isSourceSilent = false
        self.failure = nil
        return true
    }

    /// The queue gets no more entries: its sound is played, however little it is.
    ///
    /// - Parameters:
    ///   - hasSound: whether there is a packet in the queue.
    ///   - generation: the run of the queue.
    /// - Returns: the effects.
    mutating func sourceEnded(hasSound: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive else { return [] }
        self.hasAll = true
        _ = self.endSilence()
        return self.stage == .playing || !hasSound ? [] : self.enter(.playing)
    }

    /// There is a new item after the former last one: the queue gets more entries.
    mutating func sourceContinued(_ generation: UInt64) -> [PlayerEffect] {
        if generation == self.generation { self.hasAll = false }
        return []
    }

    /// The queue and the sink are empty, and more sound is expected.
    mutating func ranDry(at now: Duration, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isSounding, self.isSinkOpen, !self.hasAll else {
            return []
        }
        self.underruns += 1
        self.buffer.ranDry(at: now)
        return self.enter(.buffering)
    }

    /// The sink is open: written sound is heard from now on.
    mutating func sinkOpened(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive, !self.isSinkOpen else { return [] }
        self.isSinkOpen = true
        self.isTemporary = false
        self.failure = nil
        return [.publish]
    }

    /// The sink's device has disappeared; the renderer tries again and again.
    ///
    /// - Parameters:
    ///   - failure: describes this until the sink is open.
    ///   - generation: the run that waits.
    /// - Returns: the effects.
    mutating func deviceIsAway(
        _ failure: PlayerFailure,
        _ generation: UInt64
    ) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive, self.failure != failure else {
            return []
        }
        self.isSinkOpen = false
        self.isTemporary = true
        self.failure = failure
        return [.publish]
    }

    /// The station's connection was lost, or is up again.
    mutating func connectionChanged(isLost: Bool, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive, self.isConnectionLost != isLost else {
            return []
        }
        let before = self.stopReason
        self.isConnectionLost = isLost
        return before == self.stopReason ? [] : [.publish]
    }

    /// Everything was heard.
    mutating func finished(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive else { return [] }
        return self.end(.endOfStream)
    }

    /// The run cannot continue.
    mutating func failed(_ failure: PlayerFailure, _ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.isActive else { return [] }
        self.failure = failure
        return self.end(.error)
    }

    /// The tasks have ended and the sink is closed.
    mutating func released(_ generation: UInt64) -> [PlayerEffect] {
        guard generation == self.generation, self.stage == .stopping else { return [] }
        self.stage = .stopped
        return [.publish]
    }

    // MARK: Helpers

    private mutating func begin() -> [PlayerEffect] {
        self.generation &+= 1
        self.stage = .starting
        self.hasAll = false
        self.isConnectionLost = false
        self.isSourceSilent = false
        self.isSinkOpen = false
        self.failure = nil
        return [.closeGate, .begin(generation: self.generation), .publish]
    }

    private mutating func enter(_ stage: PlayerState) -> [PlayerEffect] {
        let wasSounding = self.isSounding
        self.stage = stage
        if stage == .playing, self.isSinkOpen { self.isTemporary = false }
        return self.gate(wasSounding) + [.publish]
    }

    private mutating func hold(isPausedByUser: Bool, isInterrupted: Bool) -> [PlayerEffect] {
        let (wasHeld, wasSounding) = (self.isHeld, self.isSounding)
        self.isPausedByUser = isPausedByUser
        self.isInterrupted = isInterrupted
        let sink: [PlayerEffect] =
            wasHeld == self.isHeld ? [] : [self.isHeld ? .pauseSink : .resumeSink]
        return sink + self.gate(wasSounding) + [.publish]
    }

    private func gate(_ wasSounding: Bool) -> [PlayerEffect] {
        wasSounding == self.isSounding ? [] : [wasSounding ? .closeGate : .openGate]
    }

    private mutating func end(_ reason: StopReason) -> [PlayerEffect] {
        let wasHeld = self.isHeld
        self.stage = .stopping
        self.ending = reason
        if reason != .error { self.failure = nil }
        self.isPausedByUser = false
        self.isInterrupted = false
        let effects: [PlayerEffect] = [.closeGate, .release(generation: self.generation)]
        return effects + (wasHeld ? [.resumeSink, .publish] : [.publish])
    }

    private func notPlaying(_ command: String) -> PlayerAnswer {
        .refused("Nothing plays, so it cannot \(command)")
    }
}
