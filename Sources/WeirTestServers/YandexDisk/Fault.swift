// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A way in which the service misbehaves, and how often it does.
///
/// It has a written form, for command lines and JSON: its name, then in this order and each only if
/// it is wanted `=` and a number, `*` and how many times, `@` and where, as `rate-limited=3*2@api`.
/// Without a number of times it misbehaves always.
public struct Fault: Sendable, Hashable {
    /// What goes wrong.
    public var name: Name
    /// The number that belongs to it, where one does: see ``Name``.
    public var value: Int64?
    /// How often it will yet happen; `nil` for always.
    public var remaining: Int?
    /// The one server at which it happens; `nil` for everywhere where it can.
    public var host: ServiceHost?

    /// Makes a fault.
    ///
    /// - Parameters:
    ///   - name: what goes wrong.
    ///   - value: the number that belongs to it; `nil` for the usual one.
    ///   - times: how often; `nil` for always.
    ///   - host: the one server at which it happens; `nil` for everywhere where it can.
    public init(_ name: Name, _ value: Int64? = nil, times: Int? = nil, at host: ServiceHost? = nil)
    {
        self.name = name
        self.value = value
        self.remaining = times
        self.host = host
    }

    /// A fault that happens at the next request that it can happen to, and then no more.
    public static func once(_ name: Name, _ value: Int64? = nil, at host: ServiceHost? = nil)
        -> Fault
    {
        Fault(name, value, times: 1, at: host)
    }

    /// Whether it can happen at a server now.
    func isDue(at host: ServiceHost) -> Bool {
        self.remaining != 0 && (self.host.map { $0 == host } ?? true)
            && self.name.hosts.contains(host)
    }
}

extension Fault {
    /// What can go wrong, with what ``Fault/value`` means and what it is where it is not given.
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
        /// A page comes instead of media: 200, as a network does that wants a log-in.
        case pageInstead = "page-instead"

        // MARK: Refusals of the API, of WebDAV and of the authorization server

        /// A valid token is refused: 401.
        case tokenRefused = "token-refused"
        /// A valid refresh token is refused, and stays valid: 400 `invalid_grant`.
        case refreshRefused = "refresh-refused"
        /// The person says no: `access_denied`.
        case authorizationDenied = "authorization-denied"
        /// Too many requests: 429; the number is what `Retry-After` says, without one there is none.
        case rateLimited = "rate-limited"
        /// A public file has been downloaded too often: 429, for good.
        case downloadLimit = "download-limit"
        /// There is no permission: 403.
        case forbidden = "forbidden"
        /// The file is locked: 423.
        case locked = "locked"
        /// The service is down: 503; the number is what `Retry-After` says, without one there is none.
        case unavailable = "unavailable"
        /// The disk is full: 507.
        case diskFull = "disk-full"

        // MARK: What the API says

        /// The JSON is not JSON.
        case jsonMalformed = "json-malformed"
        /// The JSON ends in the middle, as if that were all of it.
        case jsonTruncated = "json-truncated"
        /// The description of a file has no ready link.
        case noReadyLink = "no-ready-link"
        /// The link is no HTTP URL.
        case linkOfOtherScheme = "link-of-other-scheme"
        /// The file is changed just before the link is made.
        case fileChanged = "file-changed"

        // MARK: Media

        /// `Content-Range` says another start; the number is by how much, 1.
        case wrongRangeStart = "wrong-range-start"
        /// `Content-Range` says another length of the file; the number is by how much, 1.
        case wrongRangeTotal = "wrong-range-total"
        /// `Content-Range` does not say how long the file is.
        case unknownRangeTotal = "unknown-range-total"
        /// The whole file comes for a part of it.
        case rangeIgnored = "range-ignored"

        // MARK: Connections

        /// The connection ends in the body; the number is after how many bytes, 0.
        case bodyCut = "body-cut"
        /// The body stops and the connection stays; the number is after how many bytes, 0.
        case bodyStalled = "body-stalled"
        /// The answer comes late; the number is milliseconds, 1000.
        case slowFirstByte = "slow-first-byte"
        /// The request is dealt with, but the connection ends before the answer.
        case answerLost = "answer-lost"

        /// Where it can happen.
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
