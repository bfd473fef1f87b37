// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("A client that closes its sending half", .timeLimit(.minutes(1)))
struct HalfClosureTests {
    private static let length: Int64 = 300_000
    private static let content = PatternBytes.bytes(in: 0..<Self.length)

    private static func sources() -> [String: any ByteSource] {
        let resource = ScriptedResource(length: Self.length)
        return [
            "/warm": ResidentSource(resource), "/cold": ScriptedSource(resource),
            "/both": ResidentSource(resource, held: RangeSet(0..<100_000)),
        ]
    }

    @Test(
        "gets its answer, warm or cold, and the connection ends",
        arguments: ["/warm", "/cold", "/both"]
    )
    func answer(target: String) async throws {
        try await TestProxy.run(Self.sources()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request(target))
            try await client.closeSendingHalf()
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.body == Self.content)
            #expect(try await !client.waitForEnd().wasReset)
            #expect(try await proxy.records(1).map(\.isAborted) == [false])
        }
    }

    @Test("gets the answers to all its requests")
    func pipelined() async throws {
        try await TestProxy.run(Self.sources()) { proxy in
            let client = try await proxy.connect()
            let ranges = (0..<8).map { $0 * 1000 }
            let requests = ranges.map {
                RawClient.request("/cold", ["Range: bytes=\($0)-\($0 + 99)"])
            }
            try await client.send(requests.joined())
            try await client.closeSendingHalf()
            for lower in ranges {
                let response = try await client.response()
                #expect(response.body.elementsEqual(Self.content[lower..<(lower + 100)]))
            }
            try await client.waitForEnd()
        }
    }

    @Test("in mid-request gets no answer, and the connection ends")
    func middle() async throws {
        try await TestProxy.run(Self.sources()) { proxy in
            for text in ["", "GET /cold HTTP/1.1\r\nHost: 127", "GET /cold HTTP/1.1\r\n"] {
                let client = try await proxy.connect()
                if !text.isEmpty { try await client.send(text) }
                try await client.closeSendingHalf()
                #expect(try await client.waitForEnd().bytes.isEmpty)
            }
            #expect(proxy.records.value.isEmpty)
        }
    }

    @Test("gets its answer from a slow source")
    func slowSource() async throws {
        let source = ScriptedSource(length: 1000)
        let gate = source.holdAnswers()
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await source.waitForReads(1)
            try await client.closeSendingHalf()
            gate.open()
            #expect(try await client.response().body == PatternBytes.bytes(in: 0..<1000))
        }
    }

    #if os(Linux)
    @Test("and leaves later ends the reading, though nothing is sent to it")
    func leaveLater() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let gate = source.hold(before: 100_000)
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            _ = try await client.head()
            try await gate.waitForWaiters(1)
            try await client.closeSendingHalf()
            await client.close()
            try await source.waitForDepartures(1)
            #expect(try await proxy.records(1)[0].isAborted)
        }
    }
    #endif
}
