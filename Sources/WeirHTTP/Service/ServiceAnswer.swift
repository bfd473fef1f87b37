// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a service answered, whatever the status.
public struct ServiceAnswer: Sendable {
    /// The status.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaderList
    /// The whole body.
    public var body: [UInt8]
    /// Where the answer came from, after redirects.
    public var url: OriginURL

    /// Describes an answer.
    public init(status: Int, headers: HTTPHeaderList, body: [UInt8], url: OriginURL) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// Whether the status is one of success.
    public var isSuccess: Bool { (200..<300).contains(self.status) }

    /// The time that `Retry-After` asks for.
    public var retryAfter: Duration? {
        self.headers["Retry-After"].flatMap { RetryAfter.delay($0, date: self.headers["Date"]) }
    }

    /// The moment of the answer by the service's own clock, in seconds since 1970, if it tells it.
    public var seconds: Int64? { self.headers["Date"].flatMap(HTTPDate.seconds) }
}
