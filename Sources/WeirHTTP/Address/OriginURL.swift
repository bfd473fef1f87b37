// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The address of a resource on an HTTP origin, with the path and the query byte for byte as given.
///
/// Signed links break when a client normalizes them. So this type decodes, re-encodes and removes
/// nothing (no normalization of RFC 3986 §6.2.2), with one exception. Bytes that a request line
/// cannot carry, such as a space or a letter outside of ASCII, are percent-encoded. A fragment is
/// dropped. User and password before an `@` are split off and appear in no text that this type
/// makes.
public struct OriginURL: Hashable, Sendable {
    /// The protocol of the connection to the origin.
    public enum Scheme: String, Hashable, Sendable {
        /// HTTP over TCP.
        case http
        /// HTTP over TLS.
        case https

        /// The port of the scheme when the address names no port.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower case; an IPv6 address without its brackets.
    public let host: String
    /// The port that the address names, or the scheme's default port.
    public let port: Int
    /// The path as given, percent-encoded, starting with a slash.
    public let path: String
    /// The text after the first question mark, as given.
    public let query: String?
    /// Scheme, host and path: the part of the address that may be shown and logged.
    public let display: String
    /// User and password, if the address named them.
    package let userInfo: URLUserInfo?

    /// Reads an absolute address.
    ///
    /// - Parameter text: `http://…` or `https://…` with a host and a path, at least `/`.
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

    /// Joins and checks the parts of an address.
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
        let authority = site.hostAndPort(unless: scheme.defaultPort)
        self.display = "\(scheme.rawValue)://\(authority)\(self.path)"
    }

    /// The value of a `Host` field: the host, and the port if it is not the scheme's default.
    public var authority: String {
        URLAuthority(host: self.host, port: self.port).hostAndPort(unless: self.scheme.defaultPort)
    }

    /// Path and query, as the request line carries them (origin-form, RFC 9112 §3.2.1).
    public var requestTarget: String {
        self.query.map { "\(self.path)?\($0)" } ?? self.path
    }

    /// The address of another path and query on the same site, with the same user.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`.
    package func replacing(target: String) throws(SourceError) -> OriginURL {
        let parts = URLReference(target: target)
        return try OriginURL(
            scheme: self.scheme,
            site: URLAuthority(host: self.host, port: self.port),
            path: parts.path,
            query: parts.query,
            userInfo: self.userInfo
        )
    }

    /// Whether another address has the same scheme, host and port (RFC 6454 §4).
    ///
    /// Data meant for one address, such as a credential, may be sent to another address of the same
    /// origin.
    public func isSameOrigin(as other: OriginURL) -> Bool {
        self.scheme == other.scheme && self.host == other.host && self.port == other.port
    }

    /// The whole address for use in a cache key: no user, no fragment, the query in its order.
    ///
    /// It may hold a signature, so it must not be shown.
    ///
    /// - Parameter volatile: names of query parts to leave out, such as a signature that changes
    ///   although the resource does not. Names are compared after percent-decoding.
    /// - Returns: the address without a user and without these query parts.
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

extension OriginURL {
    /// The last component of the path, decoded, or `nil` if it cannot be the name of a file.
    ///
    /// Separators and control characters that appear after decoding are made harmless: the name
    /// cannot lead out of a folder.
    public var fileName: String? {
        let last = self.path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            self.path[$0...].dropFirst()
        }
        return last.flatMap { FileName.component(PercentCoding.decoded($0)) }
    }

    /// The text after the last dot of ``fileName``, in lower case: `mp3`.
    public var fileExtension: String? {
        guard let name = self.fileName, let dot = name.lastIndex(of: "."), dot > name.startIndex
        else {
            return nil
        }
        let suffix = name[name.index(after: dot)...]
        return suffix.isEmpty ? nil : suffix.lowercased()
    }

    /// The address that a `Location` field names, relative to this address (RFC 9110 §10.2.2).
    ///
    /// Resolves as RFC 3986 §5.2 says, with two differences that redirects need. A host without a
    /// path means the root of the host. A user in the reference or in this address is ignored.
    ///
    /// - Parameter location: an absolute or a relative reference.
    /// - Returns: an absolute address without a user.
    /// - Throws: ``/WeirSource/SourceError`` with `badAnswer` when the location cannot be
    ///   requested.
    public func resolving(_ location: String) throws(SourceError) -> OriginURL {
        let reference = URLReference(location)
        do throws(SourceError) {
            return try self.resolved(reference)
        } catch {
            throw SourceError(
                .badAnswer,
                "\(self.display) redirects to an address that Weir cannot follow; ask the operator of"
                    + " \(self.authority), or give the address of the file itself.",
                cause: error,
                host: self.authority
            )
        }
    }

    private func resolved(_ reference: URLReference) throws(SourceError) -> OriginURL {
        var scheme = self.scheme
        if let name = reference.scheme {
            guard let known = Scheme(rawValue: name.lowercased()) else {
                throw .unusableAddress("its scheme is neither http nor https")
            }
            guard reference.authority != nil else {
                throw .unusableAddress("it names no host after \(known.rawValue):")
            }
            scheme = known
        }
        if let authority = reference.authority {
            let path = reference.path.isEmpty ? "/" : Self.withoutDotSegments(reference.path)
            return try OriginURL(
                scheme: scheme,
                site: URLAuthority(authority),
                path: path,
                query: reference.query,
                userInfo: nil
            )
        }
        let path: Substring
        var query = reference.query
        if reference.path.isEmpty {
            path = self.path[...]
            query = query ?? self.query.map { $0[...] }
        } else if reference.path.utf8.first == UInt8(ascii: "/") {
            path = Self.withoutDotSegments(reference.path)
        } else {
            // A valid path starts with a slash, so a last slash exists.
            let slash = self.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? self.path.startIndex
            let folder = self.path[...slash]
            path = Self.withoutDotSegments("\(folder)\(reference.path)")
        }
        return try OriginURL(
            scheme: scheme,
            site: URLAuthority(host: self.host, port: self.port),
            path: path,
            query: query,
            userInfo: nil
        )
    }

    /// The path without `.` and `..` (RFC 3986 §5.2.4), for paths that start with a slash.
    static func withoutDotSegments(_ path: some StringProtocol) -> Substring {
        var segments: [Substring] = []
        let text = String(path)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in zip(parts.indices, parts) {
            let isLast = index == parts.endIndex - 1
            switch part {
            case ".":
                if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default:
                segments.append(part)
            }
        }
        return "/\(segments.joined(separator: "/"))"
    }
}
