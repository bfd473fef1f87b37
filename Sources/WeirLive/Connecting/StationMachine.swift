// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides when to connect to a station, when to leave it, and when to give it up.
///
/// Pure: it takes events with their time, and returns effects. An event of a connection has the
/// connection's number, and an event of a timer has the number of the timer's start. The machine
/// ignores events of old numbers.
struct StationMachine: Sendable {
    /// The state of the connection.
    enum State: Hashable, Sendable {
        /// There is no listener.
        case idle
        /// Weir is connecting; the response head has not arrived.
        case connecting
        /// The response head has arrived; no sound was found yet.
        case opening
        /// Sound arrives.
        case live
        /// The connection was lost, or an attempt failed; Weir connects again after this delay.
        case waiting(Duration)
        /// The station has given up; the next listener makes it try again.
        case ended
        /// The station was closed; no event changes this state.
        case closed
    }

    let policy: ReconnectPolicy
    /// The station's name for messages.
    let display: String

    var state = State.idle
    /// The number of the current connection, or of the last one.
    var generation: UInt64 = 0

    var route = PlaylistRoute()
    var jitter: Jitter
    /// How many waits there were since the station last worked.
    var step = 0
    /// How many attempts in a row brought no sound.
    var attempt = 0
    /// How many passes in a row were refused.
    var refusals = 0
    /// When the server answered on the current connection.
    var openedAt: Duration = .zero
    /// How much sound the current connection brought.
    var sound: Duration = .zero
    /// How much sound earlier connections brought, since the waits started again or an attempt
    /// brought no sound.
    var heard: Duration = .zero
    /// How many connections brought sound.
    var soundings = 0
    var reason: StationError?
    /// Why the last connection that brought sound was lost.
    var outage: StationError?
    var info: StationInfo?

    /// When bytes last arrived, or the time from which the byte limit counts.
    var lastBytes: Duration = .zero
    /// How long the server may send no byte.
    var byteLimit: Duration
    /// When sound last arrived, or the time from which the sound limit counts.
    var lastSound: Duration = .zero
    /// The last burst of sound.
    var burst = SoundBurst()

    /// The numbers of the running timers.
    var timers: [StationTimer: UInt64] = [:]
    var lastTimer: UInt64 = 0
    var published = StationStatus()

    /// A station without listeners.
    ///
    /// - Parameters:
    ///   - policy: when to ask the station again.
    ///   - display: the station's name for messages.
    ///   - seed: the seed of the jitter.
    init(policy: ReconnectPolicy, display: String, seed: UInt64) {
        self.policy = policy
        self.display = display
        self.jitter = Jitter(seed: seed)
        self.byteLimit = policy.silenceLimit
    }

    /// The status for observers.
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

    /// A listener joined.
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

    // MARK: Connection events

    /// The response head arrived.
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

    /// Bytes of any kind arrived.
    mutating func bytesCame(generation: UInt64, now: Duration) -> [StationEffect] {
        guard generation == self.generation, self.state == .opening || self.state == .live else {
            return []
        }
        self.lastBytes = now
        self.byteLimit = self.policy.silenceLimit
        return []
    }

    /// Weir does not read the connection for a moment, since the server is far ahead: no bytes or
    /// sound are due.
    mutating func heldBack(generation: UInt64, now: Duration) -> [StationEffect] {
        guard generation == self.generation, self.state == .live else { return [] }
        self.lastBytes = now
        self.lastSound = now
        return []
    }

    /// Sound arrived.
    ///
    /// - Parameters:
    ///   - duration: the amount of sound.
    ///   - generation: the connection's number.
    ///   - now: the time.
    /// - Returns: the effects.
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

    /// The connection brought a playlist.
    ///
    /// - Parameters:
    ///   - entries: the playlist's entries, in order.
    ///   - generation: the connection's number.
    ///   - now: the time.
    /// - Returns: the effects.
    mutating func playlistCame(_ entries: [String], generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.state == .opening else { return [] }
        var effects: [StationEffect] = []
        guard self.route.enter(entries, depth: self.policy.playlistDepth) else {
            let message =
                entries.isEmpty
                ? "The playlist of \(self.display) lists nothing to play; use another address."
                : "The playlists of \(self.display) name one another, or are nested too deep, and lead to no station; use another address."
            // An empty list may get entries later; lists that name one another never lead to a
            // station.
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
            StationFailure(.ended, "\(self.who) ended the connection; Weir connects again."),
            generation: generation,
            now: now
        )
    }

    /// The connection failed, broke, or brought something other than sound.
    mutating func failed(_ failure: StationFailure, generation: UInt64, now: Duration)
        -> [StationEffect]
    {
        guard generation == self.generation, self.isConnected else { return [] }
        var effects: [StationEffect] = []
        self.lose(failure, now: now, &effects)
        return effects
    }

    // MARK: Timer events

    /// A timer fired.
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

    /// The network has changed.
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
            // The connection may continue over the new network, or hang for ever: the next bytes
            // show which.
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

/// An effect of a station's machine.
enum StationEffect: Hashable, Sendable {
    /// Open a new connection; its events have the generation.
    ///
    /// - Parameters:
    ///   - target: the address.
    ///   - generation: the connection's number.
    ///   - loss: why the last connection with sound was lost; `nil` if none was lost.
    case connect(StationTarget, generation: UInt64, loss: StationError?)
    /// End the connection, if it has not ended already.
    case disconnect
    /// Start a timer; this replaces an earlier start of the same timer.
    case start(StationTimer, Duration, generation: UInt64)
    /// Stop a timer.
    case stop(StationTimer)
    /// Publish the status to observers.
    case publish(StationStatus)
    /// End all current listeners; `nil`: the station was closed.
    case end(StationError?)
}

/// The timers of a station.
enum StationTimer: Hashable, Sendable, CaseIterable {
    /// The deadline for the response head, bytes or sound.
    case watchdog
    /// The next attempt.
    case retry
    /// The time for which a listener may come back.
    case grace
}
