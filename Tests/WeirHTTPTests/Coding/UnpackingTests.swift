// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A compressed body")
struct UnpackingTests {
    private static let forms: [(ContentCoding, [UInt8])] = [
        (.gzip, Packed.gzip), (.gzip, Packed.members), (.gzip, Packed.gzip + [0, 0, 0]),
        (.deflate, Packed.zlib), (.deflate, Packed.raw),
    ]

    @Test("is unpacked the same for pieces of any size", arguments: 0..<5)
    func splits(_ form: Int) async throws {
        let (coding, packed) = Self.forms[form]
        for split in 0...packed.count {
            let pieces = [Array(packed[..<split]), Array(packed[split...])]
            #expect(try await Packed.unpacked(pieces, coding) == Packed.content, "at \(split)")
        }
        #expect(try await Packed.unpacked(packed.map { [$0] }, coding) == Packed.content)
    }

    @Test("is an error where it is cut, at every byte", arguments: 0..<5)
    func cuts(_ form: Int) async throws {
        let (coding, packed) = Self.forms[form]
        for count in 0..<packed.count {
            // A body may end after a whole member, or before the zeros behind the member.
            let rest = packed[count...]
            if rest.starts(with: [0x1F, 0x8B, 8]), count > 0 { continue }
            if form == 2, count >= Packed.gzip.count { continue }
            await #expect(throws: HTTPTransportError.self, "\(count) bytes") {
                try await Packed.unpacked([Array(packed[..<count])], coding)
            }
        }
    }

    @Test("with a flipped bit is unpacked right or is an error", arguments: [0, 3])
    func flips(_ form: Int) async throws {
        let (coding, packed) = Self.forms[form]
        for bit in 0..<packed.count * 8 {
            var spoilt = packed
            spoilt[bit / 8] ^= 1 << UInt8(bit % 8)
            // A changed bit in the header's time or system field does not change the content.
            if let bytes = try? await Packed.unpacked([spoilt], coding) {
                #expect(bytes == Packed.content, "bit \(bit)")
            }
        }
    }

    @Test("is an error with other bytes behind its end")
    func tails() async throws {
        for (coding, packed) in Self.forms {
            await #expect(throws: HTTPTransportError.self) {
                try await Packed.unpacked([packed, [1, 2, 3]], coding)
            }
        }
    }

    @Test("names its fault in a phrase")
    func phrases() async {
        let cases: [([UInt8], String)] = [
            (Array("ID3 no gzip".utf8), "gzip that is damaged or is not gzip"),
            (Array(Packed.gzip.dropLast()), "gzip that ends too early"),
            ([], "no byte of gzip"),
        ]
        for (packed, phrase) in cases {
            let error = await #expect(throws: HTTPTransportError.self) {
                try await Packed.unpacked([packed])
            }
            #expect(error?.code == .malformed && error?.reason == phrase)
        }
    }

    @Test("may grow a hundredfold and by sixteen MiB more, and no further")
    func bound() {
        for excess in [0, 1] {
            var machine = UnpackingMachine(.gzip)
            machine.received(ByteMemory([UInt8](repeating: 1, count: 1_000)))
            guard case .begin(.gzip) = machine.next(), case .unpack = machine.next() else {
                Issue.record("nothing is unpacked")
                return
            }
            let most = 500 * Int(UnpackingMachine.maximumRatio) + Int(UnpackingMachine.allowance)
            machine.unpacked(
                consumed: 500,
                produced: most + excess,
                hasEnded: false,
                isRoomUsed: true
            )
            switch machine.next() {
            case .unpack: #expect(excess == 0)
            case .refuse(let what):
                #expect(excess == 1 && what.contains("more than 100 times its size"))
            default: Issue.record("neither")
            }
        }
    }

    @Test("is unpacked into new room before more bytes are pulled, and ends with the body")
    func order() {
        var machine = UnpackingMachine(.gzip)
        #expect(Self.told(machine.next()) == "pull")
        machine.received(ByteMemory([1, 2]))
        #expect(Self.told(machine.next()) == "begin gzip")
        #expect(Self.told(machine.next()) == "unpack 2")
        machine.unpacked(consumed: 2, produced: 10, hasEnded: false, isRoomUsed: true)
        #expect(Self.told(machine.next()) == "unpack 0")
        machine.unpacked(consumed: 0, produced: 3, hasEnded: true, isRoomUsed: false)
        #expect(Self.told(machine.next()) == "pull")
        machine.ended()
        #expect(Self.told(machine.next()) == "finish")
    }

    private static func told(_ step: UnpackingMachine.Step) -> String {
        switch step {
        case .begin(let format): "begin \(format)"
        case .unpack(let memory): "unpack \(memory.count)"
        case .pull: "pull"
        case .finish: "finish"
        case .refuse(let what): what
        }
    }
}

@Suite("Media with a compressed body")
struct PackedMediaTests {
    private static let tag = ("ETag", "\"v1\"")

