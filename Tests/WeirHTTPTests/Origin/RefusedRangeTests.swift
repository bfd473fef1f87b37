// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A host that refuses ranges")
struct RefusedRangeTests {
    /// Refuses requests with a `Range` field, and sends the whole file to other requests.
    private static func transport(
        _ status: Int,
        _ headers: [(String, String)] = [],
        of file: ScriptedFile = ScriptedFile(length: 5_000)
    ) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            request.headers.contains("Range")
                ? .answer(status, headers, Array("No ranges.".utf8)) : file.reply(to: request)
        }
    }

    private static let refusals: [(Int, [(String, String)])] = [
        (400, []), (406, []), (416, []), (416, [("Content-Range", "bytes */5000")]), (501, []),
    ]

    @Test(
        "gets one more request without a range, for any first read, and never one with a range again",
        arguments: [
            .span(0..<2), .span(0..<1), .from(0), .from(3_000), .span(100..<200), .suffix(500),
        ] as [RequestedRange]
    )
    func asksWithout(_ range: RequestedRange) async throws {
        for (status, headers) in Self.refusals {
            let transport = Self.transport(status, headers)
            let origin = try makeOrigin(transport: transport)
            let bounds = try #require(range.resolved(inLength: 5_000))
            let reading = try await origin.read(range)
            #expect(reading.range == bounds && reading.resource.acceptsRanges == false)
            #expect(try await reading.collect() == PatternBytes.bytes(in: bounds))
            #expect(transport.ranges == [range.field, nil])
            let other = try await origin.read(.span(4_000..<4_100)).collect()
            #expect(other == PatternBytes.bytes(in: 4_000..<4_100))
            #expect(try await origin.describe().length == 5_000)
            #expect(transport.ranges == [range.field, nil, nil, nil])
        }
    }

    @Test("gets requests without a range after the probe of a description, and at the end")
    func probes() async throws {
        for (status, headers) in Self.refusals {
            let transport = Self.transport(status, headers)
            let origin = try makeOrigin(transport: transport)
            let version = try await origin.describe().version
            let reading = try await origin.read(ReadDemand(.suffix(10), version: version))
            #expect(try await reading.collect() == PatternBytes.bytes(in: 4_990..<5_000))
            let end = try await origin.read(ReadDemand(.from(5_000), version: version))
            #expect(try await end.collect().isEmpty)
            #expect(transport.ranges == ["bytes=0-511", nil, nil, nil])
        }
    }

    @Test("with 403 gets a request without a range only if it has sent the whole before")
    func forbidden() async throws {
        let file = ScriptedFile(length: 5_000)
        let transport = ScriptedTransport { request, index in
            // The server ignores the range of the first request.
            index > 0 && request.headers.contains("Range")
                ? .answer(403)
                : .answer(
                    200,
                    file.headers + [("Content-Length", "5000")],
                    file.steps(0..<5_000),
                    isEndProven: true
                )
        }
        let origin = try makeOrigin(transport: transport)
        #expect(try await origin.describe().length == 5_000)
        let bytes = try await origin.read(.span(3_000..<3_100)).collect()
        #expect(bytes == PatternBytes.bytes(in: 3_000..<3_100))
        _ = try await origin.read(.from(4_000)).collect()
        #expect(transport.ranges == ["bytes=0-511", "bytes=3000-3099", nil, nil])

        let strict = Self.transport(403)
        let error = await sourceError {
            _ = try await makeOrigin(transport: strict).read(.from(3_000))
        }
        #expect(error?.code == .forbidden && strict.requests.count == 1)
    }

    @Test("that refuses the whole, too, is reported with its response, and is not remembered")
    func refusesAll() async throws {
        for (status, code) in [
            (400, .forbidden), (406, .forbidden), (501, .originFailed), (416, .rangeNotSatisfiable),
        ] as [(Int, SourceError.Code)] {
            let transport = ScriptedTransport(.answer(status))
            let origin = try makeOrigin(transport: transport)
            for count in 1...2 {
                let error = await sourceError { _ = try await origin.read(.from(100)) }
                #expect(error?.code == code && error?.status == status)
                #expect(transport.requests.count == 2 * count)
            }
        }
    }

    @Test("is remembered by its name: another host of the same chain gets the range")
    func remembersHost() async throws {
        let file = ScriptedFile(length: 5_000)
        let transport = ScriptedTransport { request, index in
            if request.url.host == "media.test" {
                let host = index < 4 ? "old.test" : "new.test"
                return .answer(302, [("Location", "https://\(host)/x")])
            }
            return request.url.host == "old.test" && request.headers.contains("Range")
                ? .answer(400) : file.reply(to: request)
        }
        let origin = try makeOrigin(transport: transport)
        for _ in 0..<3 {
            let bytes = try await origin.read(.span(3_000..<3_100)).collect()
            #expect(bytes == PatternBytes.bytes(in: 3_000..<3_100))
        }
        let asked = transport.requests.map { "\($0.url.host) \($0.headers["Range"] ?? "whole")" }
        let range = "bytes=3000-3099"
        #expect(
            asked == [
                "media.test \(range)", "old.test \(range)", "old.test whole", "media.test \(range)",
                "old.test whole", "media.test \(range)", "new.test \(range)",
            ]
        )
    }

    @Test("of an empty resource is not remembered, since an empty resource has no ranges")
    func empty() async throws {
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: .answer(416)
            case 1: .answer(200, [("Content-Length", "0")])
            default: .answer(416, [("Content-Range", "bytes */0")])
            }
        }
        let reading = try await makeOrigin(transport: transport).read(.whole)
        #expect(try await reading.collect().isEmpty)
        #expect(reading.resource.acceptsRanges == nil)
    }
}

extension RequestedRange {
    /// The `Range` field that requests this range.
    fileprivate var field: String {
        switch self {
        case .from(let lower): "bytes=\(lower)-"
        case .span(let span): "bytes=\(span.lowerBound)-\(span.upperBound - 1)"
        case .suffix(let count): "bytes=-\(count)"
        }
    }
}
