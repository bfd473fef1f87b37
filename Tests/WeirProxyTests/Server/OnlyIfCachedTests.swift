// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Requests with only-if-cached", .timeLimit(.minutes(1)))
struct OnlyIfCachedTests {
    private static let field = "Cache-Control: max-stale, Only-If-Cached"

    @Test("get the held bytes, and 504 for others, without a reading")
    func held() async throws {
        let resource = ScriptedResource(length: 1000)
        let source = ResidentSource(resource, held: RangeSet(0..<500))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            let part = try await client.get("/a", ["Range: bytes=100-499", Self.field])
            #expect(part.status == 206)
            #expect(part.body == resource.bytes(in: 100..<500))
            for range in ["bytes=100-500", "bytes=0-", "bytes=500-", "bytes=-1"] {
                let response = try await client.get("/a", ["Range: \(range)", Self.field])
                #expect(response.status == 504, "\(range)")
                #expect(response.text.contains("only-if-cached"))
            }
            #expect(try await client.get("/a", [Self.field]).status == 504)
            #expect(try await client.get("/a", method: "HEAD", [Self.field]).status == 200)
            #expect(try await client.get("/a", ["Range: bytes=2000-", Self.field]).status == 416)
            #expect(try await client.get("/a", ["If-None-Match: *", Self.field]).status == 304)
            #expect(source.demands.isEmpty)
            #expect(try await client.get("/a", ["Cache-Control: no-cache"]).status == 200)
        }
    }

    @Test("get 504 from a source that holds no bytes, without a question to it")
    func nothingHeld() async throws {
        let source = ScriptedSource(length: 1000)
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for method in ["GET", "HEAD"] {
                let response = try await client.get("/a", method: method, [Self.field])
                #expect(response.status == 504)
            }
        }
        #expect(source.log.demands.isEmpty)
        #expect(source.log.descriptionCount == 0)
    }
}
