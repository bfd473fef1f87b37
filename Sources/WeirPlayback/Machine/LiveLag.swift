// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a station is heard too late, and how much of its sound is given up then.
///
/// Pure. How far behind its live end a station is heard is the listener's choice: by where it began, by a place that was
/// gone to, and by pausing. A server that sends faster than the sound is heard takes nothing from the listener either:
/// its sound waits to be heard. Only lag of our own making is caught up with: time in which nothing was heard, since the
/// connection was away, the player's program stood still, or its device did. What of it is more than ``allowed`` is given
/// up, and never more than what has come since.
struct LiveLag: Hashable, Sendable {
    /// What happened to the sound for a while.
    enum Passing: Hashable, Sendable {
        /// It was heard.
        case heard
        /// The listener paused it.
        case paused
        /// It was waited for, and the connection was there: the server sends no more.
        case starved
        /// It stood still for another reason: of our own making.
        case stalled
    }

    /// How much more lag than ``allowed`` there has to be: sound is given up seldom, not a little again and again.
    static let least = Duration.seconds(5)
    /// While so much is heard first, it is as late as the listener chose.
    private static let beginning = Duration.seconds(1)
    /// When so much was heard without a halt, what was sent meanwhile has come.
    private static let settling = Duration.seconds(10)
    /// The same, where in all of it the lag did not become longer by ``growth``.
    private static let quiet = Duration.seconds(2)
    private static let growth = Duration.milliseconds(500)

    private let allowed: Duration
    private var start: Duration
    /// How far behind the live end the listener chose to be.
    private(set) var chosen: Duration = .zero
    /// How much lag we made ourselves.
    private(set) var own: Duration = .zero
    /// How long it has been waited for the server: our own, if its connection turns out to be lost.
    private var starved: Duration = .zero
    /// How much of the run was heard when the sound stood still last.
    private var lastHalt: Duration
    /// How far behind the live end it was at most since the last halt, and how much of the run was heard when that became
    /// more: what was sent during the halt still comes.
    private var furthest: Duration = .zero
    private var lastGrowth: Duration
    /// How much of the run is heard.
    private var heard: Duration

    /// A station begins to be heard.
    ///
    /// - Parameters:
    ///   - heard: how much of the run was heard before.
    ///   - allowed: how much lag of our own making is not caught up with.
    init(after heard: Duration, allowed: Duration) {
        self.start = heard
        self.lastHalt = heard
        self.lastGrowth = heard
        self.heard = heard
        self.allowed = max(.zero, allowed)
    }

    /// Takes note of some time.
    ///
    /// - Parameters:
    ///   - time: how much has passed.
    ///   - passing: what happened to the sound.
    ///   - behind: how far behind the live end it is heard.
    ///   - heard: how much of the run is heard by now.
    mutating func passed(
        _ time: Duration,
        _ passing: Passing,
        behind: Duration,
        heard: Duration
    ) {
        switch passing {
        case .heard: self.starved = .zero
        case .paused: break
        case .starved: self.starved += time
        case .stalled:
            self.own += self.starved + time
            self.starved = .zero
        }
        self.heard = heard
        if passing != .heard { self.lastHalt = heard }
        if passing != .heard || behind - self.furthest >= Self.growth {
            self.furthest = behind
            self.lastGrowth = heard
        }
        if passing == .paused || heard - self.start < Self.beginning {
            self.chosen = max(self.chosen, behind)
        }
        // What was broadcast during the halt and has not come by now never comes.
        if heard - self.lastHalt >= Self.settling {
            self.own = min(self.own, max(.zero, behind - self.chosen))
        }
    }

    /// The same for the run in which the sound goes on that is nearer to the live end.
    ///
    /// - Parameters:
    ///   - excess: how much sound was given up.
    ///   - heard: how much of the new run is heard.
    /// - Returns: the lag that is left, and the place that the listener chose.
    func givenUp(_ excess: Duration, after heard: Duration) -> LiveLag {
        var left = self
        // Of the halts until now no more is given up later.
        left.own = min(max(.zero, self.own - excess), self.allowed)
        left.starved = .zero
        left.start = heard - Self.beginning
        left.lastHalt = heard
        left.furthest = .zero
        left.lastGrowth = heard
        left.heard = heard
        return left
    }

    /// How much of the sound is given up now: all at once, and so not before all has come that comes.
    ///
    /// - Parameter behind: how far behind the live end it is heard.
    /// - Returns: `nil` if none is.
    func excess(behind: Duration) -> Duration? {
        let come = behind - self.chosen
        let hasCome =
            come >= self.own || self.heard - self.lastGrowth >= Self.quiet
            || self.heard - self.lastHalt >= Self.settling
        let excess = min(self.own, come) - self.allowed
        return hasCome && excess > Self.least ? excess : nil
    }
}
