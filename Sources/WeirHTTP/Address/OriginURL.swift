// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The address of a resource on an HTTP origin, with the path and the query byte for byte as given.
///
/// Signed links break when a client tidies them up, so nothing is decoded, re-encoded or removed here
/// (RFC 3986 §6.2.2 is left to nobody). The one exception: bytes that no request line can carry, such
/// as a space or a letter outside of ASCII, are percent-encoded. A fragment is dropped. User and
/// password before an `@` are split off and are in no text that this type makes.
public struct OriginURL: Hashable, Sendable {
    /// How the origin is spoken to.
    public enum Scheme: String, Hashable, Sendable {
        /// HTTP over TCP.
        case http
        /// HTTP over TLS.
        case https

        /// The port where no other is named.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower case; an IPv6 address without its brackets.
    public let host: String
    /// The port, as it was given or as the scheme says.
    public let port: Int
    /// The path as given, percent-encoded, starting with a slash.
    public let path: String
    /// What stands after the first question mark, as given, without it.
    public let query: String?
    /// User and password, if the address named them.
    public let userInfo: URLUserInfo?

    /// Reads an absolute address.
    ///
    /// - Parameter text: `http://…` or `https://…` with a host and a path, if only `/`.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`.
    public init(_ text: String) throws(SourceError) {
        let parts = URLReference(text)
        guard let scheme = parts.scheme else {
            throw .unusableAddress("it does not start with http:// or https://")
        }
        guard let known = Scheme(rawValue: scheme.lowercased()) else {
            throw .unusableAddress("its scheme is neither http nor https")
        }
        guard let authority = parts.authority else {
            throw .unusableAddress("it names no host after \(known.rawValue)://")
        }
        let site = try URLAuthority(authority)
        try self.init(
            scheme: known,
            site: site,
            path: parts.path,
            query: parts.query,
            userInfo: site.userInfo
        )
    }

    /// Joins parts that were taken from texts, and checks them.
    init(
        scheme: Scheme,
        site: URLAuthority,
        path: Substring,
        query: Substring?,
        userInfo: URLUserInfo?
    ) throws(SourceError) {
        self.scheme = scheme
        self.host = site.host
        self.port = site.port ?? scheme.defaultPort
        guard !path.isEmpty else {
            let root = "\(scheme.rawValue)://\(site.hostAndPort(unless: scheme.defaultPort))"
            throw SourceError(
                .invalidRequest,
                "The URL \(root) names a host but no file; add the path of the media after it.",
                host: site.hostAndPort(unless: scheme.defaultPort)
            )
        }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .unusableAddress("its path does not start with a slash")
        }
        self.path = try PercentCoding.requestLineText(path)
        if let query {
            self.query = try PercentCoding.requestLineText(query)
        } else {
            self.query = nil
        }
        self.userInfo = userInfo
    }

    /// The host, with its port if that is not the scheme's own: what a `Host` field says.
    public var authority: String {
        URLAuthority(host: self.host, port: self.port).hostAndPort(unless: self.scheme.defaultPort)
    }

    /// Scheme, host and path: what may be shown and written down.
    public var display: String {
        "\(self.scheme.rawValue)://\(self.authority)\(self.path)"
    }

    /// Path and query, as the request line carries them (origin-form, RFC 9112 §3.2.1).
    public var requestTarget: String {
        self.query.map { "\(self.path)?\($0)" } ?? self.path
    }

    /// Whether another address has the same scheme, host and port (RFC 6454 §4), so that what is meant
    /// for the one may be sent to the other.
    public func isSameOrigin(as other: OriginURL) -> Bool {
        self.scheme == other.scheme && self.host == other.host && self.port == other.port
    }

    /// The whole address for use in a cache key: no user, no fragment, the query in its order.
    ///
    /// It may hold a signature and is not for showing.
    ///
    /// - Parameter volatile: names of query parts to leave out, such as a signature that changes
    ///   although the resource does not; compared after percent-decoding.
    /// - Returns: the address without a user and without these parts.
    public func location(withoutQuery volatile: Set<String> = []) -> String {
        guard let query else { return self.display }
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { part in
            let name = part.prefix { $0 != "=" }
            return !volatile.contains(PercentCoding.decoded(name))
        }
        guard !kept.isEmpty else { return self.display }
        return "\(self.display)?\(kept.joined(separator: "&"))"
    }
}

extension OriginURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// ``display``.
    public var description: String { self.display }
    /// ``display``.
    public var debugDescription: String { self.display }
    /// Only ``display``, so that a dump shows no query and no password.
    public var customMirror: Mirror { Mirror(self, children: ["display": self.display]) }
}
