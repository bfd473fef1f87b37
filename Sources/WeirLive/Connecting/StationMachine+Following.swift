// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What follows from an event.
extension StationMachine {
    var isConnected: Bool {
        switch self.state {
        case .connecting, .opening, .live: true
        case .idle, .waiting, .ended, .closed: false
        }
    }

    /// The server that answered, or that was asked.
    var who: String { self.info?.display ?? self.display }

    /// Forgets how it went before.
    mutating func begin() {
        self.route.restart()
        self.step = 0
        self.attempt = 0
        self.refusals = 0
        self.heard = .zero
        self.reason = nil
        self.outage = nil
    }

    /// Connects to the route's present address.
    mutating func connect(now: Duration, _ effects: inout [StationEffect]) {
        self.stop(.retry, &effects)
        self.state = .connecting
        self.generation += 1
        self.sound = .zero
        self.byteLimit = self.policy.silenceLimit
        self.burst = SoundBurst()
        effects.append(
            .connect(self.route.target, generation: self.generation, loss: self.outage)
        )
        self.start(.watchdog, self.policy.answerLimit, &effects)
        self.publish(&effects)
    }

    /// Goes to a state in which nothing runs.
    mutating func rest(_ state: State, _ effects: inout [StationEffect]) {
        for timer in StationTimer.allCases { self.stop(timer, &effects) }
        self.state = state
    }

    /// The connection is over: tries the next entry, waits, or gives up.
    ///
    /// - Parameters:
    ///   - failure: why it is over.
    ///   - now: when.
    ///   - effects: where what is to be done is added.
    mutating func lose(
        _ failure: StationFailure,
        now: Duration,
        _ effects: inout [StationEffect]
    ) {
        effects.append(.disconnect)
        let hadSound = self.state == .live
        self.reason = self.soundings > 0 ? failure.ofPlayed(self.display).loss : failure.loss
        if hadSound {
            self.outage = failure.loss
            self.credit(now: now)
        } else {
            self.attempt += 1
            self.heard = .zero
            if self.route.failed(isRefusal: failure.isRefusal, isFinal: failure.isFinal) {
                self.connect(now: now, &effects)
                return
            }
            self.refusals = self.route.isRefused ? self.refusals + 1 : 0
            // A server refuses while the source of a station is away, or while all its places are taken: what has played
            // comes back.
            let isRefused = self.refusals >= max(1, self.policy.refusalLimit)
            if self.soundings == 0, self.route.isHopeless || isRefused {
                self.rest(.ended, &effects)
                effects.append(.end(failure.loss))
                self.publish(&effects)
                return
            }
        }
        self.route.restart()
        let delay = max(
            self.jitter.vary(self.policy.delay(self.step), by: self.policy.jitter),
            min(failure.patience, self.policy.patienceLimit)
        )
        self.step += 1
        guard delay > .zero else {
            self.connect(now: now, &effects)
            return
        }
        self.stop(.watchdog, &effects)
        self.state = .waiting(delay)
        self.start(.retry, delay, &effects)
        self.publish(&effects)
    }

    /// A connection that brought sound is lost: works out how long to wait, by how much it was.
    private mutating func credit(now: Duration) {
        // What a server sends at once, of what it broadcast before, proves nothing.
        let sound = min(self.sound, now - self.openedAt)
        self.heard += sound
        if self.heard >= self.policy.proof {
            self.step = 0
            self.heard = .zero
        } else if sound >= self.policy.proof / 10 {
            // It ends again and again, and yet it plays: a listener is not to wait longer than it plays.
            self.step = min(self.step, 1)
        }
    }

    /// Looks whether bytes or sound should have come.
    mutating func watch(now: Duration, _ effects: inout [StationEffect]) {
        guard self.state != .connecting else {
            let limit = self.policy.answerLimit
            self.lose(
                StationFailure(
                    .silent,
                    "\(self.display) did not answer within \(limit); it is asked again."
                ),
                now: now,
                &effects
            )
            return
        }
        let left = self.untilSilence(now: now)
        guard left <= .zero else {
            self.start(.watchdog, left, &effects)
            return
        }
        let isMute = now - self.lastBytes < self.byteLimit
        let failure =
            isMute
            ? StationFailure(
                .notAudio,
                "\(self.who) sent no sound for \(self.policy.muteLimit); it is asked again."
            )
            : StationFailure(
                .silent,
                "\(self.who) sent nothing for \(self.silence(now: now)); it is asked again."
            )
        self.lose(failure, now: now, &effects)
    }

    /// How long what comes, or does not, may stay as it is.
    ///
    /// A server that sent much at once is silent while that is heard.
    func untilSilence(now: Duration) -> Duration {
        let limit = min(self.lastBytes + self.byteLimit, self.lastSound + self.policy.muteLimit)
        let next = self.burst.end.map { $0 + self.policy.silenceLimit / 2 } ?? limit
        return max(limit, next) - now
    }

    /// How long no byte has come, in whole seconds where it is longer than the limit.
    private func silence(now: Duration) -> Duration {
        max(self.byteLimit, .seconds((now - self.lastBytes).components.seconds))
    }

    mutating func start(
        _ timer: StationTimer,
        _ delay: Duration,
        _ effects: inout [StationEffect]
    ) {
        self.lastTimer += 1
        self.timers[timer] = self.lastTimer
        effects.append(.start(timer, max(.zero, delay), generation: self.lastTimer))
    }

    mutating func stop(_ timer: StationTimer, _ effects: inout [StationEffect]) {
        guard self.timers.removeValue(forKey: timer) != nil else { return }
        effects.append(.stop(timer))
    }

    mutating func publish(_ effects: inout [StationEffect]) {
        let status = self.status
        guard status != self.published else { return }
        self.published = status
        effects.append(.publish(status))
    }
}
