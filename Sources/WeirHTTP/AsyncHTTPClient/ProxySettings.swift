// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Which proxy leads to which host, as the environment says it to every program.
///
/// `HTTP_PROXY` and `HTTPS_PROXY` name the proxy for each scheme, `NO_PROXY` the hosts that are asked
/// directly; the names in lower case count before those in upper case.
public struct ProxySettings: Hashable, Sendable {
    /// A proxy that opens tunnels (CONNECT, RFC 9110 §9.3.6).
    struct Proxy: Hashable {
        let host: String
        let port: Int
        let userInfo: URLUserInfo?
    }

    let http: Proxy?
    let https: Proxy?
    let exceptions: ProxyExceptions

    /// No proxy for anything.
    public static let none = ProxySettings(http: nil, https: nil, exceptions: ProxyExceptions(""))

    private init(http: Proxy?, https: Proxy?, exceptions: ProxyExceptions) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// Reads settings.
    ///
    /// - Parameter environment: variables and their values. In the environment of a CGI program
    ///   `HTTP_PROXY` is not believed, since there it is a header of whoever asks.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest`, naming the variable, not its value.
    public init(environment: [String: String]) throws(SourceError) {
        let isCGI = environment["REQUEST_METHOD"] != nil
        self.http = try Self.proxy(
            environment,
            isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]
        )
        self.https = try Self.proxy(environment, ["https_proxy", "HTTPS_PROXY"])
        self.exceptions = ProxyExceptions(
            environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        )
    }

    /// The proxy for an address; `nil` if it is asked directly.
    func proxy(for url: OriginURL) -> Proxy? {
        guard let proxy = url.scheme == .http ? self.http : self.https else { return nil }
        return self.exceptions.contains(host: url.host, port: url.port) ? nil : proxy
    }

    private static func proxy(_ environment: [String: String], _ names: [String])
        throws(SourceError)
        -> Proxy?
    {
        guard let name = names.first(where: { environment[$0] != nil }),
            let value = environment[name], !value.isEmpty
        else { return nil }
        let parts = URLReference(value.contains("://") ? value : "http://\(value)")
        guard let authority = parts.authority, let site = try? URLAuthority(authority),
            parts.scheme?.lowercased() == "http"
        else {
            throw SourceError(
                .invalidRequest,
                "The proxy in the environment variable \(name) cannot be used; write it as"
                    + " http://host:port or http://user:password@host:port, or unset the variable."
            )
        }
        return Proxy(host: site.host, port: site.port ?? 80, userInfo: site.userInfo)
    }
}

extension ProxySettings: CustomStringConvertible {
    /// Hosts and ports, no users.
    public var description: String {
        let http = self.http.map { "\($0.host):\($0.port)" } ?? "none"
        let https = self.https.map { "\($0.host):\($0.port)" } ?? "none"
        return "http \(http), https \(https)"
    }
}

/// The hosts of `NO_PROXY`: `example.org, .intern, 10.0.0.1:8080, [::1]`, or `*` for all.
///
/// A name stands for itself and for every name below it, with a dot before it or without. A port, if
/// one is given, must be the same, too.
struct ProxyExceptions: Hashable {
    private struct Entry: Hashable {
        let name: String
        let port: Int?
    }

    private let entries: [Entry]
    private let isEverything: Bool

    init(_ list: String) {
        let items = list.lowercased().split { $0 == "," || $0.isWhitespace }
        self.isEverything = items.contains("*")
        self.entries = items.compactMap(Self.entry)
    }

    private static func entry(_ item: Substring) -> Entry? {
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
        return name.isEmpty ? nil : Entry(name: String(name), port: port)
    }

    func contains(host: String, port: Int) -> Bool {
        if self.isEverything { return true }
        return self.entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            return host == entry.name || host.hasSuffix(".\(entry.name)")
        }
    }
}
