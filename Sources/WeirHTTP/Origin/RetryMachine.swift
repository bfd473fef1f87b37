// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Counts failures and says what follows.
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
    private(set) var failures = 0
    private var isInContact = false

    init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    /// The origin answered, whatever it said.
    mutating func answered() {
        self.isInContact = true
    }

    /// A byte came that was wanted.
    mutating func progressed() {
        self.isInContact = true
        self.failures = 0
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
        if case .refusedForNow(let asked?) = failure, asked > self.policy.maximumRetryAfter {
            return .waitIsTooLong(asked)
        }
        guard self.failures < limit else { return .giveUp }
        var delay = self.policy.firstDelay
        for _ in 0..<min(self.failures, 16) where delay < self.policy.maximumDelay { delay *= 2 }
        self.failures += 1
        if case .refusedForNow(let asked?) = failure { return .retry(after: asked) }
        return .retry(after: min(delay, self.policy.maximumDelay) * (0.75 + 0.5 * jitter))
    }
}
