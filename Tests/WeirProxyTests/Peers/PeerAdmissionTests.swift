// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirTestKit

@testable import WeirProxy

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("Clients of other users")
struct PeerAdmissionTests {
    @Test("the same user and root are admitted, and no other user is")
    func rulings() {
        #expect(PeerAdmission.refusal(by: .open(user: 1000), for: 1000) == nil)
        #expect(PeerAdmission.refusal(by: .open(user: 0), for: 1000) == nil)
        #expect(PeerAdmission.refusal(by: .open(user: 0), for: 0) == nil)
        for user in [1, 999, 1001, 65534, .max] as [UInt32] {
            for own in [0, 1000] as [UInt32] {
                #expect(
                    PeerAdmission.refusal(by: .open(user: user), for: own)
                        == RefusedClient(user: user)
                )
            }
        }
        let answers: [SocketDiagnosis.Answer] = [
            .closed, .absent, .refused(1), .unrelated, .unreadable,
        ]
        for answer in answers {
            #expect(
                PeerAdmission.refusal(by: answer, for: 0) == RefusedClient(user: nil),
                "\(answer)"
            )
        }
    }

    @Test("an end of a socket has the bytes and the port of its address")
    func ends() throws {
        let end = SocketPair.End(try SocketAddress(ipAddress: "127.0.0.1", port: 80))
        #expect(end == SocketPair.End(ipv4: [127, 0, 0, 1], port: 80))
        #expect(end == SocketPair.End(try SocketAddress(ipAddress: "::ffff:127.0.0.1", port: 80)))
        let end6 = SocketPair.End(try SocketAddress(ipAddress: "::1", port: 65535))
        #expect(end6?.address.last == 1)
        #expect(end6?.ipv4 == nil)
        #expect(SocketPair.End(try SocketAddress(unixDomainSocketPath: "/a")) == nil)
        #expect(SocketPair.End(nil) == nil)
    }

    #if os(Linux)
    @Test("a proxy that admits only its own user serves a client of this user")
    func served() async throws {
        let configuration = ProxyConfiguration(secret: nil, admitsOnlySameUser: true)
        try await TestProxy.run([:], configuration) { proxy in
            let response = try await proxy.get("/healthz")
            #expect(response.status == 200)
        }
    }

    @Test("Linux names the user of a socket while its program has it open, and no other user")
    func open() throws {
        let owners = try #require(SocketOwners())
        #expect(owners.isAnswering())
        let connection = try Connection()
        defer { connection.close() }
        #expect(owners.answer(about: connection.client) == .open(user: geteuid()))
        #expect(owners.answer(about: connection.server) == .open(user: geteuid()))
        // A socket that is shut down for writing is still open.
        shutdown(connection.clientDescriptor, Int32(SHUT_WR))
        #expect(owners.answer(about: connection.client) == .open(user: geteuid()))
        connection.closeClient()
        #expect([.closed, .absent].contains(owners.answer(about: connection.client)))
        let nowhere = SocketPair(
            local: SocketPair.End(ipv4: [127, 0, 0, 1], port: 0),
            remote: connection.client.remote
        )
        #expect(owners.answer(about: nowhere) == .absent)
    }

    /// A connection from this process to itself.
    private final class Connection {
        let client: SocketPair
        let server: SocketPair
        private(set) var clientDescriptor: Int32
        private let others: [Int32]

        init() throws {
            let listener = try Self.made()
            var address = Address()
            try #require(Self.call(&address) { bind(listener, $0, $1) } == 0)
            try #require(listen(listener, 1) == 0)
            try #require(Self.name(&address) { getsockname(listener, $0, $1) } == 0)
            self.clientDescriptor = try Self.made()
            let descriptor = self.clientDescriptor
            try #require(Self.call(&address) { connect(descriptor, $0, $1) } == 0)
            let accepted = accept(listener, nil, nil)
            try #require(accepted >= 0)
            self.others = [listener, accepted]
            var own = Address()
            try #require(Self.name(&own) { getsockname(descriptor, $0, $1) } == 0)
            let ends = [own, address].map {
                SocketPair.End(ipv4: [127, 0, 0, 1], port: UInt16(bigEndian: $0.port))
            }
            self.client = SocketPair(local: ends[0], remote: ends[1])
            self.server = SocketPair(local: ends[1], remote: ends[0])
        }

        func closeClient() {
            Self.end(self.clientDescriptor)
            self.clientDescriptor = -1
        }

        func close() {
            for descriptor in self.others + [self.clientDescriptor] where descriptor >= 0 {
                Self.end(descriptor)
            }
        }

        private static func end(_ descriptor: Int32) {
            #if canImport(Musl)
            Musl.close(descriptor)
            #else
            Glibc.close(descriptor)
            #endif
        }

        private static func made() throws -> Int32 {
            #if canImport(Musl)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            try #require(descriptor >= 0)
            return descriptor
        }

        /// A copy of `struct sockaddr_in`, because more than one module claims to define it.
        private struct Address {
            var family = sa_family_t(AF_INET)
            var port: UInt16 = 0
            var host = UInt32(0x7F00_0001).bigEndian
            var rest: UInt64 = 0
        }

        private static func call(
            _ address: inout Address,
            _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }

        private static func name(
            _ address: inout Address,
            _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> Int32 {
            var length = socklen_t(MemoryLayout<Address>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
            }
        }
    }
    #endif
}
