// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("The record of a request", .timeLimit(.minutes(1)))
struct RequestRecordTests {
    private typealias Content = ProxyRequestRecord.Content

    private static let length: Int64 = 300_000

    private static func resource() -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length)
        resource.generation = GenerationID(rawValue: 0xABC)
        return resource
    }

    /// The records of requests that a client sends one after the other on one connection.
    private static func records(
        _ source: any ByteSource,
        _ requests: [(method: String, fields: [String])]
    ) async throws -> [ProxyRequestRecord] {
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            for request in requests {
                _ = try await client.get("/a", method: request.method, request.fields)
            }
            return try await proxy.records(requests.count)
        }
    }

    @Test("held bytes count as held, whatever part is requested")
    func held() async throws {
        let source = ResidentSource(Self.resource())
        let records = try await Self.records(
            source,
            [[], ["Range: bytes=5-9"], ["Range: bytes=-7"], ["Cache-Control: only-if-cached"]].map {
                ("GET", $0)
            }
        )
        #expect(records.map(\.content) == Array(repeating: Content.held, count: 4))
        #expect(records.map(\.sentHeldByteCount) == records.map(\.sentByteCount))
        #expect(source.demands.isEmpty)
    }

    @Test("held bytes that are not resident count as held, too")
    func heldInMemory() async throws {
        let source = MemorySource(bytes: PatternBytes.bytes(in: 0..<1000))
        let records = try await Self.records(source, [("GET", []), ("GET", ["Range: bytes=9-"])])
        #expect(records.map(\.content) == [.held, .held])
    }

    @Test("partly held bytes count as fetched, and those before a hole as held")
    func fetched() async throws {
        let source = ResidentSource(Self.resource(), held: RangeSet(0..<100_000))
        let ranges = ["bytes=0-", "bytes=200000-", "bytes=50000-150000", "bytes=0-99999"]
        let records = try await Self.records(source, ranges.map { ("GET", ["Range: \($0)"]) })
        #expect(records.map(\.content) == [.fetched, .fetched, .fetched, .held])
        #expect(records.map(\.sentHeldByteCount) == [100_000, 0, 50_000, 100_000])
    }

    @Test(
        "of any part and any holes, the bytes held before are counted exactly",
        arguments: 0..<20
    )
    func countsHeld(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var held = RangeSet<Int64>()
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let lower = Int64.random(in: 0..<Self.length, using: &generator)
            held.insert(
                contentsOf: lower..<Int64.random(in: lower..<Self.length, using: &generator) + 1
            )
        }
        let ranges = (0..<6).map { _ in
            let lower = Int64.random(in: 0..<Self.length, using: &generator)
            return lower..<Int64.random(in: lower..<Self.length, using: &generator) + 1
        }
        for source in [
            ResidentSource(Self.resource(), held: held) as any ByteSource,
            PartlyHeldSource(ScriptedSource(Self.resource()), held, length: Self.length),
        ] {
            let records = try await Self.records(
                source,
                ranges.map {
                    ("GET", ["Range: bytes=\($0.lowerBound)-\($0.upperBound - 1)"])
                }
            )
            #expect(
                records.map(\.sentHeldByteCount)
                    == ranges.map { held.intersection(RangeSet($0)).byteCount },
                "seed \(seed)"
            )
            #expect(records.map(\.sentByteCount) == ranges.map { $0.upperBound - $0.lowerBound })
        }
    }

    /// Bytes that are not resident; after `openHeld`, the source reports some of them as held.
    private final class PartlyHeldSource: ByteSource {
        private let base: ScriptedSource
        private let told: Availability
        private let isOpened = Watched(false)

        init(_ base: ScriptedSource, _ held: RangeSet<Int64>, length: Int64) {
            self.base = base
            self.told = Availability(held: held, length: length)
        }

        func describe() async throws -> ResourceDescription { try await self.base.describe() }

        func read(_ demand: ReadDemand) async throws -> ByteReading {
            try await self.base.read(demand)
        }

        func openHeld() async { self.isOpened.update { $0 = true } }

        var availability: Availability {
            self.isOpened.value ? self.told : Availability(held: RangeSet(), length: nil)
        }
    }

    @Test("bytes of a source that holds no bytes count as fetched")
    func cold() async throws {
        let records = try await Self.records(ScriptedSource(Self.resource()), [("GET", [])])
        #expect(records.map(\.content) == [.fetched])
        #expect(records[0].sentByteCount == Self.length)
        #expect(records[0].sentHeldByteCount == 0)
    }

    @Test("a stream with an unknown end counts as a stream")
    func stream() async throws {
        let source = MemorySource(bytes: [1, 2, 3], isLengthKnown: false)
        let records = try await Self.records(source, [("GET", []), ("HEAD", [])])
        #expect(records.map(\.content) == [.stream, .none])
        #expect(records[0].sentByteCount == 3)
    }

    @Test("an answer without bytes of the resource has no content")
    func none() async throws {
        let tag = #""pattern-1-300000""#
        let requests: [(method: String, fields: [String])] = [
            ("HEAD", []), ("OPTIONS", []), ("GET", ["If-None-Match: \(tag)"]),
            ("GET", ["If-Match: \"x\""]), ("GET", ["Range: bytes=300000-"]), ("POST", []),
        ]
        for source in [ResidentSource(Self.resource()), ScriptedSource(Self.resource())]
            as [any ByteSource]
        {
            let records = try await Self.records(source, requests)
            #expect(records.map(\.status) == [200, 204, 304, 412, 416, 405])
            #expect(records.allSatisfy { $0.content == .none })
            // Some responses have an error text as their body.
            #expect(records.allSatisfy { ($0.firstByteTime == nil) == ($0.sentByteCount == 0) })
        }
    }

    @Test("an error message is not content, and the bytes sent before a failure are")
    func failures() async throws {
        let refusing = ScriptedSource(Self.resource())
        refusing.refuse(with: SourceError(.unreachable, "Nobody answers."))
        let refused = try await Self.records(refusing, [("GET", [])])
        #expect(refused.map(\.status) == [502])
        #expect(refused.map(\.content) == [.none])
        #expect(refused[0].failure == "Nobody answers.")

        let breaking = ScriptedSource(Self.resource())
        breaking.fail(at: 50_000, with: SourceError(.truncated, "It ended."))
        try await TestProxy.run(["/a": breaking]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await client.waitForEnd()
            let record = try await proxy.records(1)[0]
            #expect(record.isAborted)
            #expect(record.content == .fetched)
            #expect(record.failure == "It ended.")
        }
    }

    @Test("requests have numbers on their connection, and connections have numbers")
    func numbers() async throws {
        let source = MemorySource(bytes: [1, 2, 3])
        try await TestProxy.run(["/a": source]) { proxy in
            let first = try await proxy.connect()
            _ = try await first.get("/a")
            _ = try await first.get("/none")
            let second = try await proxy.connect()
            _ = try await second.get("/a")
            _ = try await first.get("/a", method: "HEAD")
            let ids = try await proxy.records(4).map(\.id)
            #expect(ids.map(\.request) == [1, 2, 1, 3])
            #expect(ids[0].connection == ids[1].connection)
            #expect(ids[0].connection == ids[3].connection)
            #expect(ids[2].connection > ids[0].connection)
            #expect("\(ids[3])" == "\(ids[0].connection)-3")
        }
    }

    @Test("bytes that are not a request have a number, too")
    func refused() async throws {
        try await TestProxy.run([:]) { proxy in
            let client = try await proxy.connect()
            try await client.send("nonsense\r\n\r\n")
            #expect(try await client.response().status == 400)
            let record = try await proxy.records(1)[0]
            #expect(record.id.request == 1)
            #expect(record.content == .none)
        }
    }

    @Test("the first byte comes after the request and not after the last byte")
    func firstByte() async throws {
        for source in [ResidentSource(Self.resource()), ScriptedSource(Self.resource())]
            as [any ByteSource]
        {
            let record = try await Self.records(source, [("GET", [])])[0]
            let time = try #require(record.firstByteTime)
            #expect(time >= .zero)
            #expect(time <= record.duration)
            #expect(record.duration == .nanoseconds(record.nanoseconds))
        }
    }

    @Test("the record of a player that leaves before the first byte has no time for that byte")
    func leftEarly() async throws {
        let source = ScriptedSource(Self.resource())
        let gate = source.hold(before: 0)
        defer { gate.open() }
        try await TestProxy.run(["/a": source]) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/a"))
            try await gate.waitForWaiters(1)
            await client.close()
            let record = try await proxy.records(1)[0]
            #expect(record.isAborted)
            #expect(record.sentByteCount == 0)
            #expect(record.firstByteTime == nil)
            #expect(record.content == .fetched)
        }
    }

    @Test("a record made by an application keeps its duration, whatever the duration is")
    func described() {
        for duration in [
            Duration.zero, .milliseconds(1500), .seconds(Int64.max), .seconds(-5), .nanoseconds(1),
        ] {
            let record = ProxyRequestRecord(
                method: "GET",
                target: "/",
                range: nil,
                status: 200,
                sentByteCount: 1,
                duration: duration,
                isAborted: false
            )
            let expected =
                duration == .seconds(Int64.max) ? Duration.nanoseconds(Int64.max) : duration
            #expect(record.duration == expected)
            #expect(record.content == .none)
            #expect(record.firstByteTime == nil)
        }
    }
}
