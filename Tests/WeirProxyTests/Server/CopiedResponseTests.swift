// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Responses from files without a descriptor", .timeLimit(.minutes(1)))
struct CopiedResponseTests {
    @Test("ranges of any size, and the whole, equal the bytes of the file")
    func ranges() async throws {
        let length: Int64 = 600_000
        let content = PatternBytes.bytes(in: 0..<length)
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        for piece in [7_001, 65_536, 1 << 20] {
            try await TestProxy.run(["/a": CopiedSource(length: length, piece: piece)]) { proxy in
                let client = try await proxy.connect()
                for _ in 0..<40 {
                    let lower = Int64.random(in: 0..<length, using: &random)
                    let most: Int64 =
                        [1, 100, 65_536, 65_537, 300_000].randomElement(using: &random) ?? 1
                    let upper = min(length, lower + Int64.random(in: 1...most, using: &random))
                    let response = try await client.get(
                        "/a",
                        ["Range: bytes=\(lower)-\(upper - 1)"]
                    )
                    #expect(response.status == 206)
                    let isSame = response.body.elementsEqual(content[Int(lower)..<Int(upper)])
                    #expect(isSame, "\(lower)..<\(upper), seed \(random.seed)")
                }
                let whole = try await client.get("/a")
                let isSame = whole.body.elementsEqual(content)
                #expect(isSame)
                #expect(try await client.get("/a", method: "HEAD")["Content-Length"] == "\(length)")
            }
        }
    }

    @Test("a client that reads late gets everything")
    func slowClient() async throws {
        let length: Int64 = 3_000_000
        try await TestProxy.run(["/a": CopiedSource(length: length)]) { proxy in
            let client = try await proxy.connect(isReading: false, receiveBuffer: 8_192)
            try await client.send(RawClient.request("/a"))
            try await client.startReading()
            let response = try await client.response()
            #expect(PatternBytes.firstDifference(in: response.body, at: 0) == nil)
            #expect(response.body.count == Int(length))
            let record = try await proxy.records(1)[0]
            #expect(record.sentByteCount == length)
            #expect(!record.isAborted)
        }
    }

    @Test("unavailable bytes are an error at the start, and later an early end")
    func failure() async throws {
        let sources = [
            "/first": CopiedSource(length: 600_000, end: 0),
            "/later": CopiedSource(length: 600_000, end: 300_000),
        ]
        try await TestProxy.run(sources) { proxy in
            #expect(try await proxy.get("/first").status == 502)
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/later"))
            let state = try await client.waitForEnd()
            #expect(state.bytes.count < 600_000)
            let record = try await proxy.records(2)[1]
            #expect(record.isAborted)
            #expect(record.sentByteCount == 300_000)
        }
    }

    @Test("while one client is sent much, others get answers")
    func turns() async throws {
        try await TestProxy.run(["/a": CopiedSource(length: 1 << 40, piece: 65_536)]) { proxy in
            let client = try await proxy.connect()
            let other = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            #expect(try await client.head().contentLength == 1 << 40)
            client.discardBytes()
            #expect(try await other.get("/healthz").status == 200)
            #expect(!client.isClosed)
            await client.close()
        }
    }
}
