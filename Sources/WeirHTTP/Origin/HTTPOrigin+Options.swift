// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

extension HTTPOrigin {
    /// The settings for requests to an origin.
    package struct Options: Sendable {
        /// Fields to send with every request to the origin, such as `Authorization`.
        ///
        /// They are dropped when a redirect leaves the origin's scheme, host or port; only `User-Agent` goes
        /// everywhere. Weir itself sets `Range`, the conditions, `Accept-Encoding`, and the fields of the connection
        /// and the body, such as `Connection` and `Content-Length`. It ignores these fields in this list.
        package var headers: HTTPHeaderList
        /// The time limits.
        package var timeouts: Timeouts
        /// The limits for retries.
        package var retry: RetryPolicy
        /// How many redirects in a row Weir follows.
        package var maximumRedirects: Int
        /// Limits the rate of the bytes; it may be shared with other origins.
        package var rateLimiter: RateLimiter?
        /// How many bytes may be discarded before the first requested one.
        ///
        /// This happens if an origin ignores ranges.
        package var maximumDiscard: Int64
        /// Which fields of a response identify the version of the resource.
        package var validator: ValidatorPolicy
        /// Which addresses the requests may be connected to.
        package var rule = ConnectionRule.any

        /// Creates options.
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

    /// The time limits for an origin.
    package struct Timeouts: Hashable, Sendable {
        /// The longest wait for a free connection slot, if the transport limits connections per host.
        package var slot: Duration
        /// The longest time from the slot to the open connection; the transport may have a shorter limit of its own.
        package var connect: Duration
        /// The longest time from the open connection to the head of the response.
        package var firstByte: Duration
        /// The longest time without a byte of the body while a consumer waits.
        package var idle: Duration

        /// Creates limits; by default 10 s for `connect`, and 30 s for each of the others.
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
    /// The names of the headers, the timeouts, and the limits of retries and redirects.
    package var description: String {
        "headers \(self.headers), \(self.timeouts), \(self.retry.maximumRetries) retries,"
            + " \(self.maximumRedirects) redirects"
    }
}
