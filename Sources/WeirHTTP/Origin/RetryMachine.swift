// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Counts failures and says what follows: for one reading, or in the budget of a resource.
struct RetryMachine {
    /// What failed.
    enum Failure: Hashable {
        /// No connection.
        case unreached
        /// No connection or no answer within its time, which was long enough to hope for one.
        case unanswered
        /// The connection, after it stood.
        case lost
        /// A status that may go away, with what `Retry-After` says.
        case refusedForNow(retryAfter: Duration?)
    }

    /// What follows.
    enum Decision: Hashable {
        case retry(after: Duration)
        case giveUp
        /// The origin wants more time than we have.
        case waitIsTooLong(Duration)
    }

    private let policy: RetryPolicy
    /// Whether failures are counted with those of other readings.
    private let isShared: Bool
    /// The failures of all readings that share the count, as of the last event.
    private var budget = RetryBudget()
    /// This one's own: the progress of another does not make up for them.
    private var own = RetryBudget()
    /// How long the origin has been waited for at its own request, since the last progress.
    private var waited = Duration.zero
    private var isInContact = false
    /// The time of the event, where it is told.
    private var now: Duration?
    /// How many failures in a row the last kind of failure is allowed.
    private var limit: Int

    /// - Parameters:
    ///   - policy: how often is tried, and after which pauses.
    ///   - isShared: whether the failures of other readings of the resource count, too.
    init(_ policy: RetryPolicy, isShared: Bool = true) {
        self.policy = policy
        self.isShared = isShared
        self.limit = policy.maximumRetries
    }

    /// Failures in a row.
    var failures: Int { max(self.budget.failures, self.own.failures) }

    /// The next attempt, after a failure that is followed by one.
    var nextAttempt: RequestAttempt {
        let hasTime = self.policy.maximumRetryTime != nil
        return RequestAttempt(
            number: self.failures + 1,
            limit: hasTime ? nil : max(self.failures, self.limit) + 1
        )
    }

    /// What is left of the policy's time; `nil` where repetitions are counted instead.
    private var timeLeft: Duration? {
        self.policy.maximumRetryTime.map { time in
            time - max(self.budget.duration(at: self.now), self.own.duration(at: self.now))
        }
    }

    /// An event is to be counted in the budget of a resource, and with its time.
    mutating func enter(_ budget: RetryBudget, at now: Duration) {
        guard self.isShared else { return }
        self.budget = budget
        self.now = now
    }

    /// The event has been counted.
    func leave(_ budget: inout RetryBudget) {
        if self.isShared { budget = self.budget }
    }

    /// The origin answered, whatever it said.
    mutating func answered() {
        self.isInContact = true
    }

    /// Bytes came that were wanted.
    ///
    /// - Parameters:
    ///   - count: how many; as many as one could want unless told otherwise.
    ///   - left: how many are wanted after them, if that is known.
    mutating func progressed(by count: Int64 = .max, before left: Int64? = nil) {
        self.isInContact = true
        self.budget.progressed(by: count, before: left)
        self.own.progressed(by: count, before: left)
        if self.own.failures == 0 { self.waited = .zero }
    }

    /// A request failed.
    ///
    /// - Parameters:
    ///   - failure: what failed.
    ///   - jitter: from 0 up to 1; 0.5 changes nothing.
    /// - Returns: whether to try again, and when.
    mutating func failed(_ failure: Failure, jitter: Double) -> Decision {
        let limit =
            switch failure {
            case .unreached where !self.isInContact: self.policy.maximumFirstRetries
            case .unanswered where !self.isInContact: min(1, self.policy.maximumFirstRetries)
            default: self.policy.maximumRetries
            }
        self.limit = limit
        let timeLeft = self.timeLeft
        // What it asks for again and again is one wait, not several.
        if case .refusedForNow(let asked?) = failure,
            asked > timeLeft ?? (self.policy.maximumRetryAfter - self.waited)
        {
            return .waitIsTooLong(asked)
        }
        guard timeLeft.map({ $0 > .zero }) ?? (self.failures < limit) else { return .giveUp }
        if let left = self.budget.pause(at: self.now) {
            // One lost connection, met by several readings, is one failure of the resource.
            var rest = left
            if case .refusedForNow(let asked?) = failure {
                self.waited += asked
                rest = max(rest, asked)
            }
            self.own.failed(at: self.now, pause: rest)
            return .retry(after: rest)
        }
        var delay = self.policy.firstDelay
        for _ in 0..<min(self.failures, 16) where delay < self.policy.maximumDelay { delay *= 2 }
        delay = min(delay, self.policy.maximumDelay) * (0.75 + 0.5 * jitter)
        // The last try is made when the time is over.
        if let timeLeft { delay = min(delay, timeLeft) }
        // What the origin asks for may be longer than ours, never shorter.
        if case .refusedForNow(let asked?) = failure {
            self.waited += asked
            delay = max(delay, asked)
        }
        self.budget.failed(at: self.now, pause: delay)
        self.own.failed(at: self.now, pause: delay)
        return .retry(after: delay)
    }
}
