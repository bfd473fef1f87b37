// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How far an IP address reaches, by the registries of special-purpose addresses (RFC 6890).
package enum NetworkScope: Hashable, Sendable {
    /// Any host of the internet.
    case global
    /// A network that is not the internet: RFC 1918, RFC 4193, RFC 6598 and reserved blocks.
    case local
    /// This machine.
    case loopback
    /// The link only, not beyond a router: RFC 3927, RFC 4291 §2.5.6.
    case link

    /// The scope of an IPv4 address.
    ///
    /// - Parameter address: its four bytes, in the order of the network.
    package init(ipv4 address: some Collection<UInt8>) {
        let bytes = Array(address)
        guard bytes.count == 4 else {
            self = .local
            return
        }
        self =
            switch (bytes[0], bytes[1], bytes[2]) {
            case (127, _, _), (0, _, _): .loopback
            case (169, 254, _): .link
            case (10, _, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _): .local
            // Protocol assignments, documentation and benchmarks.
            case (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113): .local
            // Multicast and reserved addresses.
            case (224...255, _, _): .local
            default: .global
            }
    }

    /// The scope of an IPv6 address; if it contains an IPv4 address, the scope of the IPv4 address.
    ///
    /// - Parameter address: its sixteen bytes, in the order of the network.
    package init(ipv6 address: some Collection<UInt8>) {
        let bytes = Array(address)
        guard bytes.count == 16 else {
            self = .local
            return
        }
        let zeros = bytes.prefix { $0 == 0 }.count
        if zeros == 16 || (zeros == 15 && bytes[15] == 1) {
            self = .loopback
        } else if zeros >= 12 || (zeros == 10 && bytes[10] == 0xFF && bytes[11] == 0xFF) {
            // IPv4-compatible and IPv4-mapped addresses (RFC 4291 §2.5.5).
            self.init(ipv4: bytes[12...])
        } else if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]),
            bytes[4..<12].allSatisfy({ $0 == 0 })
        {
            // NAT64 (RFC 6052).
            self.init(ipv4: bytes[12...])
        } else if bytes.starts(with: [0x20, 0x02]) {
            // 6to4 (RFC 3056).
            self.init(ipv4: bytes[2..<6])
        } else if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 {
            self = .link
        } else {
            // Of the other addresses, only 2000::/3 is assigned to hosts of the internet. Two
            // blocks in it count as local: Teredo (2001::/32, RFC 4380), which tunnels to any IPv4
            // address, and the addresses for documentation (2001:DB8::/32, RFC 3849).
            let isUnicast = bytes[0] & 0xE0 == 0x20
            let isReserved =
                bytes.starts(with: [0x20, 0x01, 0x00, 0x00])
                || bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            self = isUnicast && !isReserved ? .global : .local
        }
    }
}

extension NetworkScope {
    /// The scope of a host that is written as an address, or is `localhost`; `nil` for another name.
    ///
    /// Each form counts that the system accepts, such as `127.1`, `0x7f000001` and `2130706433`.
    ///
    /// - Parameter host: the host of a URL, in lower case; an IPv6 address without brackets.
    init?(ofHost host: String) {
        // The name of this machine (RFC 6761 §6.3).
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") {
            self = .loopback
            return
        }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let found = list else { return nil }
        defer { freeaddrinfo(found) }
        let size = Int(found.pointee.ai_addrlen)
        self.init(
            socketAddress: UnsafeRawBufferPointer(start: found.pointee.ai_addr, count: size)
        )
    }

    /// The scope of an address in the form of the system's sockets.
    ///
    /// - Parameter address: the bytes of a `sockaddr_in` or a `sockaddr_in6`; any other address is ``local``.
    package init(socketAddress address: UnsafeRawBufferPointer) {
        // Both forms have a port behind the family, and the address at these bytes.
        switch address.count {
        case MemoryLayout<sockaddr_in>.size: self.init(ipv4: address[4..<8])
        case MemoryLayout<sockaddr_in6>.size: self.init(ipv6: address[8..<24])
        default: self = .local
        }
    }
}
