// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirHTTP

@Suite("How far an address reaches")
struct NetworkScopeTests {
    @Test(
        "an IPv4 address, also inside of an IPv6 one",
        arguments: [
            ([127, 0, 0, 1], .loopback), ([127, 255, 1, 2], .loopback), ([0, 0, 0, 0], .loopback),
            ([10, 0, 0, 1], .local), ([172, 15, 0, 1], .global), ([172, 16, 0, 1], .local),
            ([172, 31, 9, 9], .local), ([172, 32, 0, 1], .global), ([192, 168, 1, 1], .local),
            ([192, 169, 1, 1], .global), ([100, 63, 0, 1], .global), ([100, 64, 0, 1], .local),
            ([100, 127, 0, 1], .local), ([100, 128, 0, 1], .global), ([169, 254, 169, 254], .link),
            ([169, 253, 0, 1], .global), ([192, 0, 0, 8], .local), ([192, 0, 2, 1], .local),
            ([198, 18, 0, 1], .local), ([198, 20, 0, 1], .global), ([198, 51, 100, 1], .local),
            ([203, 0, 113, 1], .local), ([224, 0, 0, 1], .local), ([255, 255, 255, 255], .local),
            ([8, 8, 8, 8], .global), ([1, 1, 1, 1], .global), ([223, 255, 255, 254], .global),
        ] as [([UInt8], NetworkScope)]
    )
    func ipv4(_ bytes: [UInt8], _ scope: NetworkScope) {
        #expect(NetworkScope(ipv4: bytes) == scope)
        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(NetworkScope(ipv6: zeros + [0xFF, 0xFF] + bytes) == scope)
        #expect(NetworkScope(ipv6: [0, 0x64, 0xFF, 0x9B] + zeros.prefix(8) + bytes) == scope)
        #expect(NetworkScope(ipv6: [0x20, 0x02] + bytes + zeros) == scope)
    }

    @Test(
        "an IPv6 address",
        arguments: [
            ("00000000000000000000000000000000", .loopback),
            ("00000000000000000000000000000001", .loopback),
            ("fe800000000000000000000000000001", .link),
            ("febfffffffffffffffffffffffffffff", .link),
            ("fec00000000000000000000000000001", .local),
            ("fc000000000000000000000000000001", .local),
            ("fd123456789a00000000000000000001", .local),
            ("ff020000000000000000000000000001", .local),
            ("20010db8000000000000000000000001", .local),
            ("20010000000000000000000000000001", .local),
            ("20014860486000000000000000008888", .global),
            ("2a0000000000000000000000000000ff", .global),
            ("00000000000000000000000000000002", .loopback),
            ("4000000000000000000000000000000a", .local),
            ("0064ff9b0001000000000000c0a80001", .local),
        ] as [(String, NetworkScope)]
    )
    func ipv6(_ digits: String, _ scope: NetworkScope) {
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
        #expect(NetworkScope(ipv6: bytes) == scope)
    }

    @Test("a rule allows the internet, its site, and named hosts that are not of the link")
    func rule() throws {
        let origin = try OriginURL("http://media.example:8080/list.m3u8")
        let rule = ConnectionRule.internet(and: [.init(origin)], hosts: ["NAS.example"])
        #expect(rule.allows(.global, host: "other.example", port: 80))
        for scope in [NetworkScope.local, .loopback, .link] {
            #expect(rule.allows(scope, host: "media.example", port: 8080))
            #expect(!rule.allows(scope, host: "media.example", port: 80))
            #expect(!rule.allows(scope, host: "other.example", port: 80))
            #expect(ConnectionRule.any.allows(scope, host: "other.example", port: 80))
        }
        #expect(rule.allows(.local, host: "nas.example", port: 1))
        #expect(rule.allows(.loopback, host: "nas.example", port: 1))
        #expect(!rule.allows(.link, host: "nas.example", port: 1))
    }

    @Test("bytes of another length are no address of the internet")
    func otherLengths() {
        #expect(NetworkScope(ipv4: [8, 8, 8]) == .local)
        #expect(NetworkScope(ipv6: [0x2A]) == .local)
    }
}
