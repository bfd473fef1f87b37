// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Responses from the disk", .timeLimit(.minutes(1)))
struct ResidentResponseTests {
    private static let length: Int64 = 600_000
    private static let content = PatternBytes.bytes(in: 0..<Self.length)

    private static func resource() -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length)
        resource.mediaType = MediaType(headerValue: "audio/flac")
        resource.generation = GenerationID(rawValue: 0xABC)
        return resource
    }

    @Test("ranges of any size equal the bytes of the file")
    func randomRanges() async throws {
        var random = SeededGenerator(seed: 7)
        let source = ResidentSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<150 {
                let lower = Int64.random(in: 0..<Self.length, using: &random)
                let most: Int64 =
                    [1, 100, 65_536, 65_537, 200_000].randomElement(using: &random) ?? 1
                let upper = min(Self.length, lower + Int64.random(in: 1...most, using: &random))
                let response = try await client.get("/a", ["Range: bytes=\(lower)-\(upper - 1)"])
                #expect(response.status == 206)
                #expect(response["Content-Range"] == "bytes \(lower)-\(upper - 1)/\(Self.length)")
                #expect(
                    response.body.elementsEqual(Self.content[Int(lower)..<Int(upper)]),
                    "\(lower)..<\(upper), seed \(random.seed)"
                )
            }
        }
        #expect(source.demands.isEmpty)
    }

    @Test("a large file is sent whole, in turns")
    func largeFile() async throws {
        let length: Int64 = 11_000_003
        try await TestProxy.run(["/a": SparseSource(length: length)]) { proxy in
            let response = try await proxy.get("/a")
            #expect(response.status == 200)
            #expect(response.body.count == Int(length))
            let record = try await proxy.records(1)[0]
            #expect(record.sentByteCount == length)
            #expect(!record.isAborted)
        }
    }

    @Test("a warm request looks at the source once")
    func oneLook() async throws {
        let source = SplitSource(
            resident: ResidentSource(Self.resource()),
            residentEnd: Self.length
        ) { _ in throw SourceError(.offline, "Nothing is read.") }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for range in ["bytes=0-", "bytes=1000-66535", "bytes=-5", "bytes=599999-"] {
                #expect(try await client.get("/a", ["Range: \(range)"]).status == 206)
            }
            #expect(try await client.get("/a").status == 200)
            #expect(try await client.get("/a", method: "HEAD").status == 200)
            #expect(try await client.get("/a", ["If-None-Match: *"]).status == 304)
        }
        #expect(source.looks.value == 7)
    }

    @Test("missing bytes are read behind the held ones, from the same generation")
    func partlyHeld() async throws {
        let held = RangeSet<Int64>([0..<100_000, 300_000..<400_000])
        let source = ResidentSource(Self.resource(), held: held)
        try await TestProxy.run(["/a": source]) { proxy in
            let response = try await proxy.get("/a", ["Range: bytes=50000-"])
            #expect(response.status == 206)
            #expect(response.body.elementsEqual(Self.content[50_000...]))
        }
        #expect(
            source.demands == [
                ReadDemand(
                    .span(100_000..<Self.length),
                    version: Self.resource().resourceDescription.version
                )
            ]
        )
    }

    @Test("a status without a body needs only the first byte; past the end the source is asked")
    func bodyless() async throws {
        let source = ResidentSource(Self.resource(), held: RangeSet(0..<1))
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for range in ["bytes=600000-", "bytes=700000-800000", "bytes=-0"] {
                let response = try await client.get("/a", ["Range: \(range)"])
                #expect(response.status == 416)
                #expect(response["Content-Range"] == "bytes */600000")
                #expect(response.body.isEmpty)
            }
            let tag = #""pattern-1-600000""#
            let known = try await client.get(
                "/a",
                ["Range: bytes=500000-", "If-None-Match: \(tag)"]
            )
            #expect(known.status == 304)
            #expect(known["ETag"] == tag)
            #expect(
                try await client.get("/a", ["Range: bytes=9-", "If-Match: \"x\""]).status == 412
            )
            let head = try await client.get("/a", method: "HEAD", ["Range: bytes=500000-"])
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "600000")
            #expect(head["Content-Type"] == "audio/flac")
        }
        // The known end may be out of date.
        #expect(
            source.demands == [
                ReadDemand(.from(600_000)), ReadDemand(.span(700_000..<800_001)),
            ]
        )
    }

    @Test("a client with another generation gets the whole of this one")
    func otherGeneration() async throws {
        let source = ResidentSource(Self.resource())
        try await TestProxy.run(["/a": source]) { proxy in
            let fields = ["Range: bytes=500000-", "If-Range: \"old\""]
            let response = try await proxy.get("/a", fields)
            #expect(response.status == 200)
            #expect(response["Content-Range"] == nil)
            #expect(response.body == Self.content)
        }
        #expect(source.demands.isEmpty)
    }

    @Test("a file that has become too short ends the response short, and the proxy runs on")
    func shortFile() async throws {
        let source = SparseSource(length: 3_000_000)
        source.file.cut(to: 2_000_000)
        try await TestProxy.run(["/a": source]) { proxy in
            for range in ["bytes=0-", "bytes=1999990-2000009", "bytes=2500000-2599999"] {
                let client = try await proxy.connect()
                try await client.send(RawClient.request("/a", ["Range: \(range)"]))
                let head = try await client.head()
                #expect(head.status == 206)
                let rest = try await client.waitForEnd()
                #expect(rest.bytes.count < head.contentLength ?? 0)
            }
            #expect(source.file.doubtCount == 3, "the owner of the file is notified")
            // The proxy reads a small body before it sends the head, so that it can still ask the
            // source. It tries again when the source has opened its bytes.
            let short = try await proxy.get("/a", ["Range: bytes=2500000-2500009"])
            #expect(short.status == 504)
            #expect(source.file.doubtCount == 5)
            let whole = try await proxy.get("/a", ["Range: bytes=0-9"])
            #expect(whole.body.count == 10)
            // A client that is alone gets the head of more than 16 KiB before they are read.
            let alone = try await proxy.connect()
            #expect(try await alone.get("/a", ["Range: bytes=0-9"]).status == 206)
            try await alone.send(RawClient.request("/a", ["Range: bytes=2500000-2516384"]))
            #expect(try await alone.head().status == 206)
            #expect(try await alone.waitForEnd().bytes.isEmpty)
            #expect(source.file.doubtCount == 6)
            let aborted = try await proxy.records(7).map(\.isAborted)
            #expect(aborted == [true, true, true, false, false, false, true])
        }
    }

    @Test("a version that changed behind the resident part is never joined to it")
    func changed() async throws {
        let resident = ResidentSource(Self.resource())
        var other = Self.resource()
        other.generation = GenerationID(rawValue: 0xDEF)
        other.validator = .entityTag("\"other\"")
        let changed = ScriptedSource(other)
        let source = SplitSource(resident: resident, residentEnd: 100_000) { demand in
            // This source ignores the demand's pin.
            try await changed.read(demand.range)
        }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            #expect(try await client.head().contentLength == 600_000)
            let rest = try await client.waitForEnd()
            #expect(rest.bytes.elementsEqual(Self.content[..<100_000]))
        }
    }
}
