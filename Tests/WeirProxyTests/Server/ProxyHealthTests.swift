// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("The proxy's health", .timeLimit(.minutes(1)))
struct ProxyHealthTests {
    private static let sources: [String: any ByteSource] = ["/a.mp3": MemorySource(bytes: [1, 2])]
    /// How long a check waits for an answer that comes.
    private static let limit = Duration.seconds(60)

    @Test(
        "a running proxy answers, wherever it listens",
        arguments: ["127.0.0.1", "0.0.0.0"]
    )
    func alive(host: String) async throws {
        try await TestProxy.run(Self.sources, ProxyConfiguration(host: host)) { proxy in
            #expect(await proxy.server.isAnswering(within: Self.limit))
            #expect(await proxy.server.isAnswering(within: Self.limit))
            let records = try await proxy.records(2)
            #expect(records.map(\.target) == ["/healthz", "/healthz"])
        }
    }

    @Test("a proxy whose listening socket was closed does not answer")
    func closed() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            try await proxy.server.channel.close()
            #expect(await !proxy.server.isAnswering())
        }
    }

    #if os(Linux)
    @Test("a proxy whose socket the system took away silently does not answer")
    func taken() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            let channel = proxy.server.channel
            let client = try await proxy.connect()
            #expect(try await client.get("/a.mp3").body == [1, 2])
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
                    _ = Glibc.shutdown($0, CInt(SHUT_RDWR))
                }
            }.get()
            #expect(await !proxy.server.isAnswering())
        }
    }
    #endif

    @Test(
        "a proxy that accepts no connection does not answer, and the check does not wait for ever"
    )
    func silent() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            try await proxy.server.channel.setOption(.autoRead, value: false).get()
            #expect(await !proxy.server.isAnswering(within: .milliseconds(20)))
            try await proxy.server.channel.setOption(.autoRead, value: true).get()
            #expect(await proxy.server.isAnswering(within: Self.limit))
        }
    }

    @Test("a cancelled check does not wait")
    func cancelled() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            try await proxy.server.channel.setOption(.autoRead, value: false).get()
            let asking = Task { await proxy.server.isAnswering(within: .seconds(86_400)) }
            asking.cancel()
            #expect(await !asking.value)
        }
    }

    @Test("another proxy on the former port does not count")
    func impostor() async throws {
        try await TestProxy.run(Self.sources) { proxy in
            try await proxy.server.channel.close()
            let configuration = ProxyConfiguration(port: proxy.port)
            try await TestProxy.run(Self.sources, configuration) { other in
                #expect(await other.server.isAnswering(within: Self.limit))
                #expect(await !proxy.server.isAnswering())
            }
        }
    }

    @Test("a proxy with the maximum number of connections is alive")
    func busy() async throws {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.maximumConnections = 1
        try await TestProxy.run(Self.sources, configuration) { proxy in
            let first = try await proxy.connect()
            #expect(try await first.get("/a.mp3").status == 200)
            #expect(await proxy.server.isAnswering(within: Self.limit))
            var others: [RawClient] = []
            for _ in 0..<40 { others.append(try await proxy.connect()) }
            try await others[0].waitForEnd()
            #expect(await proxy.server.isAnswering(within: Self.limit))
            #expect(try await first.get("/a.mp3").status == 200)
        }
    }

    @Test("a proxy that was shut down does not answer, whether its threads were its own or not")
    func shutDown() async throws {
        let server = try await ProxyServer.start(
            ProxyConfiguration(),
            router: TestProxy.Router(sources: [:])
        )
        await server.shutdown()
        #expect(await !server.isAnswering())
    }

    @Test("only an answer of this proxy proves that it is alive")
    func findings() {
        let findings: [HealthFinding] = [
            .answered(status: 200), .answered(status: 503), .ended, .answered(status: 404),
            .answered(status: 302), .silent, .unreachable,
        ]
        #expect(
            findings.map { $0.provesLife(hasReceivedConnection: true) }
                == [true, true, true, false, false, false, false]
        )
        #expect(!findings.contains { $0.provesLife(hasReceivedConnection: false) })
    }

    @Test("an answer is read whatever the sizes of its pieces")
    func reading() {
        let answer = Array("HTTP/1.1 200 OK\r\n".utf8)
        for count in 0...answer.count {
            let finding = HealthProbe.finding(in: answer.prefix(count))
            #expect(finding == (count < 12 ? nil : .answered(status: 200)), "\(count)")
        }
        #expect(HealthProbe.finding(in: Array("SSH-2.0-OpenSSH".utf8)) == .ended)
        #expect(HealthProbe.finding(in: Array("GET /healthz HTTP/1.1".utf8)) == .ended)
        #expect(HealthProbe.finding(in: Array("HTTP/1.1 abc".utf8)) == .ended)
    }
}
