// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Responses in progress", .timeLimit(.minutes(1)))
struct ActiveResponseTests {
    private static let length: Int64 = 300_000

    private static func resource() -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length)
        resource.generation = GenerationID(rawValue: 0xABC)
        return resource
    }

    @Test("are listed with number, source, part and sent bytes")
    func told() async throws {
        let source = ScriptedSource(Self.resource())
        let gate = source.hold(before: 150_000)
        defer { gate.open() }
        try await TestProxy.run(["/a": source]) { proxy in
            #expect(await proxy.server.activeResponses().isEmpty)
            let client = try await proxy.connect()
            #expect(try await client.get("/a", ["Range: bytes=0-9"]).status == 206)
            try await client.send(RawClient.request("/a", ["Range: bytes=100000-199999"]))
            try await gate.waitForWaiters(1)
            #expect(try await client.head().status == 206)
            #expect(try await client.bytes(50_000).count == 50_000)
            let active = await proxy.server.activeResponses()
            #expect(active.count == 1)
            let response = try #require(active.first)
            #expect(response.id.request == 2)
            #expect(response.source as? ScriptedSource === source)
            #expect(response.body == 100_000..<200_000)
            #expect(response.sentByteCount == 50_000)
            gate.open()
            #expect(try await client.bytes(50_000).count == 50_000)
            let last = try await proxy.records(2)[1]
            #expect(last.id == response.id)
            #expect(await proxy.server.activeResponses().isEmpty)
        }
    }

    @Test("have an empty part if the end of the stream is unknown")
    func stream() async throws {
        var resource = Self.resource()
        resource.isLengthKnown = false
        let source = ScriptedSource(resource)
        let gate = source.hold(before: 16_384)
        defer { gate.open() }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await gate.waitForWaiters(1)
            _ = try await client.head()
            _ = try await client.bytes(16_384)
            let response = try #require(await proxy.server.activeResponses().first)
            #expect(response.body.isEmpty)
            #expect(response.sentByteCount > 0)
            gate.open()
        }
    }

    @Test("exclude responses without a header yet, failed responses, and responses of pages")
    func others() async throws {
        let source = ScriptedSource(Self.resource())
        let answers = source.holdAnswers()
        defer { answers.open() }
        let page = Gate()
        defer { page.open() }
        let pages = ScriptedPages { _ in
            try await page.wait()
            return ScriptedPages.text("page\n")
        }
        try await TestProxy.run(["/a": source], pages: pages) { proxy in
            let player = try await proxy.connect()
            try await player.send(RawClient.request("/a"))
            try await source.waitForReads(1)
            let reader = try await proxy.connect()
            try await reader.send(RawClient.request("/page/"))
            try await page.waitForWaiters(1)
            #expect(await proxy.server.activeResponses().isEmpty)
            answers.open()
            page.open()
            _ = try await reader.response()
            _ = try await player.response()
        }
    }

    @Test("are all listed for many connections over several loops")
    func many() async throws {
        let source = ScriptedSource(Self.resource())
        let gate = source.hold(before: 16_384)
        defer { gate.open() }
        var configuration = ProxyConfiguration(secret: nil)
        configuration.eventLoopCount = 3
        try await TestProxy.run(["/a": source], configuration) { proxy in
            var clients: [RawClient] = []
            for _ in 0..<8 {
                let client = try await proxy.connect()
                try await client.send(RawClient.request("/a"))
                _ = try await client.head()
                clients.append(client)
            }
            let active = await proxy.server.activeResponses()
            #expect(Set(active.map(\.id)).count == 8)
            #expect(active.allSatisfy { $0.body == 0..<Self.length })
            gate.open()
            for client in clients { await client.close() }
        }
    }
}
