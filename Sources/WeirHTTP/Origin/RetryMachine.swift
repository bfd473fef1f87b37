// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How often and after which pauses a failed request is repeated.
public struct RetryPolicy: Sendable {
    /// How many repetitions without progress are made before giving up, by all readings of a resource together.
    ///
    /// Progress is 16 KiB, or a tenth of what is left, or 1,000 bytes where nobody knows how much is left.
    public var maximumRetries: Int
    /// The same, while the origin has never answered: nobody wants to wait for a host that is not there.
    public var maximumFirstRetries: Int
    /// The pause before the first repetition; it doubles with each further one.
    public var firstDelay: Duration
    /// The longest pause.
    public var maximumDelay: Duration
    /// How long is waited at most because of `Retry-After`, without a byte of progress between; what asks for more is an
    /// error at once.
    public var maximumRetryAfter: Duration
    /// A number from 0 up to 1 that spreads each pause by a quarter to both sides, so that many readers
    /// do not come back at the same moment.
    public var jitter: @Sendable () -> Double

    /// Makes a policy: 5 repetitions after 0.25, 0.5, 1, 2 and 4 s, 2 while there is no first contact.
    public init(
        maximumRetries: Int = 5,
        maximumFirstRetries: Int = 2,
        firstDelay: Duration = .milliseconds(250),
        maximumDelay: Duration = .seconds(4),
        maximumRetryAfter: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.maximumRetries = maximumRetries
        self.maximumFirstRetries = maximumFirstRetries
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.jitter = jitter
    }

    /// Every failure is final.
    public static let never = RetryPolicy(maximumRetries: 0, maximumFirstRetries: 0)
}

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
    /// The failures of all who share the count, as of the last event.
    private var budget = RetryBudget()
    /// This one's own: the progress of another does not make up for them.
    private var own = RetryBudget()
    /// How long the origin has been waited for at its own request, since the last progress.
    private var waited = Duration.zero
    private var isInContact = false
    /// The time of the event, where it is told.
    private var now: Duration?

    /// - Parameters:
    ///   - policy: how often is tried, and after which pauses.
    ///   - isShared: whether the failures of other readings of the resource count, too.
    init(_ policy: RetryPolicy, isShared: Bool = true) {
        self.policy = policy
        self.isShared = isShared
    }

    /// Failures in a row.
    var failures: Int { max(self.budget.failures, self.own.failures) }

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
        // What it asks for again and again is one wait, not several.
        if case .refusedForNow(let asked?) = failure,
            asked > self.policy.maximumRetryAfter - self.waited
        {
            return .waitIsTooLong(asked)
        }
        guard self.failures < limit else { return .giveUp }
        if let left = self.budget.pause(at: self.now) {
            // One break of the line, met by several readings, is one failure of the resource.
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

/// The failures of a resource that are not made up for yet, counted by all its readings together.
///
/// Bytes make up for failures, answers do not: an origin that answers each request with a byte would be asked for ever.
struct RetryBudget: Hashable {
    /// Bytes that are always progress, however much is left.
    private static let sufficientCount: Int64 = 16 << 10
    /// The same, where nobody knows how much is left.
    private static let sufficientCountOfUnknown: Int64 = 1_000
    /// A tenth of what was left is progress, too.
    private static let sufficientShare: Int64 = 10

    /// Failures in a row.
    private(set) var failures = 0
    /// Bytes that came since the last one.
    private var progress: Int64 = 0
    /// Until when nobody should ask; failures before that belong to the last one.
    private var pausedUntil: Duration?

    /// Whether bytes are worth a request.
    ///
    /// - Parameters:
    ///   - count: how many came.
    ///   - left: how many are wanted after them, if that is known.
    /// - Returns: whether they are enough to go on without a pause.
    static func isProgress(_ count: Int64, before left: Int64?) -> Bool {
        if count >= Self.sufficientCount { return true }
        guard count > 0 else { return false }
        guard let left else { return count >= Self.sufficientCountOfUnknown }
        return left <= count * (Self.sufficientShare - 1)
    }

    /// Wanted bytes came.
    mutating func progressed(by count: Int64, before left: Int64?) {
        guard self.failures > 0 else { return }
        self.progress += min(max(0, count), .max - self.progress)
        guard Self.isProgress(self.progress, before: left) else { return }
        self.failures = 0
        self.progress = 0
        self.pausedUntil = nil
    }

    /// A request failed, and nobody should ask for a while.
    mutating func failed(at now: Duration?, pause: Duration) {
        self.failures += 1
        self.progress = 0
        self.pausedUntil = now.map { $0 + pause }
    }

    /// What is left of the present pause; `nil` if there is none, or no time is told.
    func pause(at now: Duration?) -> Duration? {
        guard let now, let pausedUntil, now < pausedUntil else { return nil }
        return pausedUntil - now
    }
}
