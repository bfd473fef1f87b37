// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides whether a tier is asked: one that fails again and again is left alone for a while, and then asked one thing.
struct BreakerMachine: Sendable {
    /// How many failures in a row are enough.
    static let tolerance = 3
    /// How long it is left alone at first; twice as long after each probe that fails.
    static let firstPause = Duration.seconds(1)
    /// How long it is left alone at most.
    static let longestPause = Duration.seconds(60)

    private enum State: Hashable {
        case closed(failures: Int)
        case open(until: Duration, pause: Duration)
        /// One question is under way, since it was asked.
        case probing(since: Duration, pause: Duration)
    }

    private var state = State.closed(failures: 0)

    /// Whether the tier may be asked now; a question that may has to end with ``succeeded()``, ``failed(at:)`` or
    /// ``left()``.
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

    /// It gave an answer in time, be it that there is nothing.
    mutating func succeeded() { self.state = .closed(failures: 0) }

    /// It gave none, or a wrong one.
    ///
    /// - Returns: how long it is left alone, if that begins now.
    mutating func failed(at time: Duration) -> Duration? {
        switch self.state {
        case .closed(let failures):
            guard failures + 1 >= Self.tolerance else {
                self.state = .closed(failures: failures + 1)
                return nil
            }
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

    /// Who asked has gone before there was an answer: the next one may ask.
    mutating func left() {
        if case .probing(let since, let pause) = self.state {
            self.state = .open(until: since, pause: pause)
        }
    }
}
