// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a reader who waits for the store gets the origin asked beside it, so that the origin never sends more than
/// a tenth of what the store gives on top of what it has to.
///
/// A hedged request (Dean and Barroso, *The Tail at Scale*, 2013): what comes first is read.
struct HedgeMachine: Sendable {
    /// Of how many bytes that the store gave one may be asked of the origin as well.
    static let share: Int64 = 10

    /// What a reader does who has waited so long.
    enum Step: Hashable, Sendable {
        /// Waits until so much time has passed.
        case wait(until: Duration)
        /// Asks the origin beside the store.
        case ask
        /// Asks the origin, and leaves the store alone: it is later than the origin would be, and nothing is left to ask
        /// both.
        case leaveAlone
    }

    /// How many bytes may be asked of the origin beside the store.
    private(set) var credit: Int64
    private let mostCredit: Int64
    /// What is left over of the bytes that are too few for one of credit.
    private var rest: Int64 = 0

    /// A machine that may ask for so many bytes beforehand, and saves up no more.
    init(mostCredit: Int64) {
        self.credit = mostCredit
        self.mostCredit = mostCredit
    }

    /// The store gave bytes.
    mutating func storeGave(_ byteCount: Int64) {
        self.rest += byteCount
        self.credit = min(self.mostCredit, self.credit + self.rest / Self.share)
        self.rest %= Self.share
    }

    /// Takes the right to ask for bytes beside the store.
    mutating func take(_ byteCount: Int64) -> Bool {
        guard byteCount <= self.credit else { return false }
        self.credit -= byteCount
        return true
    }

    /// What a reader does.
    ///
    /// - Parameters:
    ///   - waited: how long it has waited for the store.
    ///   - byteCount: how many bytes the origin would be asked for.
    ///   - pace: how soon the origin answered lately.
    /// - Returns: what is to be done; with ``Step/ask`` the bytes are taken off the credit.
    mutating func step(
        after waited: Duration,
        for byteCount: Int64,
        _ pace: OriginPace
    ) -> Step {
        guard waited >= pace.delay else { return .wait(until: pace.delay) }
        if self.take(byteCount) { return .ask }
        let limit = pace.time(for: byteCount)
        return waited < limit ? .wait(until: limit) : .leaveAlone
    }
}

/// How soon an origin answered lately, and how fast its bytes came.
struct OriginPace: Sendable {
    /// How late a store may be in any case.
    static let shortestDelay = Duration.milliseconds(250)
    /// How late it may be where nothing is known of the origin.
    static let usualDelay = Duration.milliseconds(500)
    /// How late it may be at most.
    static let longestDelay = Duration.seconds(2)
    /// What the origin is taken to send in a second where nothing is known of it.
    static let usualRate = 4e6

    private var mean: Double?
    private var deviation = 0.0
    private var rate: Double?

    /// The origin began to answer.
    mutating func answered(after time: Duration) {
        let time = time / .seconds(1)
        guard let mean else {
            (self.mean, self.deviation) = (time, time / 2)
            return
        }
        // As TCP estimates when an acknowledgement is late (RFC 6298 §2).
        self.deviation = self.deviation * 3 / 4 + abs(mean - time) / 4
        self.mean = mean * 7 / 8 + time / 8
    }

    /// The origin's bytes came in so much time, the reader's own included.
    mutating func delivered(_ byteCount: Int64, in time: Duration) {
        let seconds = time / .seconds(1)
        guard byteCount > 0, seconds > 0 else { return }
        let new = Double(byteCount) / seconds
        self.rate = self.rate.map { $0 * 3 / 4 + new / 4 } ?? new
    }

    /// After how long the store is later than the origin would be.
    var delay: Duration {
        guard let mean else { return Self.usualDelay }
        let time = Self.duration(mean + 4 * self.deviation)
        return min(max(time, Self.shortestDelay), Self.longestDelay)
    }

    /// How long the origin would need for so many bytes.
    func time(for byteCount: Int64) -> Duration {
        self.delay + Self.duration(Double(byteCount) / max(self.rate ?? Self.usualRate, 1e4))
    }

    /// Seconds, to the millisecond; an hour at most.
    private static func duration(_ seconds: Double) -> Duration {
        .milliseconds(Int((min(seconds, 3600) * 1000).rounded()))
    }
}
