// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides when a station is asked, when it is left, and when it is given up.
///
/// Pure: it is told what happened and when, and says what is to be done. What a connection tells carries the number of
/// the connection, what a timer tells that of its setting; what comes too late is passed over.
struct StationMachine: Sendable {
    /// What it does.
    enum State: Hashable, Sendable {
        /// There is no listener.
        case idle
        /// Asked; the answer's head has not come.
        case connecting
        /// Answered; no sound was found yet.
        case opening
        /// Sound comes.
        case live
        /// Asks again later.
        case waiting(Duration)
        /// Has given up; the next listener makes it try anew.
        case ended
        /// Was closed; nothing moves it any more.
        case closed
    }

    let policy: ReconnectPolicy
    /// What the station is called, for sentences.
    let display: String

    var state = State.idle
    /// The number of the present connection, or of the last.
    var generation: UInt64 = 0

    var route = PlaylistRoute()
    var jitter: Jitter
    /// How many waits were made since the station was well.
    var step = 0
    /// How many attempts in a row brought no sound.
    var attempt = 0
    /// How many passes in a row were refused.
    var refusals = 0
    /// When the present connection was answered.
    var openedAt: Duration = .zero
    /// How much sound it brought.
    var sound: Duration = .zero
    /// How much those before it brought, since the waits began anew or one brought none.
    var heard: Duration = .zero
    /// How many connections brought sound.
    var soundings = 0
    var reason: StationLoss?
    /// Why the last connection that brought sound was lost.
    var outage: StationLoss?
    var info: StationInfo?

    /// When bytes came last, or what they are counted from.
    var lastBytes: Duration = .zero
    /// How long there may be none.
    var byteLimit: Duration
    /// When sound came last, or what it is counted from.
    var lastSound: Duration = .zero
    /// The sound that came at a time last.
    var burst = SoundBurst()

    /// The numbers of the timers that run.
    var timers: [StationTimer: UInt64] = [:]
    var lastTimer: UInt64 = 0
    var published = StationStatus()

    /// A station without listeners.
    ///
    /// - Parameters:
    ///   - policy: when it is asked again.
    ///   - display: how it is called in sentences.
    ///   - seed: of the jitter.
    init(policy: ReconnectPolicy, display: String, seed: UInt64) {
        self.policy = policy
        self.display = display
        self.jitter = Jitter(seed: seed)
        self.byteLimit = policy.silenceLimit
    }

    /// What is to be told.
    var status: StationStatus {
        let phase: StationStatus.Phase =
            switch self.state {
            case .idle: .idle
            case .connecting, .opening: .connecting
            case .live: .live
            case .waiting(let delay): .waiting(delay)
            case .ended, .closed: .ended
            }
        return StationStatus(
            phase: phase,
            reason: self.reason,
            attempt: self.attempt,
            reconnects: max(0, self.soundings - 1),
            info: self.info
        )
    }

    // MARK: Listeners

    /// A listener came.
    mutating func listenerCame(now: Duration) -> [StationEffect] {
        var effects: [StationEffect] = []
        switch self.state {
        case .idle, .ended:
            self.begin()
            self.connect(now: now, &effects)
        case .connecting, .opening, .live, .waiting: self.stop(.grace, &effects)
        case .closed: break
        }
        return effects
    }

    /// The last listener left.
    mutating func lastListenerLeft() -> [StationEffect] {
        var effects: [StationEffect] = []
        switch self.state {
        case .connecting, .opening, .live, .waiting:
            self.start(.grace, self.policy.grace, &effects)
        case .idle, .ended, .closed: break
        }
        return effects
    }

    /// The station was closed.
    mutating func closed() -> [StationEffect] {
        guard self.state != .closed else { return [] }
        var effects: [StationEffect] = []
        if self.isConnected { effects.append(.disconnect) }
        self.rest(.closed, &effects)
        effects.append(.end(nil))
        self.publish(&effects)
        return effects
    }

    // MARK: A connection tells

    /// The head of an answer came.
    mutating func answered(_ info: StationInfo, generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.state == .connecting else { return [] }
        self.state = .opening
        self.info = info
        self.openedAt = now
        self.lastBytes = now
        self.lastSound = now
        var effects: [StationEffect] = []
        self.start(.watchdog, min(self.byteLimit, self.policy.muteLimit), &effects)
        self.publish(&effects)
        return effects
    }

    /// Bytes came, whatever they are.
    mutating func bytesCame(generation: UInt64, now: Duration) -> [StationEffect] {
        guard generation == self.generation, self.state == .opening || self.state == .live else {
            return []
        }
        self.lastBytes = now
        self.byteLimit = self.policy.silenceLimit
        return []
    }

