// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The parser of responses")
struct AnswerParserTests {
    /// The results of a parser for some pieces.
    struct Reading: Equatable {
        var head: AnswerHeadLines?
        var body: [UInt8] = []
        var isWhole = false
        /// The count of bytes behind the end of the response.
        var excess = 0
        var error: String?
        var code: HTTPTransportError.Code?
    }

    static func read(
        _ pieces: [[UInt8]],
        method: String = "GET",
        isStation: Bool = false,
        closes: Bool = true
    ) -> Reading {
        var reading = Reading()
        var parser = AnswerParser(AnswerParser.Request(method: method, isStation: isStation))
        do throws(HTTPTransportError) {
            for piece in pieces {
                var offset = 0
                while !reading.isWhole {
                    let step = try Self.step(&parser, piece, &offset)
                    guard step != .needsMore else { break }
                    switch step {
                    case .head(let head): reading.head = head
                    case .body(let range): reading.body += piece[range]
                    case .end: reading.isWhole = true
                    case .needsMore: break
                    }
                }
                if reading.isWhole { reading.excess += piece.count - offset }
            }
            if !reading.isWhole, closes {
                try parser.inputEnded()
                reading.isWhole = true
            }
        } catch {
            reading.error = error.reason
            reading.code = error.code
        }
        return reading
    }

    private static func step(
        _ parser: inout AnswerParser,
        _ piece: [UInt8],
        _ offset: inout Int
    ) throws(HTTPTransportError) -> AnswerParser.Step {
        try ByteMemory(piece).withUnsafeBytes { bytes throws(HTTPTransportError) in
            try parser.next(in: bytes, from: &offset)
        }
    }

    /// Reads a text cut at every two places up to 8 bytes apart, and byte by byte, and expects
    /// equal results.
    private func readings(
        _ bytes: [UInt8],
        method: String = "GET",
        isStation: Bool = false
    ) -> Reading {
        let whole = Self.read([bytes], method: method, isStation: isStation)
        for first in 0...bytes.count {
            for second in first...min(bytes.count, first + 8) {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map(
                    Array.init
                )
                let cut = Self.read(pieces, method: method, isStation: isStation)
                guard cut != whole else { continue }
                Issue.record("differs when cut at \(first) and \(second)")
                return whole
            }
        }
        let single = Self.read(bytes.map { [$0] }, method: method, isStation: isStation)
        #expect(single == whole)
        return whole
    }

    @Test(
        "reads the head of a station at every split, and its body unchanged",
        arguments: StationHead.all
    )
    func stations(_ head: StationHead) {
        let body = Array("\nICY 200 OK\n a : b\r\n\n\u{0}é".utf8)
        let reading = self.readings(head.sent + body, isStation: true)
        #expect(reading.head?.status == head.status)
        #expect(reading.head?.headers.headers.map { "\($0.name): \($0.value)" } == head.fields)
        // A `Content-Length` cuts the body.
        let length = reading.head?.headers["Content-Length"].flatMap { Int($0) } ?? body.count
        #expect(reading.body == Array(body.prefix(length)))
        #expect(reading.error == nil && reading.isWhole)
    }

    private static let framed: [(head: String, length: String?, staysOpen: Bool)] = [
        ("Content-Length: 5\r\nETag: x\r\ncontent-length:5\r\n\r\nhello", "5", true),
        ("Content-Length: 5, 5 ,5\r\n\r\nhello", "5", true),
        ("Content-Length: 5\r\n\r\nhello", "5", true),
        ("Content-Length: 5\r\nConnection: Close\r\n\r\nhello", "5", false),
        (
            "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", nil,
            false
        ),
        (
            "TRANSFER-ENCODING: Chunked\r\nConnection: keep-alive\r\nContent-Length: 3, 3\r\n\r\n"
                + "5\r\nhello\r\n0\r\n\r\n", nil, false
        ),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", nil, true),
        (
            "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n003 \r\nllo\r\n00;x\r\nTrailer: y\r\n\r\n",
            nil, true
        ),
        ("Transfer-Encoding: chunked\n\n5\nhello\n0\n\n", nil, true),
        ("Transfer-Encoding: gzip\r\n\r\nhello", nil, false),
        ("Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", "5", true),
        ("ETag: \"x\"\r\n\r\nhello", nil, false),
        // No body is that long: servers of endless streams send this number for an unknown length.
        ("Content-Length: 9223372036854775807\r\n\r\nhello", nil, false),
        ("Content-Length: 18446744073709551615\r\n\r\nhello", nil, false),
        ("Content-Length: -1\r\n\r\nhello", nil, false),
    ]