    private static func packed(
        _ status: Int = 200,
        _ coding: String = "gzip",
        _ body: [UInt8] = Packed.gzip,
        _ more: [(String, String)] = []
    ) -> ScriptedTransport.Reply {
        .answer(
            status,
            [("Content-Encoding", coding), ("Content-Length", "\(body.count)"), Self.tag] + more,
            body
        )
    }

    @Test(
        "are the unpacked bytes, a resource without ranges whose end is proven",
        arguments: ["gzip", "x-gzip", "GZIP", "aws-chunked, gzip"]
    )
    func whole(_ coding: String) async throws {
        let transport = ScriptedTransport(Self.packed(200, coding))
        let origin = try makeOrigin(transport: transport)
        let reading = try await origin.read(.whole)
        #expect(reading.resource.length == nil && reading.resource.acceptsRanges == false)
        #expect(reading.resource.validator == .entityTag("\"v1\""))
        #expect(reading.provesEnd)
        #expect(try await reading.collect() == Packed.content)
        #expect(origin.availability.length == Int64(Packed.content.count))
        #expect(transport.ranges == ["bytes=0-"])
    }

    @Test("are read up to the wanted byte")
    func later() async throws {
        let transport = ScriptedTransport(Self.packed(200, "deflate", Packed.zlib))
        let bytes = try await makeOrigin(transport: transport).read(.span(1_000..<2_000)).collect()
        #expect(bytes == Array(Packed.content[1_000..<2_000]))
    }

    @Test("are requested whole after a part of the packed bytes, and never by a range again")
    func part() async throws {
        let part = Self.packed(206, "gzip", [1, 2], [("Content-Range", "bytes 100-101/900")])
        let transport = ScriptedTransport(part, Self.packed(), Self.packed())
        let origin = try makeOrigin(transport: transport)
        #expect(
            try await origin.read(.from(100)).collect() == Array(Packed.content[100...])
        )
        #expect(try await origin.read(.whole).collect() == Packed.content)
        #expect(transport.ranges == ["bytes=100-", nil, nil])
    }

    @Test("continue after a lost connection in the same version")
    func resumed() async throws {
        let broken = ScriptedTransport.Reply.answer(
            200,
            [("Content-Encoding", "gzip"), Self.tag],
            [
                .bytes(Array(Packed.gzip[..<60])),
                .fail(HTTPTransportError(.connectionLost, "reset")),
            ],
            isEndProven: true
        )
        let transport = ScriptedTransport(broken, Self.packed())
        var options = plainOptions
        options.retry.firstDelay = .zero
        let reading = try await makeOrigin(transport: transport, options: options).read(.whole)
        #expect(try await reading.collect() == Packed.content)
    }

    @Test(
        "stay packed if the file's name or type says so",
        arguments: [
            ("https://media.test/a.tar.gz", []), ("https://media.test/a.TGZ", []),
            ("https://media.test/a", [("Content-Type", "application/x-gzip")]),
            ("https://media.test/a", [("Content-Disposition", "attachment; filename=b.gz")]),
        ] as [(String, [(String, String)])]
    )
    func files(_ url: String, _ fields: [(String, String)]) async throws {
        let transport = ScriptedTransport(Self.packed(200, "gzip", Packed.gzip, fields))
        let reading = try await makeOrigin(url, transport: transport).read(.whole)
        #expect(reading.resource.length == Int64(Packed.gzip.count))
        #expect(try await reading.collect() == Packed.gzip)
    }

    @Test("are an error in one sentence if they cannot be unpacked")
    func damaged() async throws {
        let transport = ScriptedTransport(Self.packed(200, "gzip", Array("ID3 no gzip".utf8)))
        let error = await sourceError {
            _ = try await makeOrigin(transport: transport).read(.whole).collect()
        }
        #expect(error?.code == .badAnswer)
        #expect(
            error?.message.contains("it sent gzip that is damaged or is not gzip") == true
        )
    }

    @Test("are empty if they have no bytes")
    func empty() async throws {
        let transport = ScriptedTransport(Self.packed(200, "gzip", []))
        let reading = try await makeOrigin(transport: transport).read(.whole)
        #expect(reading.resource.length == 0)
        #expect(try await reading.collect() == [])
    }
}

@Suite("A compressed response of a service")
struct PackedAnswerTests {
    private func answer(_ status: Int, _ coding: String) async throws -> ServiceAnswer {
        let transport = ScriptedTransport(
            .answer(status, [("Content-Encoding", coding)], Packed.gzip)
        )
        let request = ServiceRequest(url: try OriginURL("https://api.test/v1"), subject: "cloud:/")
        return try await ServiceClient(transport: transport).send(request)
    }

    @Test("is unpacked, or refused with the field's name and value if its bytes are needed")
    func answers() async throws {
        #expect(try await self.answer(207, "gzip").body == Packed.content)
        #expect(try await self.answer(404, "br").body == [])
        let error = await sourceError { _ = try await self.answer(207, "br, gzip") }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("Content-Encoding: br, gzip") == true)
    }
}
