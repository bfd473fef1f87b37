// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The messages of `sock_diag(7)`, with which Linux reports the owner of a TCP socket.
///
/// Question and answer are a netlink header (`struct nlmsghdr` of `linux/netlink.h`), then a body
/// of `linux/inet_diag.h`. Numbers are in the byte order of the machine, addresses and ports in
/// network order.
///
/// ```
///  nlmsghdr           0 length: 4 │ 4 type: 2 │ 6 flags: 2 │ 8 sequence: 4 │ 12 port identifier: 4
///  inet_diag_req_v2  16 family: 1 │ 17 protocol: 1 │ 18 extensions: 1 │ 19 pad: 1
///                    20 states: 4 │ 24 sockid
///  inet_diag_msg     16 family: 1 │ 17 state: 1 │ 18 timer: 1 │ 19 retransmissions: 1 │ 20 sockid
///                    68 expires: 4 │ 72 receive queue: 4 │ 76 send queue: 4 │ 80 user: 4
///                    84 inode: 4
///  inet_diag_sockid   0 local port: 2 │ 2 remote port: 2 │ 4 local address: 16
///                    20 remote address: 16 │ 36 interface: 4 │ 40 cookie: 8
/// ```
enum SocketDiagnosis {
    /// The system's answer about a socket.
    enum Answer: Hashable, Sendable {
        /// A program of this user has the socket open.
        case open(user: UInt32)
        /// The socket has been closed. Its owner is unknown: the system may report 0, as it does
        /// for root.
        case closed
        /// There is no such socket, or the system has no module that could find it.
        case absent
        /// The system refuses to answer, for this reason (`errno`).
        case refused(Int32)
        /// The message answers another question.
        case unrelated
        /// The message is cut short, or not of this form.
        case unreadable
    }

    /// The number of the protocol, for `socket(2)`: `NETLINK_SOCK_DIAG` of `linux/netlink.h`.
    static let netlinkProtocol: Int32 = 4
    /// The address family of netlink: `AF_NETLINK` of `linux/socket.h`.
    static let netlinkFamily: Int32 = 16

    // linux/netlink.h
    private static let headerLength = 16
    private static let errorType: UInt16 = 2
    private static let requestFlag: UInt16 = 1
    // linux/sock_diag.h: SOCK_DIAG_BY_FAMILY.
    private static let byFamilyType: UInt16 = 20
    // linux/inet_diag.h
    private static let requestLength = headerLength + 56
    private static let answerLength = headerLength + 72
    private static let noCookie = UInt32.max
    // linux/socket.h, linux/in.h, asm-generic/errno-base.h
    private static let ipv4Family: UInt8 = 2
    private static let ipv6Family: UInt8 = 10
    private static let tcp: UInt8 = 6
    private static let noSuchEntry: Int32 = 2

    /// Asks for the one socket that has these ends.
    ///
    /// - Parameters:
    ///   - pair: the ends, as the wanted socket sees them. Both are of one family.
    ///   - sequence: a number that the answer repeats.
    /// - Returns: the message, 72 bytes.
    static func question(about pair: SocketPair, sequence: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.requestLength)
        bytes.append(ofMachine: UInt32(Self.requestLength))
        bytes.append(ofMachine: Self.byFamilyType)
        bytes.append(ofMachine: Self.requestFlag)
        bytes.append(ofMachine: sequence)
        bytes.append(ofMachine: UInt32(0))
        let isIPv4 = pair.local.ipv4 != nil && pair.remote.ipv4 != nil
        bytes += [isIPv4 ? Self.ipv4Family : Self.ipv6Family, Self.tcp, 0, 0]
        // Any state: the answer shows the state.
        bytes.append(ofMachine: UInt32.max)
        bytes.append(ofMachine: pair.local.port.bigEndian)
        bytes.append(ofMachine: pair.remote.port.bigEndian)
        for end in [pair.local, pair.remote] {
            let address = isIPv4 ? Array(end.address[12...]) : end.address
            bytes += address + Array(repeating: 0, count: 16 - address.count)
        }
        // Any interface, and any socket.
        bytes.append(ofMachine: UInt32(0))
        bytes.append(ofMachine: Self.noCookie)
        bytes.append(ofMachine: Self.noCookie)
        return bytes
    }

    /// Reads an answer.
    ///
    /// An answer names a user only for a socket that is open, has exactly these ends and belongs to
    /// a file. A socket whose program has closed it exists for a while longer, with the user 0. A
    /// question about a connection that has ended may find a listening socket.
    ///
    /// - Parameters:
    ///   - bytes: one datagram, as the system gave it; bytes after the fixed part are ignored.
    ///   - pair: the ends that the question was about.
    ///   - sequence: the number in the question.
    /// - Returns: the answer; never traps, whatever the bytes are.
    static func answer(_ bytes: [UInt8], about pair: SocketPair, sequence: UInt32) -> Answer {
        guard bytes.count >= Self.headerLength else { return .unreadable }
        let length = Int(bytes.number(at: 0, as: UInt32.self))
        guard length >= Self.headerLength, length <= bytes.count else { return .unreadable }
        guard bytes.number(at: 8, as: UInt32.self) == sequence else { return .unrelated }
        switch bytes.number(at: 4, as: UInt16.self) {
        case Self.errorType:
            guard length >= Self.headerLength + 4 else { return .unreadable }
            // 0 would be an acknowledgement, which the question does not request.
            let code = bytes.number(at: 16, as: Int32.self)
            guard (Int32.min + 1..<0).contains(code) else { return .unreadable }
            return -code == Self.noSuchEntry ? .absent : .refused(-code)
        case Self.byFamilyType:
            guard length >= Self.answerLength else { return .unreadable }
            guard let found = Self.pair(in: bytes) else { return .unreadable }
            guard found == pair else { return .absent }
            let inode = bytes.number(at: 84, as: UInt32.self)
            return inode == 0 ? .closed : .open(user: bytes.number(at: 80, as: UInt32.self))
        default:
            return .unreadable
        }
    }

    /// The ends of the socket in an answer; an IPv6 socket may have an IPv4 connection.
    private static func pair(in bytes: [UInt8]) -> SocketPair? {
        let local = UInt16(bigEndian: bytes.number(at: 20, as: UInt16.self))
        let remote = UInt16(bigEndian: bytes.number(at: 22, as: UInt16.self))
        switch bytes[16] {
        case Self.ipv4Family:
            return SocketPair(
                local: SocketPair.End(ipv4: bytes[24..<28], port: local),
                remote: SocketPair.End(ipv4: bytes[40..<44], port: remote)
            )
        case Self.ipv6Family:
            return SocketPair(
                local: SocketPair.End(ipv6: bytes[24..<40], port: local),
                remote: SocketPair.End(ipv6: bytes[40..<56], port: remote)
            )
        default:
            return nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(ofMachine number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { self.append(contentsOf: $0) }
    }

    /// A number at an offset, which must be within the bytes.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        as type: Number.Type
    ) -> Number {
        self.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
