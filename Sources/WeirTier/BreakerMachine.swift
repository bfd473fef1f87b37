// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides whether a tier is asked: one that fails or is late again and again is left alone for a while, and then asked
/// one thing.
struct BreakerMachine: Sendable {
    /// How many failures in a row are enough.
    static let tolerance = 3
    /// How many timely answers make up for a late one: of fewer than one late answer in ten nothing follows.
    static let timelyAnswers = 10
    /// How long it is left alone at first; twice as long after each probe that fails.
    static let firstPause = Duration.seconds(1)
    /// How long it is left alone at most.
    static let longestPause = Duration.seconds(60)
    /// How long it is left alone at most where it asks for that itself.
    static let longestWish = Duration.seconds(600)

    private enum State: Hashable {
        /// `lateness` is in parts of a late answer, ``timelyAnswers`` of which are one.
        case closed(failures: Int, lateness: Int)
        case open(until: Duration, pause: Duration)
        /// One question is under way, since it was asked.
        case probing(since: Duration, pause: Duration)
    }

    private var state = State.closed(failures: 0, lateness: 0)

    /// Whether the tier may be asked now; a question that may has to end with ``succeeded(asked:)``, ``failed(at:)``,
    /// ``late(at:)`` or ``left(asked:)``.
    mutating func mayAsk(at time: Duration) -> Bool {
        switch self.state {
        case .closed: return true
        case .open(let until, let pause):
            guard time >= until else { return false }
            self.state = .probing(since: time, pause: pause)
            return true
        case .probing: return false
        }
    }

    /// Whether the tier is left alone.
    var isOpen: Bool {
        if case .closed = self.state { false } else { true }
    }

    /// Whether it has been left alone for long enough, and waits for a probe.
    func isDue(at time: Duration) -> Bool {
        if case .open(let until, _) = self.state { time >= until } else { false }
    }

    /// It gave an answer in time, be it that there is nothing, to a question of a time.
    ///
    /// A question from before a pause says nothing of the store now.
    mutating func succeeded(asked: Duration) {
        switch self.state {
        case .closed(_, let lateness):
            self.state = .closed(failures: 0, lateness: max(0, lateness - 1))
        case .probing(let since, _) where asked >= since:
            self.state = .closed(failures: 0, lateness: 0)
        case .probing, .open: break
        }
    }

    /// It gave none, or a wrong one.
    ///
    /// - Returns: how long it is left alone, if that begins now.
    mutating func failed(at time: Duration) -> Duration? {
        if case .closed(let failures, let lateness) = self.state, failures + 1 < Self.tolerance {
            self.state = .closed(failures: failures + 1, lateness: lateness)
            return nil
        }
        return self.opened(at: time)
    }

    /// The origin would have been sooner, or was.
    ///
    /// - Returns: how long it is left alone, if that begins now.
    mutating func late(at time: Duration) -> Duration? {
        if case .closed(let failures, let lateness) = self.state {
            let sum = lateness + Self.timelyAnswers
            guard sum >= Self.tolerance * Self.timelyAnswers else {
                self.state = .closed(failures: failures, lateness: sum)
                return nil
            }
        }
        return self.opened(at: time)
    }

    /// To wait for it costs more than it spares.
    ///
    /// - Returns: how long it is left alone, if that begins now.
    mutating func opened(at time: Duration) -> Duration? {
        switch self.state {
        case .closed:
            self.state = .open(until: time + Self.firstPause, pause: Self.firstPause)
            return Self.firstPause
        case .probing(_, let pause):
            let next = min(pause * 2, Self.longestPause)
            self.state = .open(until: time + next, pause: next)
            return next
        // A question from before the pause.
        case .open: return nil
        }
    }

    /// It asks to be left alone for so long.
    ///
    /// - Returns: how long it is left alone, if that begins now or becomes longer.
    mutating func refused(at time: Duration, for wish: Duration) -> Duration? {
        let pause = min(max(wish, Self.firstPause), Self.longestWish)
        if case .open(let until, _) = self.state, until >= time + pause { return nil }
        self.state = .open(until: time + pause, pause: Self.firstPause)
        return pause
    }

    /// The asker of a time left before the answer: if that was the probe, the next one may ask.
    mutating func left(asked: Duration) {
        if case .probing(let since, let pause) = self.state, asked >= since {
            self.state = .open(until: since, pause: pause)
        }
    }
}