    /// The connection is not read for a moment, since the server is far ahead: neither its bytes nor its sound are due.
    mutating func heldBack(generation: UInt64, now: Duration) -> [StationEffect] {
        guard generation == self.generation, self.state == .live else { return [] }
        self.lastBytes = now
        self.lastSound = now
        return []
    }

    /// Sound came.
    ///
    /// - Parameters:
    ///   - duration: how much.
    ///   - generation: of which connection.
    ///   - now: when.
    /// - Returns: what is to be done.
    mutating func soundCame(_ duration: Duration, generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.state == .opening || self.state == .live else {
            return []
        }
        var effects: [StationEffect] = []
        if self.state == .opening {
            self.state = .live
            self.soundings += 1
            self.attempt = 0
            self.refusals = 0
            self.reason = nil
            self.publish(&effects)
        }
        self.lastSound = now
        self.sound += duration
        self.burst.came(duration, now: now)
        return effects
    }

    /// What came is a playlist.
    ///
    /// - Parameters:
    ///   - entries: what it lists, in order.
    ///   - generation: of which connection.
    ///   - now: when.
    /// - Returns: what is to be done.
    mutating func playlistCame(_ entries: [String], generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.state == .opening else { return [] }
        var effects: [StationEffect] = []
        guard self.route.enter(entries, depth: self.policy.playlistDepth) else {
            let message =
                entries.isEmpty
                ? "The playlist of \(self.display) lists nothing to play; look for another address."
                : "The playlists of \(self.display) name one another, or lie too deep in one another, and lead to no station; look for another address."
            // An empty list may be filled; lists that name one another lead nowhere, however often they are asked.
            let failure = StationFailure(
                .notAudio,
                message,
                isRefusal: true,
                isFinal: !entries.isEmpty
            )
            self.lose(failure, now: now, &effects)
            return effects
        }
        effects.append(.disconnect)
        self.connect(now: now, &effects)
        return effects
    }

    /// The server ended the connection.
    mutating func bodyEnded(generation: UInt64, now: Duration) -> [StationEffect] {
        self.failed(
            StationFailure(.ended, "\(self.who) ended the connection; it is asked again."),
            generation: generation,
            now: now
        )
    }

    /// The connection could not be made, broke, or brought something that is no sound.
    mutating func failed(_ failure: StationFailure, generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.isConnected else { return [] }
        var effects: [StationEffect] = []
        self.lose(failure, now: now, &effects)
        return effects
    }

    // MARK: The clock tells

    /// A timer's time has passed.
    mutating func timerFired(_ timer: StationTimer, generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard self.timers[timer] == generation else { return [] }
        self.timers[timer] = nil
        var effects: [StationEffect] = []
        switch timer {
        case .watchdog: self.watch(now: now, &effects)
        case .retry: self.connect(now: now, &effects)
        case .grace:
            if self.isConnected { effects.append(.disconnect) }
            self.rest(.idle, &effects)
            self.reason = nil
            self.attempt = 0
            self.publish(&effects)
        }
        return effects
    }

    /// The network is another.
    mutating func pathChanged(now: Duration) -> [StationEffect] {
        var effects: [StationEffect] = []
        switch self.state {
        case .waiting:
            self.step = 0
            self.connect(now: now, &effects)
        case .connecting:
            self.step = 0
            effects.append(.disconnect)
            self.connect(now: now, &effects)
        case .opening, .live:
            // It may go on over the new network, or hang for ever: the next bytes tell.
            self.step = 0
            self.lastBytes = now
            self.byteLimit = min(self.policy.pathLimit, self.policy.silenceLimit)
            self.burst = SoundBurst()
            self.start(.watchdog, self.untilSilence(now: now), &effects)
        case .idle, .ended, .closed: break
        }
        return effects
    }
}

/// What a station's machine wants done.
enum StationEffect: Hashable, Sendable {
    /// Connect anew; what the connection tells carries the generation.
    ///
    /// - Parameters:
    ///   - target: where to.
    ///   - generation: the connection's number.
    ///   - loss: why the last connection that brought sound was lost, if one was.
    case connect(StationTarget, generation: UInt64, loss: StationLoss?)
    /// End the connection, if it has not ended by itself.
    case disconnect
    /// Tell when a time has passed, in place of what that timer was set to before.
    case start(StationTimer, Duration, generation: UInt64)
    /// Tell that no more.
    case stop(StationTimer)
    /// Tell the watchers.
    case publish(StationStatus)
    /// End all present listeners; `nil`: the station was closed.
    case end(StationLoss?)
}

/// What a station waits for by the clock.
enum StationTimer: Hashable, Sendable, CaseIterable {
    /// An answer's head, bytes, or sound that should have come by then.
    case watchdog
    /// The next attempt.
    case retry
    /// A listener that may come back.
    case grace
}
