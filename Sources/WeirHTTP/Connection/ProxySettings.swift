// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Which proxy serves which host, by the usual environment variables.
///
/// `HTTP_PROXY` and `HTTPS_PROXY` name the proxy for each scheme. `ALL_PROXY` names the proxy for a
/// scheme without its own variable. `NO_PROXY` names the hosts that need no proxy. Names in lower
/// case take precedence over names in upper case. An empty variable means no proxy.
public struct ProxySettings: Hashable, Sendable {
    /// A proxy and its protocol.
    package struct Proxy: Hashable, Sendable {
        package enum Kind: String, Sendable {
            /// Gets requests for `http` (RFC 9112 §3.2.2), and opens tunnels for `https` (RFC 9110
            /// §9.3.6).
            case http
            /// SOCKS version 5 (RFC 1928); the proxy looks up the names of hosts.
            case socks5

            /// The port of a proxy whose address has none.
            var defaultPort: Int {
                switch self {
                case .http: 80
                case .socks5: 1080
                }
            }
        }

        package let kind: Kind
        package let host: String
        package let port: Int
        let userInfo: URLUserInfo?

        /// Whether the proxy forwards requests for the address, instead of opening a connection to
        /// its host.
        func forwards(_ url: OriginURL) -> Bool { self.kind == .http && url.scheme == .http }
    }

    let http: Proxy?
    let https: Proxy?
    /// The hosts that need no proxy; `nil` for all hosts.
    private let exceptions: [URLAuthority]?

    /// No proxy for any address.
    public static let none = ProxySettings()

    private init() {
        self.http = nil
        self.https = nil
        self.exceptions = []
    }

    /// Reads the settings from an environment.
    ///
    /// - Parameter environment: variables and their values. In the environment of a CGI program,
    ///   `HTTP_PROXY` is ignored, since there it is a header of the request.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`, naming the variable, not its
    ///   value.
    public init(environment: [String: String]) throws(SourceError) {
        let isCGI = environment["REQUEST_METHOD"] != nil
        let forAll = ["all_proxy", "ALL_PROXY"]
        self.http = try Self.proxy(
            environment,
            (isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]) + forAll
        )
        self.https = try Self.proxy(environment, ["https_proxy", "HTTPS_PROXY"] + forAll)
        self.exceptions = Self.exceptions(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
    }

    /// The proxy for an address; `nil` for a direct connection.
    func proxy(for url: OriginURL) -> Proxy? {
        guard let proxy = url.scheme == .http ? self.http : self.https else { return nil }
        return self.isException(host: url.host, port: url.port) ? nil : proxy
    }

    private static func proxy(_ environment: [String: String], _ names: [String])
        throws(SourceError)
        -> Proxy?
    {
        guard let name = names.first(where: { environment[$0] != nil }),
            let value = environment[name], !value.isEmpty
        else { return nil }
        let parts = URLReference(value.contains("://") ? value : "http://\(value)")
        guard let kind = Self.kind(parts.scheme), let authority = parts.authority,
            let site = try? URLAuthority(authority), kind == .http || site.userInfo == nil
        else {
            throw SourceError(
                .invalidRequest,
                "The proxy in the environment variable \(name) cannot be used; write it as http://host:port,"
                    + " http://user:password@host:port or socks5://host:port, or unset the variable."
            )
        }
        return Proxy(
            kind: kind,
            host: site.host,
            port: site.port ?? kind.defaultPort,
            userInfo: site.userInfo
        )
    }

    private static func kind(_ scheme: Substring?) -> Proxy.Kind? {
        switch scheme?.lowercased() {
        case "http": .http
        // Both names mean the same: the proxy always looks up the host's name.
        case "socks5", "socks5h": .socks5
        default: nil
        }
    }
}

extension ProxySettings {
    /// Whether a host needs no proxy.
    func isException(host: String, port: Int) -> Bool {
        guard let exceptions else { return true }
        return exceptions.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            return host == entry.host || host.hasSuffix(".\(entry.host)")
        }
    }

    /// The hosts of `NO_PROXY`: `example.org, .intern, 10.0.0.1:8080, [::1]`; `nil` for `*`, which
    /// means all.
    ///
    /// A name, with or without a leading dot, covers itself and every name below it. If the entry
    /// has a port, the port must match too.
    private static func exceptions(_ list: String) -> [URLAuthority]? {
        let items = list.lowercased().split { $0 == "," || $0.isWhitespace }
        return items.contains("*") ? nil : items.compactMap(Self.exception)
    }

    private static func exception(_ item: Substring) -> URLAuthority? {
        var name = item
        var port: Int?
        if name.first == "[", let close = name.firstIndex(of: "]") {
            let rest = name[name.index(after: close)...]
            port = rest.first == ":" ? Int(rest.dropFirst()) : nil
            name = name[name.index(after: name.startIndex)..<close]
        } else if let colon = name.lastIndex(of: ":"), colon == name.firstIndex(of: ":") {
            // One colon is a port, several are an IPv6 address.
            guard let number = Int(name[name.index(after: colon)...]) else { return nil }
            port = number
            name = name[..<colon]
        }
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        while name.first == "." { name.removeFirst() }
        return name.isEmpty ? nil : URLAuthority(host: String(name), port: port)
    }
}

extension ProxySettings: CustomStringConvertible {
    /// Hosts and ports, without users.
    public var description: String {
        func shown(_ proxy: Proxy?) -> String {
            proxy.map { "\($0.kind == .http ? "" : "socks5://")\($0.host):\($0.port)" } ?? "none"
        }
        return "http \(shown(self.http)), https \(shown(self.https))"
    }
}
