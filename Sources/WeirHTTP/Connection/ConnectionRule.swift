// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which addresses a request may be connected to.
///
/// A playlist is written by another person than its listener. Without a rule it could make this machine send requests
/// to hosts that only this machine reaches. The rule holds for the address of each connection, also after a redirect;
/// the name of a host says nothing about its address.
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

    /// The site that any address may belong to; `nil` for every site.
    private let site: Site?
    /// The hosts that may also be of a local network, or this machine.
    private let hosts: Set<String>

    /// Every address.
    package static let any = ConnectionRule(site: nil, hosts: [])

    /// The addresses of the internet, those of one site, and those of named hosts unless they are of the link.
    ///
    /// - Parameters:
    ///   - site: may have any address: the user named it as the origin.
    ///   - hosts: names or addresses of hosts that may be local.
    /// - Returns: the rule.
    package static func internet(and site: Site, hosts: Set<String> = []) -> ConnectionRule {
        ConnectionRule(site: site, hosts: Set(hosts.map { $0.lowercased() }))
    }

    /// Whether a connection to a host may use an address.
    ///
    /// - Parameters:
    ///   - scope: the scope of the address.
    ///   - host: the host of the request, in lower case.
    ///   - port: the port of the request.
    /// - Returns: whether it may.
    package func allows(_ scope: NetworkScope, host: String, port: Int) -> Bool {
        guard let site else { return true }
        if site.host == host, site.port == port { return true }
        switch scope {
        case .global: return true
        case .link: return false
        case .local, .loopback: return self.hosts.contains(host)
        }
    }
}
