// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Clients that leave, wait or shut down", .timeLimit(.minutes(1)))
struct LeavingTests {
    @Test("a client that leaves in mid-body ends the reading at once")
    func leaveInBody() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let gate = source.hold(before: 100_000)
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a", ["Range: bytes=0-"]))
            _ = try await client.head()
            try await gate.waitForWaiters(1)
            await client.close()
            try await source.waitForDepartures(1)
            let record = try await proxy.records(1)[0]
            #expect(record.isAborted)
            #expect(record.status == 206)
            #expect(record.sentByteCount <= 100_000)
        }
    }

    @Test("a client that leaves before the answer ends the description")
    func leaveBeforeAnswer() async throws {
        let source = ScriptedSource(length: 1000)
        let gate = source.holdAnswers()
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await source.waitForReads(1)
            await client.close()
            let record = try await proxy.records(1)[0]
            #expect(record.isAborted)
            #expect(record.status == nil)
        }
        #expect(gate.waiterCount == 0)
        #expect(source.log.readings.isEmpty)
    }

    @Test("a client that does not read stops its source, and no other client")
    func slowReader() async throws {
        let source = ZeroSource(length: 256 * 1024 * 1024)
        let quick = MemorySource(bytes: [1, 2, 3])
        try await TestProxy.run(["/slow": source, "/quick": quick]) { proxy in
            let slow = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
            try await slow.send(RawClient.request("/slow"))
            try await source.pulledBytes.wait { $0 >= 512 * 1024 }
            // One event loop serves both clients, so the slow one gets many turns during these
            // responses.
            let client = try await proxy.connect()
            for _ in 0..<200 {
                #expect(try await client.get("/quick").body == [1, 2, 3])
            }
            // The system's buffers hold some mebibytes, and the proxy holds one more mebibyte.
            #expect(source.pulledBytes.value < 16 * 1024 * 1024)
            await slow.close()
            #expect(try await proxy.records(201).filter(\.isAborted).count == 1)
        }
    }

    @Test("a client that reads on after a pause gets the remaining bytes")
    func pausedReader() async throws {
        let source = ZeroSource(length: 24 * 1024 * 1024)
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
            try await client.send(RawClient.request("/a"))
            try await source.pulledBytes.wait { $0 >= 512 * 1024 }
            try await client.startReading()
            #expect(try await client.response().body.count == 24 * 1024 * 1024)
        }
    }

    @Test("a client that leaves in the middle of a file disturbs no other client")
    func leaveFile() async throws {
        let source = SparseSource(length: 64 * 1024 * 1024)
        try await TestProxy.run(["/a": source]) { proxy in
            for _ in 0..<20 {
                let client = try await proxy.connect(isReading: false, receiveBuffer: 65_536)
                try await client.send(RawClient.request("/a"))
                await client.close()
            }
            let reader = try await proxy.connect()
            #expect(try await reader.get("/a", ["Range: bytes=5-9"]).body.count == 5)
            let halfway = try await proxy.connect()
            try await halfway.send(RawClient.request("/a"))
            _ = try await halfway.head()
            _ = try await halfway.bytes(1_000_000)
            await halfway.close()
            #expect(try await reader.get("/a", ["Range: bytes=0-"]).body.count == 64 * 1024 * 1024)
        }
    }

    @Test("a shutdown ends responses in progress, and cancels their readings")
    func shutdown() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let gate = source.hold(before: 100_000)
        try await TestProxy.run(["/a": source]) { proxy in
            let idle = try await proxy.connect()
            #expect(try await idle.get("/b").status == 404)
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await gate.waitForWaiters(1)
            await proxy.server.shutdown()
            await proxy.server.shutdown()
            let rest = try await client.waitForEnd()
            #expect(rest.bytes.count < 1_000_000)
            try await idle.waitForEnd()
            #expect(source.log.readingCount(.left) == 1)
        }
    }

    @Test("a shutdown with a grace period finishes a response, and begins no other")
    func gracefulShutdown() async throws {
        let source = ScriptedSource(length: 200_000)
        let gate = source.hold(before: 100_000)
        try await TestProxy.run(["/a": source]) { proxy in
            let idle = try await proxy.connect()
            #expect(try await idle.get("/b").status == 404)
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await gate.waitForWaiters(1)
            async let end: Void = proxy.server.shutdown(gracePeriod: .seconds(50))
            try await idle.waitForEnd()
            await #expect(throws: (any Error).self) { try await proxy.connect() }
            gate.open()
            #expect(try await client.response().body.count == 200_000)
            try await client.waitForEnd()
            await end
        }
    }

    @Test("event loops of the caller keep running")
    func lentLoops() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        for _ in 0..<2 {
            let server = try await ProxyServer.start(
                ProxyConfiguration(secret: nil),
                router: TestProxy.Router(sources: ["/a": MemorySource(bytes: [1])]),
                eventLoopGroup: group
            )
            let client = try await RawClient.connect(to: server.port)
            #expect(try await client.get("/a").body == [1])
            await server.shutdown()
            try await client.waitForEnd()
        }
    }

    @Test("many readers of one source are served at once")
    func manyReaders() async throws {
        let content = PatternBytes.bytes(in: 0..<200_000)
        let source = MemorySource(bytes: content, chunkSize: 10_000)
        try await TestProxy.run(["/a": source]) { proxy in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        let lower = number * 1000
                        let body = try await proxy.get("/a", ["Range: bytes=\(lower)-"]).body
                        return body.elementsEqual(content[lower...])
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}
