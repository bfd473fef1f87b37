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
