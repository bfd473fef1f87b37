// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A response that covers more than the request")
struct WiderAnswerTests {
    private static let file = ScriptedFile(length: 10_000_000, piece: 65_536)

    /// A part whose head names its position.
    private static func part(
        _ range: Range<Int64>,
        named field: String? = nil,
        status: Int = 206,
        of file: ScriptedFile = file
    ) -> ScriptedTransport.Reply {
        let field = field ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)"
        return .answer(
            status,
            file.headers + [("Content-Range", field), ("Content-Length", "\(range.count)")],
            file.steps(range),
            isEndProven: true
        )
    }

    @Test("a 206 that begins at its own block gives the requested bytes at their offset")
    func blocks() async throws {
        let transport = ScriptedTransport(Self.part(3_080_192..<3_407_872))
        for range in [3_144_728..<3_200_000, 3_080_192..<3_080_193, 3_407_871..<3_407_872] {
            let bounds = Int64(range.lowerBound)..<Int64(range.upperBound)
            let reading = try await makeOrigin(transport: transport).read(.span(bounds))
            #expect(reading.range == bounds && reading.resource.length == 10_000_000)
            #expect(try await reading.collect() == PatternBytes.bytes(in: bounds))
        }
    }

    @Test("a 206 of the whole for a part is the whole, also if its last byte is counted from one")
    func whole() async throws {
        let file = ScriptedFile(length: 5_000)
        for field in ["bytes 0-4999/5000", "bytes 0-5000/5000"] {
            let transport = ScriptedTransport(Self.part(0..<5_000, named: field, of: file))
            let origin = try makeOrigin(transport: transport)
            #expect(try await origin.describe().length == 5_000)
            for range in [RequestedRange.span(100..<200), .suffix(4_900), .from(100)] {
                let bytes = try await origin.read(range).collect()
                #expect(bytes == PatternBytes.bytes(in: 100..<(bytes.count == 100 ? 200 : 5_000)))
            }
        }
    }

    @Test("a continuation that begins before the held bytes gives no byte twice")
    func continues() async throws {
        for tag in [[("ETag", "\"v1\"")], []] {
            var file = ScriptedFile(length: 300_000, headers: tag)
            file.piece = 10_000
            // Each response starts at a block of 65,536 bytes, and has at most two blocks.
            let transport = ScriptedTransport { [file] request, _ in
                let field = request.headers["Range"] ?? ""
                let asked = Int64(field.dropFirst(6).prefix { $0 != "-" }) ?? 0
                let start = asked / 65_536 * 65_536
                return Self.part(start..<min(start + 131_072, 300_000), of: file)
            }
            let reading = try await makeOrigin(transport: transport).read(.from(70_000))
            #expect(try await reading.collect() == PatternBytes.bytes(in: 70_000..<300_000))
            #expect(transport.requests.count >= 2)
        }
    }

    @Test("a 206 that begins behind the requested byte is refused, and the field is named")
    func later() async throws {
        for (range, field) in [
            (3_100_000..<3_200_000, "bytes 3100000-3199999/10000000"),
            (0..<500, "bytes 0-499/10000000"),
        ] as [(Range<Int64>, String)] {
            let transport = ScriptedTransport(Self.part(range))
            let error = await sourceError {
                _ = try await makeOrigin(transport: transport).read(.from(3_000_000))
            }
            #expect(error?.code == .badAnswer)
            #expect(
                error?.message.contains(
                    "Content-Range: \(field) although bytes from 3000000 were requested"
                ) == true
            )
            #expect(transport.requests.count == 1)
        }
    }

    @Test("a block that begins too far before the requested byte is refused")
    func tooFar() async throws {
        let transport = ScriptedTransport(Self.part(0..<5_000_000))
        var options = plainOptions
        options.maximumDiscard = 1_000_000
        let origin = try makeOrigin(transport: transport, options: options)
        let error = await sourceError { _ = try await origin.read(.from(4_000_000)) }
        #expect(error?.code == .badAnswer)
    }

    @Test("a 200 with the Content-Range of a part is never taken as the whole")
    func namedPart() async throws {
        let file = ScriptedFile(length: 10_000)
        let transport = ScriptedTransport { [file] request, index in
            let start = Int64(index) * 4_000
            return Self.part(start..<min(start + 4_000, 10_000), status: 200, of: file)
        }
        let reading = try await makeOrigin(transport: transport).read(.whole)
        #expect(reading.resource.length == 10_000)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.ranges == ["bytes=0-", "bytes=4000-9999", "bytes=8000-9999"])
    }

    @Test(
        "a coding without an effect is ignored",
        arguments: ["aws-chunked", "identity", "none", "binary", "UTF-8", "identity, aws-chunked"]
    )
    func emptyCodings(_ coding: String) async throws {
        let file = ScriptedFile(length: 100, headers: [("Content-Encoding", coding)])
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let bytes = try await makeOrigin(transport: transport).read(.whole).collect()
        #expect(bytes == PatternBytes.bytes(in: 0..<100))
    }

    @Test(
        "an unsupported coding is refused with the field's name and value",
        arguments: [
            ("Content-Encoding", "gzip, gzip"), ("Content-Encoding", "br"),
            ("Content-Encoding", "br, gzip"), ("Content-Encoding", "x-own"),
            ("Transfer-Encoding", "gzip, chunked"),
        ]
    )
    func codings(_ name: String, _ value: String) async throws {
        let transport = ScriptedTransport(.answer(200, [(name, value)], [1, 2, 3]))
        let error = await sourceError {
            _ = try await makeOrigin(transport: transport).read(.whole)
        }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("\(name): \(value), which Weir did not request") == true)
    }

    @Test("a total that changes within one version is a change, and no byte after it is handed on")
    func changingTotal() async throws {
        let file = ScriptedFile(length: 10_000)
        let transport = ScriptedTransport { [file] _, index in
            index == 0
                ? Self.part(0..<4_000, of: file)
                : Self.part(4_000..<8_000, named: "bytes 4000-7999/8000", of: file)
        }
        let reading = try await makeOrigin(transport: transport).read(.whole)
        var count = 0
        let error = await sourceError { for try await chunk in reading { count += chunk.count } }
        #expect(error?.code == .changed && count == 4_000)
        #expect(error?.message.contains("8000 bytes instead of 10000") == true)
    }
}
