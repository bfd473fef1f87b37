// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A fault of the service, and how often it happens.
///
/// Its written form, for command lines and JSON, is a name and three optional parts. The parts are,
/// in this order: `=` and a number, `*` and a count, `@` and a server. An example is
/// `rate-limited=3*2@api`. Without a count the fault always happens.
public struct Fault: Sendable, Hashable {
    /// The kind of the fault.
    public var name: Name
    /// The number of the fault, if its kind has one: see ``Name``.
    public var value: Int64?
    /// How many more times it happens; `nil` for always.
    public var remaining: Int?
    /// The one server at which it happens; `nil` for every server at which it can happen.
    public var host: ServiceHost?

    /// Makes a fault.
    ///
    /// - Parameters:
    ///   - name: the kind of the fault.
    ///   - value: the number of the fault; `nil` for the usual one.
    ///   - times: how often it happens; `nil` for always.
    ///   - host: the one server at which it happens; `nil` for every server at which it can happen.
    public init(_ name: Name, _ value: Int64? = nil, times: Int? = nil, at host: ServiceHost? = nil)
    {
        self.name = name
        self.value = value
        self.remaining = times
        self.host = host
    }

    /// A fault that happens at the next request at which it can happen, and only then.
    public static func once(_ name: Name, _ value: Int64? = nil, at host: ServiceHost? = nil)
        -> Fault
    {
        Fault(name, value, times: 1, at: host)
    }

    /// Whether the fault can happen at a server now.
    func isDue(at host: ServiceHost) -> Bool {
        self.remaining != 0 && (self.host.map { $0 == host } ?? true)
            && self.name.hosts.contains(host)
    }
}

extension Fault {
    /// The kinds of faults, with the meaning of ``Fault/value`` and its default.
    public enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        // MARK: Refusals of the link host

        /// The link has expired: 410.
        case linkGone = "link-gone"
        /// The link has expired or is damaged: 500.
        case linkBroken = "link-broken"
        /// The link is refused: 403.
        case linkForbidden = "link-forbidden"
        /// The link is refused: 401.
        case linkUnauthorized = "link-unauthorized"
        /// The link leads nowhere: 404.
        case linkMissing = "link-missing"
        /// The link leads to another host: 302, with a cookie.
        case linkRedirected = "link-redirected"
        /// A page replaces the media: 200, as in a network that demands a log-in.
        case pageInstead = "page-instead"

        // MARK: Refusals of the API, of WebDAV and of the authorization server

        /// A valid token is refused: 401.
        case tokenRefused = "token-refused"
        /// A valid refresh token is refused, and stays valid: 400 `invalid_grant`.
        case refreshRefused = "refresh-refused"
        /// The person refuses consent: `access_denied`.
        case authorizationDenied = "authorization-denied"
        /// Too many requests: 429; the number is the value of `Retry-After`, which is absent
        /// without a number.
        case rateLimited = "rate-limited"
        /// A public file has been downloaded too often: 429, for good.
        case downloadLimit = "download-limit"
        /// There is no permission: 403.
        case forbidden = "forbidden"
        /// The file is locked: 423.
        case locked = "locked"
        /// The service is down: 503; the number is the value of `Retry-After`, which is absent
        /// without a number.
        case unavailable = "unavailable"
        /// The disk is full: 507.
        case diskFull = "disk-full"

        // MARK: Answers of the API

        /// The body is not valid JSON.
        case jsonMalformed = "json-malformed"
        /// The JSON ends in the middle, and `Content-Length` agrees with the shorter body.
        case jsonTruncated = "json-truncated"
        /// The description of a file has no ready link.
        case noReadyLink = "no-ready-link"
        /// The link is not an HTTP URL.
        case linkOfOtherScheme = "link-of-other-scheme"
        /// The file is changed just before the link is made.
        case fileChanged = "file-changed"

        // MARK: Media

        /// `Content-Range` names another start; the number is the difference, 1 by default.
        case wrongRangeStart = "wrong-range-start"
        /// `Content-Range` names another length of the file; the number is the difference, 1 by
        /// default.
        case wrongRangeTotal = "wrong-range-total"
        /// `Content-Range` does not name the length of the file.
        case unknownRangeTotal = "unknown-range-total"
        /// The server sends the whole file instead of a part.
        case rangeIgnored = "range-ignored"

        // MARK: Connections

        /// The connection ends in the body; the number counts the bytes before the end, 0 by
        /// default.
        case bodyCut = "body-cut"
        /// The body stops and the connection stays; the number counts the bytes before the stop, 0
        /// by default.
        case bodyStalled = "body-stalled"
        /// The answer comes late; the number is the delay in milliseconds, 1000 by default.
        case slowFirstByte = "slow-first-byte"
        /// The server performs the request, but the connection ends before the answer.
        case answerLost = "answer-lost"

        /// The servers at which the fault can happen.
        public var hosts: Set<ServiceHost> {
            switch self {
            case .linkGone, .linkBroken, .linkForbidden, .linkUnauthorized, .linkMissing,
                .linkRedirected:
                [.link]
            case .pageInstead, .wrongRangeStart, .wrongRangeTotal, .unknownRangeTotal,
                .rangeIgnored:
                [.link, .webdav, .other]
            case .tokenRefused, .forbidden, .locked, .diskFull: [.api, .webdav]
            case .refreshRefused, .authorizationDenied: [.oauth]
            case .downloadLimit, .jsonMalformed, .jsonTruncated, .noReadyLink, .linkOfOtherScheme,
                .fileChanged:
                [.api]
            case .rateLimited, .unavailable: [.api, .webdav, .oauth, .link]
            case .bodyCut, .bodyStalled, .slowFirstByte, .answerLost: Set(ServiceHost.allCases)
            }
        }
    }
}
