// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Counts failures and decides about retries, for one reading or in the budget of a resource.
struct RetryMachine {
    /// The kind of a failure.
    enum Failure: Hashable {
        /// No connection was possible.
        case unreached
        /// No connection or response within the time limit, which is long enough for a host that
        /// works.
        case unanswered
        /// The connection broke after it was open.
        case lost
        /// A status that may be temporary, with the delay of `Retry-After`.
        case refusedForNow(retryAfter: Duration?)
    }

    /// The decision after a failure.
    enum Decision: Hashable {
        case retry(after: Duration)
        case giveUp
        /// The origin asks for a longer wait than the policy allows.
        case waitIsTooLong(Duration)
    }

    private let policy: RetryPolicy
    /// Whether failures are counted together with the failures of other readings.
    private let isShared: Bool
    /// The failures of all readings that share the count, as of the last event.
    private var budget = RetryBudget()
    /// The failures of this reading alone; progress of other readings does not reset them.
    private var own = RetryBudget()
    /// The total of the pauses that the origin has asked for since the last progress.
    private var waited = Duration.zero
    private var isInContact = false
    /// The time of the event, if known.
    private var now: Duration?
    /// The limit of failures in a row for the kind of the last failure.
    private var limit: Int

    /// - Parameters:
    ///   - policy: the number of retries, and their pauses.
    ///   - isShared: whether the failures of other readings of the resource also count.
    init(_ policy: RetryPolicy, isShared: Bool = true) {
        self.policy = policy
        self.isShared = isShared
        self.limit = policy.maximumRetries
    }

    /// Failures in a row.
    var failures: Int { max(self.budget.failures, self.own.failures) }

    /// The next attempt, after a failure that leads to a retry.
    var nextAttempt: RequestAttempt {
        let hasTime = self.policy.maximumRetryTime != nil
        return RequestAttempt(
            number: self.failures + 1,
            limit: hasTime ? nil : max(self.failures, self.limit) + 1
        )
    }

    /// The rest of the policy's time; `nil` if the policy counts retries instead.
    private var timeLeft: Duration? {
        self.policy.maximumRetryTime.map { time in
            time - max(self.budget.duration(at: self.now), self.own.duration(at: self.now))
        }
    }

    /// Begins an event that counts in the budget of a resource, with its time.
    mutating func enter(_ budget: RetryBudget, at now: Duration) {
        guard self.isShared else { return }
        self.budget = budget
        self.now = now
    }

    /// Ends the event, and writes the budget back.
    func leave(_ budget: inout RetryBudget) {
        if self.isShared { budget = self.budget }
    }

    /// Records a response, whatever its status.
    mutating func answered() {
        self.isInContact = true
    }

    /// Counts wanted bytes.
    ///
    /// - Parameters:
    ///   - count: how many bytes arrived; by default so many that they always count as progress.
    ///   - left: how many wanted bytes are left, if known.
    mutating func progressed(by count: Int64 = .max, before left: Int64? = nil) {
        self.isInContact = true
        self.budget.progressed(by: count, before: left)
        self.own.progressed(by: count, before: left)
        if self.own.failures == 0 { self.waited = .zero }
    }

    /// Counts a failed request.
    ///
    /// - Parameters:
    ///   - failure: the kind of the failure.
    ///   - jitter: from 0 up to 1; 0.5 leaves the pause unchanged.
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
        // Repeated delays of the origin add up to one wait.
        if case .refusedForNow(let asked?) = failure,
            asked > timeLeft ?? (self.policy.maximumRetryAfter - self.waited)
        {
            return .waitIsTooLong(asked)
        }
        guard timeLeft.map({ $0 > .zero }) ?? (self.failures < limit) else { return .giveUp }
        if let left = self.budget.pause(at: self.now) {
            // One lost connection that affects several readings is one failure of the resource.
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
        // The last attempt is made when the policy's time ends.
        if let timeLeft { delay = min(delay, timeLeft) }
        // The origin's delay may lengthen the pause but not shorten it.
        if case .refusedForNow(let asked?) = failure {
            self.waited += asked
            delay = max(delay, asked)
        }
        self.budget.failed(at: self.now, pause: delay)
        self.own.failed(at: self.now, pause: delay)
        return .retry(after: delay)
    }
}
