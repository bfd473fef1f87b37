// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Slots for connections", .timeLimit(.minutes(5)))
struct SlotTests {
    private static let sources: [String: any ByteSource] = [
        "/a": MemorySource(bytes: [1, 2, 3]),
        "/large": SparseSource(length: 256 * 1024 * 1024),
    ]

    private static func slots(_ count: Int) -> ProxyConfiguration {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.maximumConnections = count
        // Longer than a slow machine needs to see that a client has stopped reading.
        configuration.slotPatience = .seconds(60)
        return configuration
    }

    @Test("idle connections block no other client, and health gets its answer beside them")
    func idle() async throws {
        try await TestProxy.run(Self.sources, Self.slots(64)) { proxy in
            var others: [RawClient] = []
            for _ in 0..<64 {
                others.append(try await proxy.connect())
                #expect(try await others[others.count - 1].get("/a").body == [1, 2, 3])
            }
            #expect(try await proxy.get("/healthz").text == "ok\n")
            for _ in 0..<4 { #expect(try await proxy.get("/a").body == [1, 2, 3]) }
            try await others[0].waitForEnd()
            #expect(!others[63].isClosed)
        }
    }

    @Test("connections without a request block no other client")
    func neverAsking() async throws {
        try await TestProxy.run(Self.sources, Self.slots(4)) { proxy in
            var others: [RawClient] = []
            for _ in 0..<4 { others.append(try await proxy.connect()) }
            // The proxy accepts connections in order, so it has accepted all four when it answers this request.
            #expect(try await proxy.get("/healthz").text == "ok\n")
            for _ in 0..<2 { #expect(try await proxy.get("/a").body == [1, 2, 3]) }
            try await others[0].waitForEnd()
            #expect(!others[3].isClosed)
        }
    }

    @Test("clients that never read block no other client, and health gets its answer beside them")
    func neverReading() async throws {
        try await TestProxy.run(Self.sources, Self.slots(8)) { proxy in
            var others: [RawClient] = []
            for _ in 0..<8 {
                let client = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
                try await client.send(RawClient.request("/large"))
                others.append(client)
            }
            #expect(try await proxy.get("/healthz").text == "ok\n")
            #expect(try await proxy.get("/a").body == [1, 2, 3])
            let records = try await proxy.records(3)
            #expect(
                records.filter { $0.isAborted }.map(\.target) == ["/large"],
                "one of them lost its slot"
            )
        }
    }

    @Test("clients of several event loops that never read block no other client")
    func neverReadingOnLoops() async throws {
        var configuration = Self.slots(160)
        configuration.eventLoopCount = 2
        // One look at a connection every 250 ms would take longer than this.
        configuration.slotPatience = .seconds(15)
        try await TestProxy.run(Self.sources, configuration) { proxy in
            var others: [RawClient] = []
            for _ in 0..<160 {
                let client = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
                try await client.send(RawClient.request("/large"))
                others.append(client)
            }
            // The proxy inspects the connections one after the other. A newcomer that found no slot would get a 503.
            #expect(try await proxy.get("/a").body == [1, 2, 3])
        }
    }

    @Test("a player that paused and lost its slot continues with its next range")
    func paused() async throws {
        try await TestProxy.run(Self.sources, Self.slots(1)) { proxy in
            let player = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
            try await player.send(RawClient.request("/large"))
            #expect(try await proxy.get("/a").body == [1, 2, 3])
            try await player.startReading()
            let head = try await player.head()
            let got = try await player.waitForEnd().bytes.count
            #expect(got < head.contentLength ?? 0, "it ends short, visibly")
            let rest = try await proxy.get("/large", ["Range: bytes=\(got)-\(got + 9)"])
            #expect(rest.status == 206)
            #expect(rest.body.count == 10)
            #expect(try await proxy.records(1).contains { $0.isAborted && $0.target == "/large" })
        }
    }

    @Test("a client that is being served is not closed: a new client waits, and its answer says so")
    func served() async throws {
        let source = ScriptedSource(length: 1000)
        let gate = source.holdAnswers()
        var sources = Self.sources
        sources["/held"] = source
        var configuration = Self.slots(1)
        configuration.slotPatience = .milliseconds(300)
        try await TestProxy.run(sources, configuration) { proxy in
            let first = try await proxy.connect()
            try await first.send(RawClient.request("/held"))
            try await source.waitForReads(1)
            let refusal = try await proxy.get("/a")
            #expect(refusal.status == 503)
            #expect(refusal["Connection"] == "close")
            #expect(refusal["Retry-After"] == "1")
            gate.open()
            #expect(try await first.response().body.count == 1000)
        }
    }

    @Test("a waiting request gets the slot of a client that leaves, or has been served")
    func waiting() async throws {
        for isLeaving in [true, false] {
            let source = ScriptedSource(length: 1000)
            let gate = source.holdAnswers()
            var sources = Self.sources
            sources["/held"] = source
            try await TestProxy.run(sources, Self.slots(1)) { proxy in
                let first = try await proxy.connect()
                try await first.send(RawClient.request("/held"))
                try await source.waitForReads(1)
                let second = try await proxy.connect()
                try await second.send(RawClient.request("/a"))
                // The same event loop answers this request after it has received the second client's request.
                #expect(try await proxy.get("/healthz").text == "ok\n")
                if isLeaving { await first.close() } else { gate.open() }
                #expect(try await second.response().body == [1, 2, 3])
                gate.open()
            }
        }
    }

    @Test("a request without a source needs no slot")
    func withoutSlot() async throws {
        let source = ScriptedSource(length: 1000)
        let gate = source.holdAnswers()
        try await TestProxy.run(["/held": source], Self.slots(1)) { proxy in
            let first = try await proxy.connect()
            try await first.send(RawClient.request("/held"))
            try await source.waitForReads(1)
            let second = try await proxy.connect()
            for _ in 0..<3 {
                #expect(try await second.get("/healthz").text == "ok\n")
                #expect(try await second.get("/", method: "POST").status == 405)
            }
            gate.open()
        }
    }

    @Test("a flood of connections without a request is bounded, and the newest are accepted")
    func flood() async throws {
        try await TestProxy.run(Self.sources, Self.slots(1)) { proxy in
            let first = try await proxy.connect()
            #expect(try await first.get("/a").status == 200)
            var others: [RawClient] = []
            for _ in 0..<40 { others.append(try await proxy.connect()) }
            try await others[31].waitForEnd()
            #expect(try await others[39].get("/a").body == [1, 2, 3])
            try await first.waitForEnd()
        }
    }
}
