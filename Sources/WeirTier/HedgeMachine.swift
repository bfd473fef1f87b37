// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when to ask the origin, too, while a reader waits for the store's answer.
///
/// The bytes of these extra requests amount to at most a tenth of the bytes that the store has
/// given, plus an initial credit. This is a hedged request (Dean and Barroso, *The Tail at Scale*,
/// 2013): the reader uses the first answer.
struct HedgeMachine: Sendable {
    /// One extra byte may be requested from the origin for this many bytes of the store.
    static let share: Int64 = 10

    /// The next step of a reader after a wait.
    enum Step: Hashable, Sendable {
        /// Wait until this time has passed.
        case wait(until: Duration)
        /// Ask the origin in addition to the store.
        case ask
        /// Ask the origin, and pause the store.
        ///
        /// The store is slower than the origin would be, and the credit does not cover the bytes.
        case leaveAlone
    }

    /// How many bytes may be requested from the origin in addition to the store.
    private(set) var credit: Int64
    private let mostCredit: Int64
    /// The bytes that the store gave and that have not earned credit yet: fewer than ``share``.
    private var rest: Int64 = 0

    /// Creates a machine with this credit, which is also the maximum.
    init(mostCredit: Int64) {
        self.credit = mostCredit
        self.mostCredit = mostCredit
    }

    /// Counts bytes that the store gave.
    mutating func storeGave(_ byteCount: Int64) {
        self.rest += byteCount
        self.credit = min(self.mostCredit, self.credit + self.rest / Self.share)
        self.rest %= Self.share
    }

    /// Deducts extra bytes of the origin from the credit.
    ///
    /// - Returns: `false` if the credit is too small; nothing is then deducted.
    mutating func take(_ byteCount: Int64) -> Bool {
        guard byteCount <= self.credit else { return false }
        self.credit -= byteCount
        return true
    }

    /// The next step of a reader.
    ///
    /// - Parameters:
    ///   - waited: how long the reader has waited for the store.
    ///   - byteCount: how many bytes the origin would be asked for.
    ///   - pace: the origin's recent response times.
    /// - Returns: the step; for ``Step/ask``, the bytes are deducted from the credit.
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

/// The recent response times of an origin, and the rate of its bytes.
struct OriginPace: Sendable {
    /// The shortest wait for the store before the origin is asked.
    static let shortestDelay = Duration.milliseconds(250)
    /// The wait for the store if the origin's pace is unknown.
    static let usualDelay = Duration.milliseconds(500)
    /// The longest wait for the store before the origin is asked.
    static let longestDelay = Duration.seconds(2)
    /// The assumed rate of an origin without measurements, in bytes per second.
    static let usualRate = 4e6

    private var mean: Double?
    private var deviation = 0.0
    private var rate: Double?

    /// Notes the time until the origin began to answer.
    mutating func answered(after time: Duration) {
        let time = time / .seconds(1)
        guard let mean else {
            (self.mean, self.deviation) = (time, time / 2)
            return
        }
        // Like TCP's estimate of when an acknowledgement is late (RFC 6298 §2).
        self.deviation = self.deviation * 3 / 4 + abs(mean - time) / 4
        self.mean = mean * 7 / 8 + time / 8
    }

    /// Notes how long the origin's bytes took.
    mutating func delivered(_ byteCount: Int64, in time: Duration) {
        let seconds = time / .seconds(1)
        guard byteCount > 0, seconds > 0 else { return }
        let new = Double(byteCount) / seconds
        self.rate = self.rate.map { $0 * 3 / 4 + new / 4 } ?? new
    }

    /// How long a reader waits for the store alone.
    ///
    /// This is the mean response time of the origin plus four deviations, but at least 250 ms and
    /// at most 2 s. Without measurements, it is 500 ms.
    var delay: Duration {
        guard let mean else { return Self.usualDelay }
        let time = Self.duration(mean + 4 * self.deviation)
        return min(max(time, Self.shortestDelay), Self.longestDelay)
    }

    /// A cautious estimate of the origin's time for this many bytes.
    func time(for byteCount: Int64) -> Duration {
        self.delay + Self.duration(Double(byteCount) / max(self.rate ?? Self.usualRate, 1e4))
    }

    /// Converts seconds, rounded to milliseconds; at most an hour.
    private static func duration(_ seconds: Double) -> Duration {
        .milliseconds(Int((min(seconds, 3600) * 1000).rounded()))
    }
}
