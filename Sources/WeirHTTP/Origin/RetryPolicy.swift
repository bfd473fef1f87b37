// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// How often and after which pauses a failed request is repeated.
public struct RetryPolicy: Sendable {
    /// How many repetitions without progress are made before giving up, by all readings of a resource together.
    ///
    /// Progress is 16 KiB, or a tenth of what is left, or 1,000 bytes where the length is unknown.
    public var maximumRetries: Int
    /// The same, while the origin has never answered: a host that is not there is given up soon.
    public var maximumFirstRetries: Int
    /// For how long repetitions without progress are made, counted from the first failure; `nil`: as often as
    /// ``maximumRetries`` and ``maximumFirstRetries`` say, which count for nothing where there is a time.
    ///
    /// A `Retry-After` is obeyed within this time, too, whatever ``maximumRetryAfter`` says.
    public var maximumRetryTime: Duration?
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
        maximumRetryTime: Duration? = nil,
        firstDelay: Duration = .milliseconds(250),
        maximumDelay: Duration = .seconds(4),
        maximumRetryAfter: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.maximumRetries = maximumRetries
        self.maximumFirstRetries = maximumFirstRetries
        self.maximumRetryTime = maximumRetryTime
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.jitter = jitter
    }

    /// Every failure is final.
    public static let never = RetryPolicy(maximumRetries: 0, maximumFirstRetries: 0)

    /// Makes a pause that an origin asked for by `Retry-After`, and tells its length when it begins and what is left of
    /// it every ten seconds.
    ///
    /// - Parameters:
    ///   - delay: how long.
    ///   - resource: the name of the resource in sentences.
    ///   - reason: why.
    ///   - observer: is told.
    ///   - sleep: waits for a part of it.
    /// - Throws: what `sleep` throws, at once.
    static func waitAsAsked(
        for delay: Duration,
        by resource: String,
        because reason: String,
        telling observer: SourceObserver?,
        sleep: (Duration) async throws -> Void
    ) async throws {
        var left = delay
        while left > .zero {
            observer?(.waiting(resource: resource, remaining: left, reason: reason))
            let part = min(left, .seconds(10))
            try await sleep(part)
            left -= part
        }
    }
}
