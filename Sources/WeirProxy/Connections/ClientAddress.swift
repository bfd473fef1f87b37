// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The address that a client comes from, without its port.
package struct ClientAddress: Hashable, Sendable {
    /// The address of a client that has no address, or an address of another kind than IPv4 and
    /// IPv6.
    package static let unknown = ClientAddress(high: 0, low: 0)

    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Stores an IPv4 address in its IPv6 form (RFC 4291 §2.5.5.2), so that both forms are one
    /// client.
    init(ipv4 address: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(address))
    }

    /// Creates an IPv6 address from two numbers; the first one holds the first eight bytes.
    init(ipv6 address: (high: UInt64, low: UInt64)) {
        self.init(high: address.high, low: address.low)
    }

    /// Reads the address of a socket; ``unknown`` if it is neither an IPv4 nor an IPv6 address.
    ///
    /// On every system, the address follows the family and the port in a `sockaddr_in`. In a
    /// `sockaddr_in6`, the flow information is between the port and the address.
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

    /// The IPv4 address, in the machine's byte order; `nil` for an IPv6 address.
    private var ipv4: UInt32? {
        self.high == 0 && self.low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: self.low) : nil
    }

    /// The unit that counts as one client: an IPv4 address, or an IPv6 network of 64 bits (RFC
    /// 6177).
    var network: ClientAddress {
        self.ipv4 != nil ? self : ClientAddress(high: self.high, low: 0)
    }

    /// The identifier under which limits are shared: one for all addresses of a ``network``.
    var id: ClientID {
        let network = self.network
        return ClientID(high: network.high, low: network.low)
    }

    /// Whether the address belongs to the loopback interface: 127.0.0.0/8 or `::1`.
    var isLoopback: Bool {
        if let ipv4 { return ipv4 >> 24 == 127 }
        return self.high == 0 && self.low == 1
    }
}

extension ClientAddress: CustomStringConvertible {
    /// The address as text, an IPv4 address with its dots; `?` if it is unknown.
    package var description: String {
        if self == .unknown { return "?" }
        if let ipv4 {
            return (0..<4).map { String(ipv4 >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".")
        }
        let bytes = [self.high, self.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)
        return address?.ipAddress ?? "?"
    }
}

/// A block of addresses, as CIDR writes it (RFC 4632, RFC 4291 §2.3): `10.0.0.0/8`, `fd00::/8`, or
/// one address.
package struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    /// How many of 128 bits all of its addresses have in common.
    private let prefix: Int

    /// Reads a block.
    ///
    /// - Returns: `nil` if the text is not a block, or if bits behind the prefix are set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            let address = try? SocketAddress(ipAddress: String(parts[0]), port: 0)
        else { return nil }
        let bits = address.protocol == .inet ? 32 : 128
        let length = parts.count == 2 ? Int(parts[1]) : bits
        guard let length, (0...bits).contains(length) else { return nil }
        let first = ClientAddress(address)
        guard first.masked(128 - bits + length) == first else { return nil }
        self.first = first
        self.prefix = 128 - bits + length
    }

    /// Whether an address is in the block.
    func contains(_ address: ClientAddress) -> Bool {
        address.masked(self.prefix) == self.first
    }
}

extension ClientAddress {
    /// The address with only the first `bits` of its 128 bits; the others are zero.
    fileprivate func masked(_ bits: Int) -> ClientAddress {
        func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : ~0 << (64 - min(bits, 64)) }
        return ClientAddress(ipv6: (self.high & mask(bits), self.low & mask(bits - 64)))
    }
}
