// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The address that a client comes from, without its port: whose places are counted together.
struct ClientAddress: Hashable, Sendable {
    /// An address without a family of its own, as a channel has that no network is behind.
    static let unknown = ClientAddress(high: 0, low: 0)

    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes an IPv4 address in its IPv6 form (RFC 4291 §2.5.5.2), so that both forms are one client.
    init(ipv4 address: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(address))
    }

    /// Takes the address of a socket; every one that is no Internet address is ``unknown``.
    ///
    /// The address stands behind the family and the port in a `sockaddr_in`, and behind the flow, too, in a
    /// `sockaddr_in6`, on every system.
    init(_ address: SocketAddress?) {
        guard let address else {
            self = .unknown
            return
        }
        self = address.withSockAddr { pointer, size in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
            switch address.protocol {
            case .inet where size >= 8:
                return ClientAddress(
                    ipv4: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                )
            case .inet6 where size >= 24:
                return ClientAddress(
                    high: UInt64(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                    ),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                )
            default:
                return .unknown
            }
        }
    }

    /// The IPv4 address, in the machine's byte order, if it is one.
    private var ipv4: UInt32? {
        self.high == 0 && self.low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: self.low) : nil
    }

    /// Whether it is an address of the loopback interface: 127.0.0.0/8 or `::1`.
    var isLoopback: Bool {
        if let ipv4 { return ipv4 >> 24 == 127 }
        return self.high == 0 && self.low == 1
    }
}
