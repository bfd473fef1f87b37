// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirProxy

@Suite("Host fields")
struct HostFieldTests {
    @Test(
        "names of the loopback interface are recognised, with or without a port",
        arguments: [
            "127.0.0.1", "127.0.0.1:4747", "127.0.0.1:", "localhost", "LocalHost:80", "127.1.2.3",
            "127.255.255.255:1", "[::1]", "[::1]:4747",
        ]
    )
    func loopback(value: String) {
        #expect(HostField(value)?.isLoopback == true)
    }

    @Test(
        "other names are not loopback names",
        arguments: [
            "example.org", "localhost.example.org", "127.0.0.1.example.org", "127.0.0",
            "127.0.0.256",
            "127.0.0.1.", "127.0.0.0001", "127..0.1", "128.0.0.1", "10.0.0.1", "[::2]",
            "xlocalhost",
            "localhost.", "0.0.0.0", "2130706433",
        ]
    )
    func notLoopback(value: String) {
        #expect(HostField(value)?.isLoopback == false)
    }

    @Test(
        "text that is not a name is refused",
        arguments: [
            "", ":80", "[", "[]", "[::1", "[::1]x", "[localhost]", "a b", "user@localhost",
            "localhost:x", "localhost:123456", "localhost:80:80", "localhost/", "::1", "loc\u{E4}l",
        ]
    )
    func unreadable(value: String) {
        #expect(HostField(value) == nil)
    }

    @Test("the usual address is a loopback address", arguments: ["127.0.0.1", "127.0.0.1:65535"])
    func usual(value: String) {
        #expect(HostField.isUsual(value))
        #expect(HostField(value)?.isLoopback == true)
    }

    @Test(
        "no other address is the usual address",
        arguments: [
            "127.0.0.1:655350", "127.0.0.1:x", "127.0.0.11", "127.0.0.1.org", "", "localhost",
        ]
    )
    func unusual(value: String) {
        #expect(!HostField.isUsual(value))
    }
}
