// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides which clients are admitted, and to which target, before any source is asked.
struct AccessRules: Sendable {
    /// The decision about a request.
    enum Admission: Hashable, Sendable {
        /// The request is answered without a source.
        case answered(PlainAnswer)
        /// The request asks for a resource; `target` is the path after the secret, and the query.
        case admitted(target: String)
        /// The request has a right of its own that is not valid; `reason` is for the log.
        case refused(target: String, reason: String)
        /// The request asks whether the proxy is ready for players.
        case readiness
        /// The request asks for a page; `target` lacks the `/page` at its start.
        case page(target: String)
    }

    private let servesPage: Bool
    private let secret: ProxySecret?
    private let hosts: Set<String>
    private let origins: Set<String>
    private let pass: (any AddressPass)?

    /// The revision of the pass's rights; `nil` without a pass.
    var passRevision: Int? { self.pass?.revision }

    /// Creates rules with names in any case; `servesPage`: whether `/page/` is outside the secret.
    init(
        secret: ProxySecret?,
        allowedHosts: [String],
        allowedCrossOrigins: [String],
        servesPage: Bool = false,
        pass: (any AddressPass)? = nil
    ) {
        self.pass = pass
        self.servesPage = servesPage
        self.secret = secret
        self.hosts = Set(allowedHosts.map { HostField($0)?.name ?? $0.lowercased() })
        self.origins = Set(allowedCrossOrigins.map(Self.normalized(origin:)))
    }

    /// Whether answers differ by the client's site, so that a `Vary` field must tell caches.
    var variesByOrigin: Bool { !self.origins.isEmpty }

    /// The site that may read the answer; `nil` unless a page of an allowed site asks.
    func grantedOrigin(for request: RequestHead) -> String? {
        guard let origin = request.origin, self.origins.contains(Self.normalized(origin: origin))
        else { return nil }
        return origin
    }

    /// Decides about a request without looking at the resource.
    func admit(_ request: RequestHead.Address) -> Admission {
        let form = Self.originForm(of: request.target)
        if let refusal = self.refusal(
            of: request.host,
            authority: form?.authority,
            request.isHTTP10
        ) {
            return .answered(refusal)
        }
        if let form, DotSegments.areIn(form.target.utf8.prefix { $0 != UInt8(ascii: "?") }) {
            return .answered(.dotSegment)
        }
        if self.servesPage, let page = form.flatMap({ Self.insidePage($0.target) }) {
            // A preflight request from a page of another site gets no answer that would let the
            // page ask.
            return request.method == .options
                ? .answered(.methodNotAllowed) : .page(target: page)
        }
        let ruling = form.flatMap { self.pass?.ruling(on: $0.target) }
        switch request.method {
        case .get, .head, .options: break
        case .other:
            guard case .admitted(let target) = ruling else { return .answered(.methodNotAllowed) }
            return .refused(
                target: target,
                reason: "The URL is signed for GET and HEAD, and for no other method."
            )
        }
        if request.method == .options, request.target == "*" { return .answered(.options) }
        guard let target = form?.target else { return .answered(.unreadableTarget) }
        if Self.isProbe("/healthz", target) {
            return .answered(request.method == .options ? .options : .healthy)
        }
        if Self.isProbe("/readyz", target) {
            return request.method == .options ? .answered(.options) : .readiness
        }
        switch ruling {
        case .admitted(let inside):
            return request.method == .options ? .answered(.options) : .admitted(target: inside)
        case .refused(let target, let reason): return .refused(target: target, reason: reason)
        case nil: break
        }
        guard let inside = self.withoutSecret(target) else { return .answered(.notFound) }
        return request.method == .options ? .answered(.options) : .admitted(target: inside)
    }

    /// Refuses names that are not this proxy's: a web page may make its own name resolve to this
    /// machine.
    ///
    /// An authority in the target counts instead of the field (RFC 9112 §3.2.2).
    private func refusal(
        of field: RequestHead.Host,
        authority: Substring?,
        _ isHTTP10: Bool
    ) -> PlainAnswer? {
        let value: Substring
        switch field {
        case .several:
            return .severalHosts
        case .missing:
            guard isHTTP10 else { return .missingHost }
            guard let authority else { return nil }
            value = authority
        case .one(let host):
            if authority == nil, HostField.isUsual(host) { return nil }
            value = authority ?? Substring(host)
        }
        guard let host = HostField(value) else { return .unreadableHost }
        return host.isLoopback || self.hosts.contains(host.name) ? nil : .misdirected
    }

    /// The target after the secret, from its slash on; `nil` if the secret is wrong, or if no slash
    /// follows it.
    private func withoutSecret(_ target: Substring) -> String? {
        guard let secret else { return String(target) }
        let path = target.dropFirst()
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")),
            secret.matches(path[..<slash].utf8)
        else { return nil }
        return String(path[slash...])
    }

    /// The target in origin form, and the authority of a target in absolute form (RFC 9112 §3.2).
    ///
    /// - Returns: `nil` if the target has neither form, or contained bytes that are not UTF-8: the
    ///   decoder has replaced these bytes, so they are lost.
    private static func originForm(
        of target: String
    ) -> (target: Substring, authority: Substring?)? {
        guard !target.hasByte(0xEF) || !target.unicodeScalars.contains("\u{FFFD}") else {
            return nil
        }
        if target.utf8.first == UInt8(ascii: "/") { return (Substring(target), nil) }
        var scanner = ASCIIScanner(target)
        guard scanner.skip(caseInsensitive: "http://"),
            let authority = scanner.text(upTo: UInt8(ascii: "/"))
        else { return nil }
        return (target[authority.endIndex...], authority)
    }

    private static func isProbe(_ path: StaticString, _ target: Substring) -> Bool {
        var scanner = ASCIIScanner(target)
        guard scanner.skip(exactly: path) else { return false }
        return scanner.isAtEnd || scanner.peek == UInt8(ascii: "?")
    }

    /// The target after `/page`: empty, or from its slash on; `nil` for any other target.
    private static func insidePage(_ target: Substring) -> String? {
        var scanner = ASCIIScanner(target)
        guard scanner.skip(exactly: "/page"), scanner.isAtEnd || scanner.peek == UInt8(ascii: "/")
        else { return nil }
        return String(target.dropFirst("/page".count))
    }

    private static func normalized(origin: String) -> String {
        let lower = origin.lowercased()
        return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
    }
}

/// Admits addresses that contain a right of their own instead of the secret, such as a signature
/// that expires.
package protocol AddressPass: Sendable {
    /// Decides about an address.
    ///
    /// Called on an event loop, once for consecutive requests of a connection for one address. A
    /// client that is reading when the right ends may read on.
    ///
    /// - Parameter target: path and query, byte for byte; it starts with a slash.
    /// - Returns: `nil` if the address contains no right of its own.
    func ruling(on target: Substring) -> AddressRuling?

    /// Changes when a right may have been withdrawn before its end: then connections ask again.
    var revision: Int { get }
}

/// The decision about an address that contains a right of its own.
package enum AddressRuling: Sendable, Hashable {
    /// The address is admitted to the target after the right: a path that starts with a slash, and
    /// a query.
    case admitted(target: String)
    /// The address is refused; `reason` is a sentence for the log, and not for the client.
    case refused(target: String, reason: String)
}
