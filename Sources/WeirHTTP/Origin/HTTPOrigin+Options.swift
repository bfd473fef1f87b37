// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

extension HTTPOrigin {
    /// How an origin is asked.
    package struct Options: Sendable {
        /// Fields to send with every request to the origin, such as `Authorization`.
        ///
        /// They are dropped when a redirect leaves the origin's scheme, host or port; only `User-Agent`
        /// goes everywhere. What says which bytes are wanted and how they are sent (`Range`, conditions,
        /// `Accept-Encoding`, `Connection` and the like) is Weir's own and ignored here.
        package var headers: HTTPHeaderList
        /// How long is waited.
        package var timeouts: Timeouts
        /// How often is tried.
        package var retry: RetryPolicy
        /// How many redirects in a row are followed.
        package var maximumRedirects: Int
        /// Holds the bytes to a rate, alone or shared with others.
        package var rateLimiter: RateLimiter?
        /// How many bytes are read and thrown away to get to the first wanted one, where an origin
        /// ignores ranges.
        package var maximumDiscard: Int64
        /// Which fields of an answer tell its version.
        package var validator: ValidatorPolicy

        /// Makes options.
        package init(
            headers: HTTPHeaderList = HTTPHeaderList(),
            timeouts: Timeouts = Timeouts(),
            retry: RetryPolicy = RetryPolicy(),
            maximumRedirects: Int = 20,
            rateLimiter: RateLimiter? = nil,
            maximumDiscard: Int64 = 4 << 30,
            validator: ValidatorPolicy = .strong
        ) {
            self.headers = headers
            self.timeouts = timeouts
            self.retry = retry
            self.maximumRedirects = maximumRedirects
            self.rateLimiter = rateLimiter
            self.maximumDiscard = maximumDiscard
            self.validator = validator
        }
    }

    /// How long an origin may take.
    package struct Timeouts: Hashable, Sendable {
        /// Until one of the connections that the host is allowed is free, where the transport counts them.
        package var slot: Duration
        /// From there until a connection stands; the transport may have a shorter limit of its own.
        package var connect: Duration
        /// From there until the head of the answer.
        package var firstByte: Duration
        /// While a consumer waits for the next byte of a body.
        package var idle: Duration

        /// Makes limits: 10 s, 30 s, 30 s, and 30 s for a free connection.
        package init(
            connect: Duration = .seconds(10),
            firstByte: Duration = .seconds(30),
            idle: Duration = .seconds(30),
            slot: Duration = .seconds(30)
        ) {
            self.slot = slot
            self.connect = connect
            self.firstByte = firstByte
            self.idle = idle
        }
    }
}

extension HTTPOrigin.Options: CustomStringConvertible {
    /// The options; of the headers their names only.
    package var description: String {
        "headers \(self.headers), \(self.timeouts), \(self.retry.maximumRetries) retries,"
            + " \(self.maximumRedirects) redirects"
    }
}
