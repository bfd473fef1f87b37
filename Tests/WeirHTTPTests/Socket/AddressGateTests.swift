// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirHTTP

@Suite("A rule about addresses", .timeLimit(.minutes(1)))
struct AddressGateTests {
    private static let answer: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step] = { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
    }

    private func send(
        to url: String,
        _ rule: ConnectionRule,
        over transport: NIOTransport
    ) async throws -> HTTPTransportError.Code? {
        var request = HTTPTransportRequest(url: try OriginURL(url))
        request.rule = rule
        do {
            try await transport.send(request).body.cancel()
            return nil
        } catch let error as HTTPTransportError {
            return error.code
        }
    }

    @Test(
        "forbids this machine in every spelling, and the server sees no connection",
        arguments: [
            "127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "0.0.0.0",
            "[::ffff:127.0.0.1]",
        ]
    )
    func forbidsLoopback(host: String) async throws {
        try await SocketTests().with(Self.answer) { server, transport in
            let url = "http://\(host):\(server.port)/a.ts"
            let code = try await self.send(to: url, .internet(and: []), over: transport)
            #expect(code == .forbiddenAddress)
            #expect(server.state.value.opened == 0)
            #expect(throws: HTTPTransportError.self) {
                try ConnectionRule.internet(and: []).check(OriginURL(url))
            }
        }
    }

    @Test("allows its site and named hosts, and no other port of the site")
    func allows() async throws {
        try await SocketTests().with(Self.answer) { server, transport in
            let url = try OriginURL("http://127.0.0.1:\(server.port)/a.ts")
            let other = try OriginURL("http://127.0.0.1:1/a.ts")
            let rules: [(ConnectionRule, isAllowed: Bool)] = [
                (.internet(and: [.init(url)]), true),
                (.internet(and: [.init(other)]), false),
                (.internet(and: [.init(other)], hosts: ["127.0.0.1"]), true),
                (.internet(and: [.init(other)], hosts: ["localhost"]), false),
                (.any, true),
            ]
            for (rule, isAllowed) in rules {
                let code = try await self.send(to: "\(url)", rule, over: transport)
                #expect(code == (isAllowed ? nil : .forbiddenAddress), "\(rule)")
            }
        }
    }

    @Test("holds for the target of a redirect, and the error names the host and the option")
    func redirect() async throws {
        try await SocketTests().with(Self.answer) { target, transport in
            let location = "http://127.0.0.1:\(target.port)/b.ts"
            try await SocketTests().with { _ in
                [.text("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")]
            } _: { server, _ in
                let url = server.url("/a.ts")
                var options = SocketTests.options
                options.rule = .internet(and: [.init(try OriginURL(url))])
                let origin = try SocketTests().origin(url, transport, options)
                let error = await #expect(throws: SourceError.self) {
                    _ = try await origin.read(.whole)
                }
                #expect(error?.code == .forbidden)
                #expect(error?.message.contains("127.0.0.1:\(target.port)") == true)
                #expect(error?.message.contains("--hls-host") == true)
                #expect(target.state.value.opened == 0)
            }
        }
    }

    @Test("lets a request use no connection of a request with another rule")
    func sharesNoConnection() async throws {
        try await SocketTests().with(Self.answer) { server, transport in
            let url = try OriginURL("http://127.0.0.1:\(server.port)/a.ts")
            #expect(try await self.send(to: "\(url)", .any, over: transport) == nil)
            let code = try await self.send(to: "\(url)", .internet(and: []), over: transport)
            #expect(code == .forbiddenAddress)
        }
    }
}
