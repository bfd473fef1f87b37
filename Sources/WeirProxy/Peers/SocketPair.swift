// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The two ends of a TCP connection, as one of its two sockets sees them.
struct SocketPair: Hashable, Sendable {
    /// An address and a port.
    struct End: Hashable, Sendable {
        /// 16 bytes in network order; an IPv4 address in its IPv6 form (RFC 4291 §2.5.5.2).
        let address: [UInt8]
        let port: UInt16

        /// The start of an IPv4 address in its IPv6 form.
        private static let ipv4Prefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

        /// An IPv4 address, 4 bytes in network order.
        init(ipv4 address: some Collection<UInt8>, port: UInt16) {
            self.address = Self.ipv4Prefix + address
            self.port = port
        }

        /// An IPv6 address, 16 bytes in network order.
        init(ipv6 address: some Collection<UInt8>, port: UInt16) {
            self.address = Array(address)
            self.port = port
        }

        /// The end of a socket; `nil` if the address is not an Internet address.
        init?(_ address: SocketAddress?) {
            guard let address, let port = address.port.flatMap(UInt16.init(exactly:)) else {
                return nil
            }
            // Fields and their bytes: `sockaddr_in` has family 2, port 2, address 4; `sockaddr_in6` has family 2,
            // port 2, flow 4, address 16. On Apple systems the first 2 bytes are a length and a family; the other
            // offsets are the same.
            switch address {
            case .v4:
                let bytes = address.withSockAddr { start, _ in
                    Array(UnsafeRawBufferPointer(start: start, count: 8)[4...])
                }
                self.init(ipv4: bytes, port: port)
            case .v6:
                let bytes = address.withSockAddr { start, _ in
                    Array(UnsafeRawBufferPointer(start: start, count: 24)[8...])
                }
                self.init(ipv6: bytes, port: port)
            default:
                return nil
            }
        }

        /// The 4 bytes of an IPv4 address; `nil` for any other address.
        var ipv4: ArraySlice<UInt8>? {
            self.address.starts(with: Self.ipv4Prefix) ? self.address[12...] : nil
        }
    }

    /// The end of the socket itself.
    let local: End
    /// The end of its peer.
    let remote: End
}
