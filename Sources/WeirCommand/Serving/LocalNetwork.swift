// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The addresses and names by which other machines reach this one.
enum LocalNetwork {
    /// The names of a server for other machines: IP addresses and `NAME.local` (RFC 6762).
    ///
    /// Empty for other listening addresses than `0.0.0.0` and `::`. Names from DNS are left out:
    /// the owner of a DNS server could make one of its names point here.
    static func names(listeningOn address: ListenAddress) -> [String] {
        switch address.host {
        case "0.0.0.0": self.addresses(of: [AF_INET]) + self.multicastNames
        case "::": self.addresses(of: [AF_INET, AF_INET6]) + self.multicastNames
        default: []
        }
    }

    /// The addresses of active interfaces, without loopback and IPv6 link-local addresses.
    private static func addresses(of families: [CInt]) -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let interface = next?.pointee {
            next = interface.ifa_next
            let flags = CInt(bitPattern: interface.ifa_flags)
            guard let address = interface.ifa_addr,
                families.contains(CInt(address.pointee.sa_family)),
                flags & CInt(IFF_UP) != 0, flags & CInt(IFF_LOOPBACK) == 0,
                let text = self.text(of: address), !text.hasPrefix("fe80:"), !found.contains(text)
            else { continue }
            found.append(text)
        }
        return found
    }

    /// The system's error if a listener on this address fails now; `nil` if it succeeds.
    static func trouble(listeningOn address: ListenAddress) -> CInt? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if canImport(Glibc)
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, "\(address.port)", &hints, &list) == 0, let found = list
        else { return EADDRNOTAVAIL }
        defer { freeaddrinfo(list) }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var reuses: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, size)
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
            listen(descriptor, 1) == 0
        else { return errno }
        return nil
    }

    /// The address of a socket; `nil` if it is not an Internet socket.
    static func address(ofSocket descriptor: CInt) -> ListenAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &size) == 0,
                    [AF_INET, AF_INET6].contains(CInt(address.pointee.sa_family)),
                    let host = self.text(of: address)
                else { return nil }
                // Both kinds of address have the port at the same offset.
                let port = UnsafeRawPointer(address).loadUnaligned(
                    fromByteOffset: 2,
                    as: UInt16.self
                )
                return ListenAddress(host: host, port: Int(UInt16(bigEndian: port)))
            }
        }
    }

    private static func text(of address: UnsafePointer<sockaddr>) -> String? {
        let isIPv6 = CInt(address.pointee.sa_family) == AF_INET6
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var host = [CChar](repeating: 0, count: 64)
        let result = getnameinfo(
            address,
            socklen_t(size),
            &host,
            socklen_t(host.count),
            nil,
            0,
            NI_NUMERICHOST
        )
        return result == 0 ? self.text(host) : nil
    }

    private static var multicastNames: [String] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        let first = self.text(name).prefix { $0 != "." }.lowercased()
        return first.isEmpty || first == "localhost" ? [] : ["\(first).local"]
    }

    /// The characters before the zero byte.
    private static func text(_ characters: [CChar]) -> String {
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A listening socket from a service manager, by the protocol of sd_listen_fds(3).
struct ListeningSocket: Hashable, Sendable {
    /// The descriptor of the first socket in that protocol.
    private static let firstDescriptor: CInt = 3

    let descriptor: CInt
    let address: ListenAddress

    /// The socket that this process was started with; `nil` without one.
    ///
    /// Child processes do not inherit it.
    ///
    /// - Throws: ``CommandError`` with `usage` if the descriptor is not a listening TCP socket.
    static func inherited(_ environment: ProgramEnvironment) throws -> ListeningSocket? {
        guard let process = environment["LISTEN_PID"].flatMap({ pid_t($0) }), process == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count >= 1
        else { return nil }
        let descriptor = Self.firstDescriptor
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var isListening: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard let address = LocalNetwork.address(ofSocket: descriptor),
            getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
            isListening != 0
        else {
            throw CommandError.usage(
                "The passed descriptor (LISTEN_FDS) is not a listening TCP socket; give the service manager a socket"
                    + " unit with ListenStream=ADDRESS:PORT."
            )
        }
        return ListeningSocket(descriptor: descriptor, address: address)
    }
}
