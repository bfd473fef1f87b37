// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// How often, and after which pauses, Weir repeats a failed request.
public struct RetryPolicy: Sendable {
    /// How many retries without progress all readings of a resource together may make.
    ///
    /// Progress is 16 KiB, a tenth of the bytes that are left, or 1,000 bytes if the length is
    /// unknown.
    public var maximumRetries: Int
    /// The same limit while the origin has never responded, so that Weir gives up early on a
    /// missing host.
    public var maximumFirstRetries: Int
    /// How long retries without progress continue, counted from the first failure; `nil` for no
    /// time limit.
    ///
    /// With a time limit, ``maximumRetries`` and ``maximumFirstRetries`` do not count. The time
    /// limit then also applies to the delay of a `Retry-After`, in place of ``maximumRetryAfter``.
    public var maximumRetryTime: Duration?
    /// The pause before the first retry; it doubles with each further one.
    public var firstDelay: Duration
    /// The longest pause.
    public var maximumDelay: Duration
    /// The longest total wait for `Retry-After` without progress; a longer delay is an error at
    /// once.
    public var maximumRetryAfter: Duration
    /// A number from 0 up to 1 that varies each pause by up to a quarter.
    ///
    /// It keeps many readers from retrying at the same moment.
    public var jitter: @Sendable () -> Double

    /// Creates a policy: 5 retries after 0.25, 0.5, 1, 2 and 4 s, or 2 retries before the first
    /// response.
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

    /// Makes a pause that an origin asked for by `Retry-After`, and reports it.
    ///
    /// The observer gets the length of the pause at its beginning, and the rest every ten seconds.
    ///
    /// - Parameters:
    ///   - delay: the length of the pause.
    ///   - resource: the name of the resource in messages.
    ///   - reason: the reason for the pause.
    ///   - observer: receives the reports.
    ///   - sleep: waits for a part of the pause.
    /// - Throws: the error of `sleep`, at once.
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
