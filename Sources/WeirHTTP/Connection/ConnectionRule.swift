// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which addresses a request may be connected to.
///
/// The author of a playlist is not its listener. Without a rule, a playlist could make this machine
/// send requests to hosts that only this machine reaches. The rule applies to the address of each
/// connection, also after a redirect, since the name of a host says nothing about its address.
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

    /// Allows every address.
    package static let any = ConnectionRule(site: nil, hosts: [])

    /// Allows the addresses of the internet, every address of one site, and local addresses of
    /// named hosts.
    ///
    /// A named host may also be this machine, but not an address of the link.
    ///
    /// - Parameters:
    ///   - site: the site that may have any address, since the user named it as the origin.
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
