// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The consequences of an event.
extension StationMachine {
    var isConnected: Bool {
        switch self.state {
        case .connecting, .opening, .live: true
        case .idle, .waiting, .ended, .closed: false
        }
    }

    /// The name of the server that answered, or of the station.
    var who: String { self.info?.display ?? self.display }

    /// Forgets the earlier attempts.
    mutating func begin() {
        self.route.restart()
        self.step = 0
        self.attempt = 0
        self.refusals = 0
        self.heard = .zero
        self.reason = nil
        self.outage = nil
    }

    /// Connects to the route's current address.
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

    /// Stops all timers and enters a state.
    mutating func rest(_ state: State, _ effects: inout [StationEffect]) {
        for timer in StationTimer.allCases { self.stop(timer, &effects) }
        self.state = state
    }

    /// The connection is over: tries the next entry, waits, or gives up.
    ///
    /// - Parameters:
    ///   - failure: why the connection is over.
    ///   - now: the time.
    ///   - effects: the list to which the new effects are appended.
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
            // A server refuses while the station's source is away, or while it has as many
            // listeners as it allows. So Weir does not give up a station that has played.
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

    /// A connection with sound is lost: sets the next wait from the amount of its sound.
    private mutating func credit(now: Duration) {
        // The burst of older sound at the start does not prove that the station works.
        let sound = min(self.sound, now - self.openedAt)
        self.heard += sound
        if self.heard >= self.policy.proof {
            self.step = 0
            self.heard = .zero
        } else if sound >= self.policy.proof / 10 {
            // The connection ends again and again, but sound plays in between: a wait must not be
            // longer than that sound.
            self.step = min(self.step, 1)
        }
    }

    /// Checks whether bytes or sound are overdue.
    mutating func watch(now: Duration, _ effects: inout [StationEffect]) {
        guard self.state != .connecting else {
            let limit = self.policy.answerLimit
            self.lose(
                StationFailure(
                    .silent,
                    "\(self.display) did not answer within \(limit); Weir connects again."
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
                "\(self.who) sent no sound for \(self.policy.muteLimit); Weir connects again."
            )
            : StationFailure(
                .silent,
                "\(self.who) sent nothing for \(self.silence(now: now)); Weir connects again."
            )
        self.lose(failure, now: now, &effects)
    }

    /// How long the current silence or muteness may last.
    ///
    /// A server that sent a burst may be silent while the burst is heard.
    func untilSilence(now: Duration) -> Duration {
        let limit = min(self.lastBytes + self.byteLimit, self.lastSound + self.policy.muteLimit)
        let next = self.burst.end.map { $0 + self.policy.silenceLimit / 2 } ?? limit
        return max(limit, next) - now
    }

    /// How long the server has sent no byte, in whole seconds if that is longer than the limit.
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
