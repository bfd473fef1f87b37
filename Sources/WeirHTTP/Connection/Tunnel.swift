// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Requests a connection to a host from a proxy, over a connection to the proxy.
package struct Tunnel: Sendable {
    private let proxy: ProxySettings.Proxy
    private let host: String
    private let port: Int

    /// - Parameter endpoint: the host and its proxy; without a proxy the result is `nil`.
    package init?(to endpoint: Endpoint) {
        guard let proxy = endpoint.proxy else { return nil }
        (self.proxy, self.host, self.port) = (proxy, endpoint.host, endpoint.port)
    }

    /// Returns when the connection leads to the host.
    ///
    /// - Throws: ``HTTPTransportError`` with `proxyRefused`, with `unreachable` if the proxy cannot
    ///   reach the host, with `malformed`, or an error of the connection.
    package func open(over connection: any ByteConnection) async throws {
        switch self.proxy.kind {
        case .http: try await self.connect(connection)
        case .socks5: try await self.greet(connection)
        }
    }

    /// Opens a tunnel as RFC 9110 §9.3.6 says.
    private func connect(_ connection: any ByteConnection) async throws {
        let target = URLAuthority(host: self.host, port: self.port).hostAndPort(unless: 0)
        var fields = [("Host", target)]
        if let user = self.proxy.userInfo {
            fields.append(("Proxy-Authorization", user.basicCredentials))
        }
        connection.send(try RequestLines.bytes("CONNECT", target, fields), sent: nil)
        var parser = AnswerParser(AnswerParser.Request(method: "CONNECT"))
        while let memory = try await connection.receive(readsAhead: false) {
            var offset = 0
            let step = try memory.withUnsafeBytes { bytes throws(HTTPTransportError) in
                try parser.next(in: bytes, from: &offset)
            }
            guard case .head(let head) = step else { continue }
            switch head.status {
            case 200...299:
                // Bytes behind the head are an error: the host has received nothing yet, so it has
                // nothing to send.
                guard offset == memory.count else { throw HTTPTransportError.broken }
                return
            case 407: throw HTTPTransportError.refused(by: self.proxy)
            default:
                throw HTTPTransportError(.proxyRefused, "its answer was \(head.status)")
            }
        }
        throw HTTPTransportError(.connectionLost, "the connection closed too early")
    }

    /// Opens a connection as RFC 1928 says: version 5, no authentication, the host by its name or
    /// address.
    ///
    /// ```
    /// 05 01 00            05 00
    /// 05 01 00 TYPE ADDRESS PORT(2)      05 REPLY 00 TYPE ADDRESS PORT(2)
    /// ```
    /// TYPE is 01 for an IPv4 address (4 bytes), 03 for a name (its length in a byte before it), 04
    /// for IPv6 (16).
    private func greet(_ connection: any ByteConnection) async throws {
        guard self.host.utf8.count <= 255, (1...65_535).contains(self.port) else {
            throw HTTPTransportError(.unreachable, "its name is too long for the proxy")
        }
        var bytes: [UInt8] = []
        func take(_ count: Int) async throws -> [UInt8] {
            while bytes.count < count {
                guard let memory = try await connection.receive(readsAhead: false) else {
                    throw HTTPTransportError(.connectionLost, "the connection closed too early")
                }
                bytes += memory.array
            }
            defer { bytes.removeFirst(count) }
            return Array(bytes.prefix(count))
        }
        connection.send([5, 1, 0], sent: nil)
        let method = try await take(2)
        guard method[0] == 5 else {
            throw HTTPTransportError(.proxyRefused, "it does not speak SOCKS version 5")
        }
        guard method[1] == 0 else {
            throw HTTPTransportError(.proxyRefused, "it wants a user and a password")
        }
        // An address is sent in the form of a name too: proxies read both in this form.
        let name = Array(self.host.utf8)
        connection.send(
            [5, 1, 0, 3, UInt8(name.count)] + name
                + [UInt8(self.port >> 8), UInt8(self.port & 0xFF)],
            sent: nil
        )
        let reply = try await take(4)
        switch reply[1] {
        case 0: break
        case 2: throw HTTPTransportError(.proxyRefused, "its rules forbid this host")
        case 4: throw HTTPTransportError(.unreachable, "the proxy has no route to it")
        case 5: throw HTTPTransportError(.unreachable, "connection refused")
        default:
            throw HTTPTransportError(.unreachable, "the proxy has failed (\(reply[1]))")
        }
        let count =
            switch reply[3] {
            case 1: 4
            case 4: 16
            default: Int(try await take(1)[0])
            }
        _ = try await take(count + 2)
    }
}
