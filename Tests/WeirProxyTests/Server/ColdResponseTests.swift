// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Responses from a source that makes the proxy wait", .timeLimit(.minutes(1)))
struct ColdResponseTests {
    private static let length: Int64 = 300_000
    private static let content = PatternBytes.bytes(in: 0..<Self.length)

    private static func resource() -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length)
        resource.generation = GenerationID(rawValue: 0xABC)
        return resource
    }

    private static func endless() -> ScriptedSource {
        var resource = ScriptedResource(length: Self.length)
        resource.isLengthKnown = false
        return ScriptedSource(resource)
    }

    @Test("ranges are the source's bytes", arguments: [1, 1000, 65_536, 1 << 20])
    func randomRanges(chunkSize: Int) async throws {
        var random = SeededGenerator(seed: 11)
        let source = MemorySource(bytes: Self.content, chunkSize: max(chunkSize, 7))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<40 {
                let lower = Int64.random(in: 0..<Self.length, using: &random)
                let most = chunkSize == 1 ? 3000 : Self.length
                let count = Int64.random(in: 1...most, using: &random)
                let upper = min(Self.length, lower + count)
                let response = try await client.get("/a", ["Range: bytes=\(lower)-\(upper - 1)"])
                #expect(response.status == 206)
                #expect(response["Content-Range"] == "bytes \(lower)-\(upper - 1)/\(Self.length)")
                #expect(
                    response.body.elementsEqual(Self.content[Int(lower)..<Int(upper)]),
                    "\(lower)..<\(upper), seed \(random.seed)"
                )
            }
        }
    }

    @Test("each request asks the source once, for the requested range")
    func demands() async throws {
        let source = ScriptedSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for range in ["bytes=100-", "bytes=5-9", "bytes=-7", "nonsense"] {
                _ = try await client.get("/a", ["Range: \(range)"])
            }
            _ = try await client.get("/a")
        }
        #expect(
            source.log.demands
                == [.from(100), .span(5..<10), .suffix(7), .whole, .whole].map { ReadDemand($0) }
        )
        #expect(source.log.descriptionCount == 0)
    }

    @Test("HEAD describes and reads nothing")
    func head() async throws {
        let source = ScriptedSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            let response = try await client.get("/a", method: "HEAD", ["Range: bytes=5-9"])
            #expect(response.status == 200)
            #expect(response["Content-Length"] == "300000")
            #expect(response["ETag"] == #""pattern-1-300000""#)
            #expect(try await client.get("/a", ["Range: bytes=0-0"]).body == [Self.content[0]])
        }
        #expect(source.log.demands.count == 1)
    }

    @Test(
        "the answer to a range past the end gives the end",
        arguments: ["300000-", "300001-", "400000-400001", "-0"]
    )
    func pastTheEnd(range: String) async throws {
        try await TestProxy.run(["/a": ScriptedSource(Self.resource())]) { proxy in
            let client = try await proxy.connect()
            let response = try await client.get("/a", ["Range: bytes=\(range)"])
            #expect(response.status == 416)
            #expect(response["Content-Range"] == "bytes */300000")
            #expect(response.body.isEmpty)
            #expect(try await client.get("/a", ["Range: bytes=0-0"]).status == 206)
        }
    }

    @Test("conditions come before the range, or make it irrelevant")
    func conditions() async throws {
        try await TestProxy.run(["/a": ScriptedSource(Self.resource())]) { proxy in
            let client = try await proxy.connect()
            for range in ["bytes=10-19", "bytes=400000-", "bytes=-0"] {
                let range = "Range: \(range)"
                #expect(try await client.get("/a", [range, "If-Match: \"old\""]).status == 412)
                #expect(try await client.get("/a", [range, "If-None-Match: *"]).status == 304)
                let whole = try await client.get("/a", [range, "If-Range: \"old\""])
                #expect(whole.status == 200)
                #expect(whole.body == Self.content)
            }
            let tag = #""pattern-1-300000""#
            let part = try await client.get(
                "/a",
                ["Range: bytes=10-19", "If-Range: \(tag)", "If-Match: \(tag)"]
            )
            #expect(part.status == 206)
            #expect(part.body.elementsEqual(Self.content[10..<20]))
        }
    }

    @Test(
        "a resource of unknown length is sent whole and in chunks",
        arguments: [nil, "bytes=0-", "bytes=0-9", "bytes=100-", "bytes=-5", "bytes=-0"]
    )
    func unknownLength(range: String?) async throws {
        try await TestProxy.run(["/a": Self.endless()]) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<2 {
                let response = try await client.get("/a", range.map { ["Range: \($0)"] } ?? [])
                #expect(response.status == 200)
                #expect(response["Transfer-Encoding"] == "chunked")
                #expect(response["Content-Length"] == nil)
                #expect(response["Accept-Ranges"] == nil)
                #expect(response.body == Self.content)
            }
        }
    }

    @Test("to HTTP/1.0 a resource of unknown length ends with the connection")
    func unknownLengthInOldVersion() async throws {
        try await TestProxy.run(["/a": Self.endless()]) { proxy in
            let client = try await proxy.connect()
            try await client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let response = try await client.response()
            #expect(response["Connection"] == "close")
            #expect(response.body == Self.content)
            #expect(try await client.waitForEnd().wasReset == false)
        }
    }

    @Test("pipelined requests get answers in order")
    func pipelined() async throws {
        let source = ScriptedSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            let ranges = (0..<40).map { $0 * 1000 }
            let requests = ranges.map { RawClient.request("/a", ["Range: bytes=\($0)-\($0 + 99)"]) }
            try await client.send(requests.joined())
            for lower in ranges {
                let response = try await client.response()
                #expect(response.body.elementsEqual(Self.content[lower..<(lower + 100)]))
            }
        }
        #expect(source.log.mostRunningReadings <= 1)
    }

    @Test("a failure before the header is a status with a message, and the connection stays open")
    func failures() async throws {
        let source = ScriptedSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            source.refuse(with: SourceError(.notFound, "There is no such file; look again."))
            let missing = try await client.get("/a")
            #expect(missing.status == 404)
            #expect(missing["Content-Type"] == "text/plain; charset=utf-8")
            #expect(missing.text == "There is no such file; look again.\n")
            source.refuse(with: SourceError(.throttled, "Not so fast; wait."))
            let throttled = try await client.get("/a", method: "HEAD")
            #expect(throttled.status == 503)
            #expect(throttled["Retry-After"] == "10")
            source.refuse(with: SourceError(.unreachable, "Nobody answers; check the address."))
            #expect(try await client.get("/a", ["Range: bytes=5-"]).status == 502)
            #expect(try await client.get("/a", ["Range: bytes=5-9"]).status == 206)
            let records = try await proxy.records(4)
            #expect(records.map(\.status) == [404, 503, 502, 206])
            #expect(records.allSatisfy { !$0.isAborted })
        }
    }

    @Test("a failure after the header ends the connection short")
    func failureAfterHead() async throws {
        let source = ScriptedSource(Self.resource())
        source.fail(at: 50_000, with: SourceError(.truncated, "It ended."))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            #expect(try await client.head().contentLength == 300_000)
            let rest = try await client.waitForEnd()
            #expect(rest.bytes.count <= 50_000)
            #expect(rest.bytes.elementsEqual(Self.content.prefix(rest.bytes.count)))
            let record = try await proxy.records(1)[0]
            #expect(record.isAborted)
            #expect(record.status == 200)
        }
    }

    @Test("after a failure among chunks the last chunk is missing")
    func failureAmongChunks() async throws {
        let source = Self.endless()
        source.fail(at: 50_000, with: SourceError(.truncated, "It ended."))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            _ = try await client.head()
            let rest = try await client.waitForEnd()
            #expect(!rest.bytes.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8))
        }
    }

    @Test("where the end of the connection ends the body, a failure resets the connection")
    func failureUntilClose() async throws {
        let source = Self.endless()
        source.fail(at: 50_000, with: SourceError(.truncated, "It ended."))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send("GET /a HTTP/1.0\r\n\r\n")
            #expect(try await client.waitForEnd().wasReset)
        }
    }

    @Test("bytes of another offset are never sent")
    func wrongBytes() async throws {
        let wrong = MemorySource(bytes: Array(Self.content[1...]))
        let resident = ResidentSource(Self.resource(), held: RangeSet())
        let source = SplitSource(resident: resident, residentEnd: 0) { demand in
            let reading = try await wrong.read(.from(10))
            return ByteReading(
                resource: try await resident.describe(),
                lowerBound: 0,
                upperBound: 300_000,
                producer: Shifted(reading)
            )
        }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            _ = try await client.head()
            #expect(try await client.waitForEnd().bytes.isEmpty)
        }
    }

    @Test("a reading that stops before its end ends the connection short")
    func shortReading() async throws {
        let short = MemorySource(bytes: Array(Self.content[..<1000]))
        let resident = ResidentSource(Self.resource(), held: RangeSet())
        let source = SplitSource(resident: resident, residentEnd: 0) { demand in
            ByteReading(
                resource: try await resident.describe(),
                lowerBound: 0,
                upperBound: 300_000,
                producer: Shifted(try await short.read(.whole))
            )
        }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            _ = try await client.head()
            #expect(try await client.waitForEnd().bytes.count <= 1000)
            #expect(try await proxy.records(1)[0].isAborted)
        }
    }

    @Test("a description that never agrees with its readings is an error, not a loop")
    func disagreement() async throws {
        let resident = ResidentSource(Self.resource(), held: RangeSet())
        let source = SplitSource(resident: resident, residentEnd: 0) { _ in
            .empty(try await resident.describe(), at: 17)
        }
        try await TestProxy.run(["/a": source]) { proxy in
            let response = try await proxy.get("/a")
            #expect(response.status == 502)
        }
    }

    /// Returns the chunks of another reading.
    private final class Shifted: ChunkProducer {
        private let reading: ByteReading

        init(_ reading: ByteReading) {
            self.reading = reading
        }

        func next() async throws -> ByteChunk? {
            try await self.reading.makeAsyncIterator().next()
        }

        func cancel() {}
    }
}
