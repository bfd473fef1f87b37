// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a station is heard too late, and how much of its sound is skipped then.
///
/// Pure. The listener chooses how far behind its live end a station is heard: by the start, by a
/// seek, and by a pause. A server that sends faster than real time does not change this: its sound
/// waits to be heard. The machine reduces only *own* lag: time without sound because the connection
/// was lost, or because the program or the device stood still. The machine skips the part of the
/// own lag above ``allowed``, and never more than the sound that has arrived since.
struct LiveLag: Hashable, Sendable {
    /// The state of the sound during a period.
    enum Passing: Hashable, Sendable {
        /// It was heard.
        case heard
        /// The listener paused it.
        case paused
        /// The player waited for it although the connection was up: the server sends no more.
        case starved
        /// It stood still for another reason, which counts as own lag.
        case stalled
    }

    /// By how much the lag must exceed ``allowed`` before a skip, so that skips are rare.
    static let least = Duration.seconds(5)
    /// In this time at the beginning, the sound is as late as the listener chose.
    private static let beginning = Duration.seconds(1)
    /// After this much heard sound without a halt, the sound sent during the last halt has arrived.
    private static let settling = Duration.seconds(10)
    /// The same, if the lag did not grow by ``growth`` during this time.
    private static let quiet = Duration.seconds(2)
    private static let growth = Duration.milliseconds(500)

    private let allowed: Duration
    private var start: Duration
    /// How far behind the live end the listener chose to be.
    private(set) var chosen: Duration = .zero
    /// The own lag.
    private(set) var own: Duration = .zero
    /// How long the player has waited for the server; this time becomes own lag if the connection
    /// turns out to be lost.
    private var starved: Duration = .zero
    /// How much of the run was heard at the last halt.
    private var lastHalt: Duration
    /// The furthest distance behind the live end since the last halt, and how much was heard when
    /// it last grew.
    ///
    /// It grows while sound that was sent during the halt still arrives.
    private var furthest: Duration = .zero
    private var lastGrowth: Duration
    /// How much of the run has been heard.
    private var heard: Duration

    /// A station begins to be heard.
    ///
    /// - Parameters:
    ///   - heard: how much of the run was heard before.
    ///   - allowed: how much own lag is not reduced.
    init(after heard: Duration, allowed: Duration) {
        self.start = heard
        self.lastHalt = heard
        self.lastGrowth = heard
        self.heard = heard
        self.allowed = max(.zero, allowed)
    }

    /// Records a period.
    ///
    /// - Parameters:
    ///   - time: its length.
    ///   - passing: the state of the sound in it.
    ///   - behind: how far behind the live end the sound is heard.
    ///   - heard: how much of the run has been heard by now.
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
        // Sound that was broadcast during the halt and has not arrived by now never arrives.
        if heard - self.lastHalt >= Self.settling {
            self.own = min(self.own, max(.zero, behind - self.chosen))
        }
    }

    /// The lag for the run that continues nearer to the live end.
    ///
    /// - Parameters:
    ///   - excess: how much sound was skipped.
    ///   - heard: how much of the new run has been heard.
    /// - Returns: the remaining lag, and the distance that the listener chose.
    func givenUp(_ excess: Duration, after heard: Duration) -> LiveLag {
        var left = self
        // Later skips must not count the earlier halts a second time.
        left.own = min(max(.zero, self.own - excess), self.allowed)
        left.starved = .zero
        left.start = heard - Self.beginning
        left.lastHalt = heard
        left.furthest = .zero
        left.lastGrowth = heard
        left.heard = heard
        return left
    }

    /// How much sound to skip now; the machine skips it all at once, after all late sound has
    /// arrived.
    ///
    /// - Parameter behind: how far behind the live end the sound is heard.
    /// - Returns: `nil` if there is nothing to skip.
    func excess(behind: Duration) -> Duration? {
        let come = behind - self.chosen
        let hasCome =
            come >= self.own || self.heard - self.lastGrowth >= Self.quiet
            || self.heard - self.lastHalt >= Self.settling
        let excess = min(self.own, come) - self.allowed
        return hasCome && excess > Self.least ? excess : nil
    }
}
