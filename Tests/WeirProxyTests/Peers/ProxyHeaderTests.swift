// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirTestKit

@testable import WeirProxy

@Suite("The client's address in a load balancer's header", .timeLimit(.minutes(1)))
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let ipv4 =
        signature + [0x21, 0x11, 0, 12, 203, 0, 113, 7, 10, 0, 0, 1, 0xD4, 0x31, 0x12, 0x8B]

    private static func address(_ text: String) throws -> ClientAddress {
        ClientAddress(try SocketAddress(ipAddress: text, port: 1))
    }

    @Test("both versions, both families, and fields behind the addresses")
    func versions() throws {
        let client = try Self.address("203.0.113.7")
        #expect(ProxyHeader(Self.ipv4) == .whole(client: client, size: 28))
        let line = Array("PROXY TCP4 203.0.113.7 10.0.0.1 54321 4747\r\n".utf8)
        #expect(ProxyHeader(line) == .whole(client: client, size: line.count))
        let long = Array("PROXY TCP6 2001:db8::7 2001:db8::1 1 2\r\n".utf8)
        let other = try Self.address("2001:db8::7")
        #expect(ProxyHeader(long) == .whole(client: other, size: long.count))
        let ipv6: [UInt8] =
            Self.signature + [0x21, 0x21, 0, 39, 0x20, 0x01, 0x0D, 0xB8]
            + Array(repeating: 0, count: 11) + [7]
            + Array(repeating: 1, count: 20) + [4, 0, 0]
        #expect(ProxyHeader(ipv6) == .whole(client: other, size: 55))
        #expect(
            ProxyHeader(line + Array("GET / HTTP/1.1\r\n".utf8))
                == .whole(client: client, size: line.count)
        )
    }

    @Test("a health check of the balancer itself names no client")
    func own() {
        #expect(ProxyHeader(Self.signature + [0x20, 0, 0, 0]) == .whole(client: nil, size: 16))
        #expect(
            ProxyHeader(Self.signature + [0x21, 0x31, 0, 2, 1, 1]) == .whole(client: nil, size: 18)
        )
        #expect(
            ProxyHeader(Array("PROXY UNKNOWN what ever\r\n".utf8)) == .whole(client: nil, size: 25)
        )
    }

    @Test("a part of a header waits for the rest, wherever it is cut")
    func cut() {
        for header in [Self.ipv4, Array("PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n".utf8)] {
            for count in 0..<header.count {
                #expect(ProxyHeader(header[..<count]) == .incomplete, "\(count) of \(header)")
            }
        }
    }

    @Test(
        "any other bytes are not such a header",
        arguments: [
            Array("GET / HTTP/1.1\r\n\r\n".utf8), Array("PROXY TCP4 1.2.3.4 5.6.7.8 9\r\n".utf8),
            Array("PROXY TCP6 1.2.3.4 5.6.7.8 9 10\r\n".utf8),
            Array("PROXY TCP4 ::1 ::1 9 10\r\n".utf8),
            Array("PROXY TCP4 1.2.3 5.6.7.8 9 10\r\n".utf8),
            Array("PROXY TCP4 1.2.3.4 5.6.7.8 9 65536\r\n".utf8),
            Array("PROXY TCP4 1.2.3.4 5.6.7.8 9 10\n".utf8),
            Array("PROXY \(String(repeating: "x", count: 120))".utf8),
            Self.signature + [0x11, 0x11, 0, 12], Self.signature + [0x22, 0x11, 0, 12],
            Self.signature + [0x21, 0x11, 0xFF, 0xFF],
            Self.signature + [0x21, 0x11, 0, 4, 1, 2, 3, 4],
        ]
    )
    func wrong(_ bytes: [UInt8]) {
        #expect(ProxyHeader(bytes) == .wrong)
    }

    @Test("no byte is read past the end of a header")
    func random() {
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<20_000 {
            var bytes =
                Bool.random(using: &generator)
                ? Self.ipv4 : Array("PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n".utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &generator)))
            if case .whole(_, let size) = ProxyHeader(bytes) { #expect(size <= bytes.count) }
        }
    }

    @Test("a block of addresses contains its addresses")
    func blocks() throws {
        func contains(_ block: String, _ address: String) throws -> Bool {
            try #require(AddressRange(block)).contains(Self.address(address))
        }
        #expect(try contains("10.0.0.0/8", "10.255.0.1"))
        #expect(try !contains("10.0.0.0/8", "11.0.0.1"))
        #expect(try contains("10.0.0.5", "10.0.0.5"))
        #expect(try !contains("10.0.0.5", "10.0.0.4"))
        #expect(try contains("0.0.0.0/0", "203.0.113.7"))
        #expect(try !contains("0.0.0.0/0", "2001:db8::7"))
        #expect(try contains("fd00::/8", "fd12::1"))
        #expect(try !contains("fd00::/8", "fe80::1"))
        #expect(try contains("::/0", "fe80::1"))
        #expect(try contains("2001:db8::/72", "2001:db8::1"))
        for text in [
            "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "a", "::/129",
            "10.0.0.0/8/8",
        ] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
        #expect(try Self.address("2001:db8::7").network == Self.address("2001:db8::"))
        #expect(try Self.address("203.0.113.7").network == Self.address("203.0.113.7"))
        #expect(try Self.address("203.0.113.7").description == "203.0.113.7")
        #expect(try Self.address("2001:db8::7").description == "2001:db8::7")
    }

    @Test(
        "the proxy reads the client's address from it, and answers requests behind it, at once or later"
    )
    func served() async throws {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.balancers = [try #require(AddressRange("127.0.0.0/8"))]
        let source = ResidentSource(ScriptedResource(bytes: Array("0123456789".utf8)))
        try await TestProxy.run(["/a": source], configuration) { proxy in
            let request = Array(RawClient.request("/a").utf8)
            for split in [Self.ipv4.count, Self.ipv4.count + 5, 3] {
                let client = try await proxy.connect()
                let bytes = Self.ipv4 + request
                try await client.send(Array(bytes[..<split]))
                try await client.send(Array(bytes[split...]))
                #expect(try await client.response().status == 200)
                try await client.send(request)
                #expect(try await client.response().status == 200)
                await client.close()
            }
            let records = try await proxy.records(6)
            #expect(records.map(\.client) == Array(repeating: "203.0.113.7", count: 6))
            let stranger = try await proxy.connect()
            try await stranger.send(request)
            #expect(try await stranger.waitForEnd().bytes.isEmpty)
            let leaver = try await proxy.connect()
            try await leaver.send(Array(Self.ipv4[..<20]))
            try await leaver.closeSendingHalf()
            #expect(try await leaver.waitForEnd().bytes.isEmpty)
        }
    }

    @Test("of the connections without a whole header, the oldest are closed, and no others")
    func silent() async throws {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.balancers = [try #require(AddressRange("127.0.0.0/8"))]
        let source = ResidentSource(ScriptedResource(bytes: Array("0123456789".utf8)))
        try await TestProxy.run(["/a": source], configuration) { proxy in
            let player = try await proxy.connect()
            let request = Array(RawClient.request("/a").utf8)
            try await player.send(Self.ipv4 + request)
            #expect(try await player.response().status == 200)
            let oldest = try await proxy.connect()
            try await oldest.send(Array(Self.ipv4[..<5]))
            for _ in 0..<64 {
                let silent = try await proxy.connect()
                try await silent.send(Array(Self.ipv4[..<5]))
            }
            #expect(try await oldest.waitForEnd().bytes.isEmpty)
            try await player.send(request)
            #expect(try await player.response().status == 200)
            await player.close()
        }
    }

    @Test("a header from an address that is not a balancer's is refused")
    func unbelieved() async throws {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.balancers = [try #require(AddressRange("10.0.0.0/8"))]
        let source = ResidentSource(ScriptedResource(bytes: Array("0123456789".utf8)))
        try await TestProxy.run(["/a": source], configuration) { proxy in
            #expect(try await proxy.get("/a").status == 200)
            let client = try await proxy.connect()
            try await client.send(Self.ipv4 + Array(RawClient.request("/a").utf8))
            #expect(try await client.response().status == 400)
            await client.close()
            #expect(try await proxy.records(1)[0].client == "127.0.0.1")
        }
    }
}