    @Test(
        "ends a body by its length, its chunks or its connection, at every split",
        arguments: framed.indices
    )
    func framing(_ index: Int) {
        let (rest, length, staysOpen) = Self.framed[index]
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        for start in ["", hints, "HTTP/1.1 100 Go\r\n\r\n"] {
            let reading = self.readings(Array("\(start)HTTP/1.1 200 OK\r\n\(rest)".utf8))
            #expect(reading.error == nil)
            #expect(reading.head?.headers["Content-Length"] == length)
            #expect(
                reading.head?.headers.values(of: "Content-Length").count == (length == nil ? 0 : 1)
            )
            #expect(reading.head?.keepsConnection == staysOpen)
            #expect(String(decoding: reading.body, as: UTF8.self) == "hello")
            #expect(reading.isWhole && reading.excess == 0)
        }
    }

    @Test(
        "refuses contradicting lengths with their values, also beside chunks",
        arguments: [
            ("Content-Length: 5\r\nContent-Length: 7\r\n", "Content-Length: 5, 7"),
            ("Content-Length: 5, 7\r\n", "Content-Length: 5, 7"),
            ("Content-Length: 5,\r\n", "Content-Length: 5, "),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Length: 7\r\n",
                "Content-Length: 5, 7"
            ),
        ]
    )
    func contradictions(_ fields: String, _ named: String) {
        let reading = self.readings(Array("HTTP/1.1 200 OK\r\n\(fields)\r\nhello".utf8))
        #expect(reading.code == .malformed)
        #expect(reading.error == "\(named), which contradicts itself")
        #expect(reading.head == nil)
    }

    @Test(
        "a response without a body ends with its head",
        arguments: ["HEAD", "204", "304", "CONNECT"]
    )
    func bodiless(_ what: String) {
        let status = Int(what) ?? 200
        let sent = Array("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n".utf8)
        let method = Int(what) == nil ? what : "GET"
        let reading = Self.read([sent], method: method, closes: false)
        #expect(reading.isWhole && reading.body.isEmpty && reading.error == nil)
        #expect(reading.head?.headers["Content-Length"] == "5")
    }

    @Test(
        "refuses bytes that are not a response, as soon as they show that",
        arguments: [
            "\u{FF}\u{FB}abc", "SSH-2.0-x", "ICYX", "HTTQ/1.0", "<html>", "ICY 200 OK\n",
            "HTTP/1.1 abc\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 099 X\r\n", "HTTP/1.1 2000\r\n",
            "HTTP/x.1 200 OK\r\n", "HTTP/1.1\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello5",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1111222233334444",
        ]
    )
    func refuses(_ text: String) {
        let reading = Self.read([Array(text.utf8)], closes: false)
        #expect(reading.code == .malformed, "\(text)")
    }

    @Test(
        "a response that breaks off anywhere is a lost connection",
        arguments: framed.prefix(9).indices
    )
    func brokenOff(_ index: Int) {
        let sent = Array("HTTP/1.1 200 OK\r\n\(Self.framed[index].head)".utf8)
        for count in 0..<sent.count {
            let reading = Self.read([Array(sent[..<count])])
            #expect(reading.code == .connectionLost, "cut at \(count)")
            #expect(!reading.isWhole)
        }
    }

    @Test(
        "refuses a head or a trailer that is too long, in one line, in many, and in interim responses"
    )
    func bounds() {
        func isTooLong(_ text: String) -> Bool {
            Self.read([Array(text.utf8)], isStation: true, closes: false).code == .malformed
        }
        let start = "ICY 200 OK\n"
        #expect(isTooLong(start + String(repeating: "a", count: 70_000)))
        #expect(isTooLong(start + String(repeating: "a: b\n", count: 14_000)))
        #expect(isTooLong(String(repeating: "\n", count: 70_000)))
        #expect(isTooLong(String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 4_000)))
        #expect(!isTooLong(start + String(repeating: "a: b\n", count: 13_000) + "\n"))
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(isTooLong(chunked + "0\r\n" + String(repeating: "a: b\n", count: 14_000)))
        #expect(isTooLong(chunked + "0;" + String(repeating: "a", count: 70_000)))
    }

    @Test(
        "accepts any bytes without a trap, with the same result in one piece and byte by byte",
        arguments: 0..<400
    )
    func garbage(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let heads =
            StationHead.all.map(\.sent)
            + Self.framed.map { Array("HTTP/1.1 200 OK\r\n\($0.head)".utf8) }
        var bytes = heads[seed % heads.count]
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
        let isStation = seed % 2 == 0
        let whole = Self.read([bytes], isStation: isStation)
        let singles = Self.read(bytes.map { [$0] }, isStation: isStation)
        #expect(whole == singles, "seed \(seed)")
    }
}
