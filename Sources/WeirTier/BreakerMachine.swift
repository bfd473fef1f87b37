// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides whether to ask a tier; after repeated failures or delays, pauses it and then sends one
/// probe.
struct BreakerMachine: Sendable {
    /// How many failures in a row start a pause.
    static let tolerance = 3
    /// How many timely answers cancel out a late one: fewer than one late answer in ten never start
    /// a pause.
    static let timelyAnswers = 10
    /// The first pause; it doubles after each failed probe.
    static let firstPause = Duration.seconds(1)
    /// The longest pause.
    static let longestPause = Duration.seconds(60)
    /// The longest pause that the tier itself can request.
    static let longestWish = Duration.seconds(600)

    private enum State: Hashable {
        /// A late answer adds ``timelyAnswers`` to `lateness`; a timely one subtracts 1.
        case closed(failures: Int, lateness: Int)
        case open(until: Duration, pause: Duration)
        /// One question is running, since this time.
        case probing(since: Duration, pause: Duration)
    }

    private var state = State.closed(failures: 0, lateness: 0)

    /// Whether the tier may be asked now.
    ///
    /// After `true`, the caller must report the end of the question with ``succeeded(asked:)``,
    /// ``failed(at:)``, ``late(at:)``, ``refused(at:for:)`` or ``left(asked:)``.
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

    /// Whether the tier is paused.
    var isOpen: Bool {
        if case .closed = self.state { false } else { true }
    }

    /// Whether the pause is over, and no probe has started yet.
    func isDue(at time: Duration) -> Bool {
        if case .open(let until, _) = self.state { time >= until } else { false }
    }

    /// The tier answered a question in time; the answer may be that it has no such object.
    ///
    /// An answer to a question from before a pause says nothing about the present state of the
    /// store.
    ///
    /// - Parameter asked: when the question was sent.
    mutating func succeeded(asked: Duration) {
        switch self.state {
        case .closed(_, let lateness):
            self.state = .closed(failures: 0, lateness: max(0, lateness - 1))
        case .probing(let since, _) where asked >= since:
            self.state = .closed(failures: 0, lateness: 0)
        case .probing, .open: break
        }
    }

    /// The tier gave no answer, or a wrong one.
    ///
    /// - Returns: the length of the pause, if one starts now.
    mutating func failed(at time: Duration) -> Duration? {
        if case .closed(let failures, let lateness) = self.state, failures + 1 < Self.tolerance {
            self.state = .closed(failures: failures + 1, lateness: lateness)
            return nil
        }
        return self.opened(at: time)
    }

    /// The origin was faster than the tier, or would have been.
    ///
    /// - Returns: the length of the pause, if one starts now.
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

    /// Waiting for the tier costs more than it saves.
    ///
    /// - Returns: the length of the pause, if one starts now.
    mutating func opened(at time: Duration) -> Duration? {
        switch self.state {
        case .closed:
            self.state = .open(until: time + Self.firstPause, pause: Self.firstPause)
            return Self.firstPause
        case .probing(_, let pause):
            let next = min(pause * 2, Self.longestPause)
            self.state = .open(until: time + next, pause: next)
            return next
        // The question was sent before the pause.
        case .open: return nil
        }
    }

    /// The tier requests a pause of this length.
    ///
    /// - Returns: the length of the pause, if it starts now or becomes longer.
    mutating func refused(at time: Duration, for wish: Duration) -> Duration? {
        let pause = min(max(wish, Self.firstPause), Self.longestWish)
        if case .open(let until, _) = self.state, until >= time + pause { return nil }
        self.state = .open(until: time + pause, pause: Self.firstPause)
        return pause
    }

    /// The caller left before the answer; if its question was the probe, the next caller may ask.
    mutating func left(asked: Duration) {
        if case .probing(let since, let pause) = self.state, asked >= since {
            self.state = .open(until: since, pause: pause)
        }
    }
}
