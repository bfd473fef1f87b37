// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import WeirTestKit

@testable import WeirProxy

@Suite("Plain requests")
struct PlainRequestParserTests {
    private func parse(_ text: String) -> RequestHead? {
        Array(text.utf8).withUnsafeBytes(PlainRequestParser.parse)
    }

    private func decode(_ text: String) throws -> RequestHead? {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(RequestDecoder()))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(ByteBuffer(string: text))
        guard case .head(let head) = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            return nil
        }
        return RequestHead(head)
    }

    /// The requests that the players of the recordings send.
    static let playersRequests = [
        "GET /s/a.mp3 HTTP/1.1\r\nUser-Agent: Lavf/59.27.100\r\nAccept: */*\r\nRange: bytes=0-\r\n"
            + "Connection: close\r\nHost: 127.0.0.1:4747\r\nIcy-MetaData: 1\r\n\r\n",
        "GET /s/a%20b.mp3?x=%3D HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n"
            + "Accept-Language: en_US\r\nUser-Agent: VLC/3.0.24 LibVLC/3.0.24\r\n"
            + "If-Match: \"0000000000000abc\"\r\nRange: bytes=5768339-\r\n\r\n",
        "GET /a HTTP/1.1\r\nicy-metadata: 1\r\nhost: localhost:1\r\nuser-agent: GStreamer\r\n"
            + "accept-encoding: identity\r\nconnection: Keep-Alive\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n"
            + "Accept-Encoding: identity;q=1, *;q=0\r\nRange: bytes=32768-5767167\r\n"
            + "If-Range: \"0000000000000abc\"\r\nSec-Fetch-Dest: audio\r\n"
            + "Origin: https://example.org\r\nReferer: http://127.0.0.1:8080/\r\n\r\n",
        "HEAD /a HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
    ]

    @Test(
        "requests that players send are plain, and equal the decoder's requests",
        arguments: Self.playersRequests
    )
    func usual(text: String) throws {
        let head = try #require(self.parse(text))
        #expect(head == (try self.decode(text)))
    }

    @Test("no part of a plain request is a plain request", arguments: Self.playersRequests)
    func parts(text: String) {
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count {
            let head = bytes[..<length].withUnsafeBytes(PlainRequestParser.parse)
            #expect(head == nil, "the first \(length) bytes")
        }
        #expect(self.parse(text + text) == nil)
        #expect(self.parse("\r\n" + text) == nil)
    }

    @Test(
        "an unusual request is left to the decoder",
        arguments: [
            "POST / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET /\r\n\r\n",
            "GET http://h/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\nA: b\n\r\n",
            "GET /\u{E9} HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nA b\r\n\r\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{E9}\r\n\r\n",
            "GET / HTTP/1.1\r\nA:\tb\r\n\r\n", "GET / HTTP/1.1\r\nA: b\u{0}\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: close, x\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: \r\n\r\n", "", "GET", "\u{16}\u{3}\u{1}",
        ]
    )
    func unusual(text: String) {
        #expect(self.parse(text) == nil)
    }

    @Test("an oversized request is left to the decoder")
    func large() {
        let text = "GET /\(String(repeating: "a", count: 4096)) HTTP/1.1\r\n\r\n"
        #expect(self.parse(text) == nil)
    }

    @Test("each random request that is plain equals the decoder's request")
    func random() throws {
        var random = SeededGenerator(seed: 0xC0DE)
        let names = [
            "Host", "host", "Range", "RANGE", "If-Range", "If-Match", "If-None-Match", "Origin",
            "Connection", "X", "Access-Control-Request-Method", "Content-Length", "a_b", "Upgrade",
            "Access-Control-Request-Private-Network", "Cache-Control",
        ]
        let values = [
            "", " ", "a", "close", "keep-alive", "Keep-Alive ", "127.0.0.1", "bytes=0-1",
            "  \"x\"  ",
            "true", "0", "1", "a,b", "\u{E9}", "\t", "x\ty", "no-cache, only-if-cached",
        ]
        var plain = 0
        for _ in 0..<3000 {
            var text = ["GET", "HEAD", "OPTIONS"].randomElement(using: &random) ?? ""
            text += " /" + (["", "a", "a?b", "%C3"].randomElement(using: &random) ?? "")
            text +=
                " HTTP/1." + (["0", "1", "1", "1"].randomElement(using: &random) ?? "") + "\r\n"
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                text += names.randomElement(using: &random) ?? ""
                text += [":", ": "].randomElement(using: &random) ?? ""
                text += (values.randomElement(using: &random) ?? "") + "\r\n"
            }
            text += "\r\n"
            guard let head = self.parse(text) else { continue }
            plain += 1
            #expect(head == (try self.decode(text)), "\(text), seed \(random.seed)")
        }
        #expect(plain > 500)
    }

    @Test("a request that differs from the last one only in its range is read like a first request")
    func repetition() throws {
        var random = SeededGenerator(seed: 0xA6A1)
        let ranges = [
            "bytes=0-1", "bytes=5-", "bytes=70000-135535", "bytes=9-8", "bytes=-5", "bytes=1-2,4-5",
            "",
            "bytes=123456789012345678-123456789012345679", "bytes=1234567890123456789-",
            "bytes=1-2 ", "items=0-1",
            "bytes=1-2\r\nRange: bytes=3-4", "bytes=0-1\r\n\r\nGET / HTTP/1.1\r\nRange: bytes=0-1",
        ]
        let ends = [
            "", "Accept: a\r\n", "Accept: b\r\n", "If-Range: \"x\"\r\n", "Range: bytes=0-1\r\n",
        ]
        var last: RequestRepetition?
        var repeated = 0
        for _ in 0..<20_000 {
            let text =
                "GET /\(Bool.random(using: &random) ? "a" : "b") HTTP/1.1\r\nHost: x\r\nRange: "
                + (ranges.randomElement(using: &random) ?? "") + "\r\n"
                + (ends.randomElement(using: &random) ?? "") + "\r\n"
            let bytes = Array(text.utf8)
            bytes.withUnsafeBytes { bytes in
                var parser = PlainRequestParser(bytes)
                let head = parser.request()
                if let again = last?.head(bytes) {
                    repeated += 1
                    #expect(again == head, "\(text), seed \(random.seed)")
                }
                if let head, let rangeValue = parser.rangeValue {
                    last = RequestRepetition(head, bytes, rangeValue: rangeValue)
                }
            }
        }
        #expect(repeated > 100)
    }
}
