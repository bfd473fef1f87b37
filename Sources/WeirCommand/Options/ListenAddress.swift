// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `--listen HOST:PORT`, with IPv6 addresses in brackets.
struct ListenAddress: DescribedArgument, Hashable, Sendable {
    static let forms =
        "an address and a port from 0 to 65535, as in 127.0.0.1:4747, 0.0.0.0:4747 or [::1]:0"

    /// The default address, with a fixed port, so that URLs stay valid.
    static let standard = ListenAddress(host: "127.0.0.1", port: 4747)

    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"),
            let port = Int(argument[argument.index(after: colon)...]), (0...65535).contains(port)
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// The host as players on this machine reach it.
    var playerHost: String {
        switch self.host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: Self.urlHost(self.host)
        }
    }

    /// The host in the form that a URL needs.
    static func urlHost(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}
