// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Which addresses a request may be connected to.
///
/// A playlist is written by another person than its listener. Without a rule it could make this machine send requests
/// to hosts that only this machine reaches. The rule holds for the address of each connection, also after a redirect;
/// the name of a host says nothing about its address.
///
/// A transport of SwiftNIO checks the address before it sends a packet. Other transports, and proxies, look up the
/// name themselves: there the rule holds only for hosts that are written as an address, and for `localhost`.
package struct ConnectionRule: Hashable, Sendable {
    /// A host and a port, as an address of a resource has them.
    package struct Site: Hashable, Sendable {
        package let host: String
        package let port: Int

        package init(_ url: OriginURL) {
            self.host = url.host
            self.port = url.port
        }
    }

    /// The sites that may have any address; `nil` if every site may.
    private let sites: Set<Site>?
    /// The hosts that may also be of a local network, or this machine.
    private let hosts: Set<String>

    /// Every address.
    package static let any = ConnectionRule(sites: nil, hosts: [])

    /// The addresses of the internet, those of some sites, and those of named hosts unless they are of the link.
    ///
    /// - Parameters:
    ///   - sites: may have any address, such as the origin that the user named.
    ///   - hosts: names or addresses of hosts that may be local.
    /// - Returns: the rule.
    package static func internet(and sites: Set<Site>, hosts: Set<String> = []) -> ConnectionRule {
        ConnectionRule(sites: sites, hosts: Set(hosts.map { $0.lowercased() }))
    }

    /// Whether a connection to a host may use an address.
    ///
    /// - Parameters:
    ///   - scope: the scope of the address.
    ///   - host: the host of the request, in lower case.
    ///   - port: the port of the request.
    /// - Returns: whether it may.
    package func allows(_ scope: NetworkScope, host: String, port: Int) -> Bool {
        guard let sites else { return true }
        if sites.contains(where: { $0.host == host && $0.port == port }) { return true }
        switch scope {
        case .global: return true
        case .link: return false
        case .local, .loopback: return self.hosts.contains(host)
        }
    }

    /// Checks a URL whose host is written as an address, or is `localhost`; the address of another host is unknown.
    ///
    /// - Throws: ``HTTPTransportError`` with `forbiddenAddress`.
    func check(_ url: OriginURL) throws(HTTPTransportError) {
        guard self.sites != nil, let scope = NetworkScope(ofHost: url.host) else { return }
        try self.check(scope, host: url.host, port: url.port)
    }

    /// Checks the address of a connection.
    ///
    /// - Throws: ``HTTPTransportError`` with `forbiddenAddress`.
    package func check(_ scope: NetworkScope, host: String, port: Int) throws(HTTPTransportError) {
        guard !self.allows(scope, host: host, port: port) else { return }
        throw HTTPTransportError(.forbiddenAddress, "its address is \(scope.phrase)")
    }
}

extension NetworkScope {
    /// The scope as the end of a sentence about an address that is not allowed, with the next step.
    fileprivate var phrase: String {
        let advice = "; if you trust the playlist, name this host with --hls-host"
        return switch self {
        case .global: "one of the internet"
        case .local: "one of a private network\(advice)"
        case .loopback: "this machine\(advice)"
        case .link: "link-local, and no playlist may lead there"
        }
    }
}
