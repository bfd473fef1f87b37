// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import WeirHTTP

@Suite("The repair of an answer's framing")
struct FramingHandlerTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let (heads, framing) = (StationHeadHandler(), FramingHandler())
        try channel.pipeline.syncOperations.addHandlers([
            HTTPRequestEncoder(), heads, framing,
            ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)),
            RequestHeadHandler(heads, framing),
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
        return channel
    }

    private func ask(_ channel: EmbeddedChannel) throws {
        let headers: HTTPHeaders = ["Host": "a"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        while try channel.readOutbound(as: ByteBuffer.self) != nil {}
    }

    /// The final answer that came in.
    private func answer(_ channel: EmbeddedChannel) throws -> (HTTPResponseHead?, String, Bool) {
        var (head, body, isEnded) = (HTTPResponseHead?.none, "", false)
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let next): head = next
            case .body(let buffer): body += String(buffer: buffer)
            case .end: isEnded = true
            }
        }
        return (head, body, isEnded)
    }

    private static let repaired: [(String, String, isKept: Bool)] = [
        ("Content-Length: 5\r\nETag: x\r\ncontent-length:5\r\n\r\nhello", "5", true),
        ("Content-Length: 5, 5 ,5\r\n\r\nhello", "5", true),
        ("Content-Length: 5\r\n\r\nhello", "5", true),
        (
            "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "",
            false
        ),
        (
            "TRANSFER-ENCODING: Chunked\r\nConnection: keep-alive\r\nContent-Length: 3, 3\r\n\r\n"
                + "5\r\nhello\r\n0\r\n\r\n", "", false
        ),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "", true),
    ]

    @Test(
        "one length that is told twice counts once, and chunks count before a length, at every split",
        arguments: repaired.indices
    )
    func repairs(_ index: Int) throws {
        let (rest, length, isKept) = Self.repaired[index]
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        for start in ["", hints, "HTTP/1.1 100 Go\r\n\r\n"] {
            let sent = Array("\(start)HTTP/1.1 200 OK\r\n\(rest)".utf8)
            for cut in 0...sent.count {
                let channel = try self.channel()
                // Twice over one connection: the second answer is repaired like the first.
                for _ in 0..<(isKept ? 2 : 1) {
                    try self.ask(channel)
                    try channel.writeInbound(ByteBuffer(bytes: sent[..<cut]))
                    try channel.writeInbound(ByteBuffer(bytes: sent[cut...]))
                    let (head, body, isEnded) = try self.answer(channel)
                    let headers = try #require(head?.headers)
                    #expect(headers["Content-Length"] == (length.isEmpty ? [] : [length]))
                    #expect(head?.isKeepAlive == isKept && body == "hello" && isEnded)
                }
                _ = try channel.finish()
            }
        }
    }

    @Test(
        "a length that no body has is none: the body ends with its connection, at every split",
        arguments: [
            "9223372036854775807", "18446744073709551615", "-1", " -1 ", "4611686018427387905",
            "99999999999999999999999", "9223372036854775807, 9223372036854775807",
        ]
    )
    func impossible(_ length: String) throws {
        let sent = Array(
            "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: x\r\n\r\nhello".utf8
        )
        for cut in 0...sent.count {
            let channel = try self.channel()
            try self.ask(channel)
            try channel.writeInbound(ByteBuffer(bytes: sent[..<cut]))
            try channel.writeInbound(ByteBuffer(bytes: sent[cut...]))
            let (head, body, isEnded) = try self.answer(channel)
            #expect(head?.headers["Content-Length"] == [])
            #expect(head?.headers["ETag"] == ["x"])
            #expect(body == "hello" && !isEnded)
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            channel.pipeline.fireChannelInactive()
            #expect(try self.answer(channel).2)
            _ = try? channel.finish()
        }
    }

    @Test("the largest length that a body may have is kept")
    func largest() throws {
        let channel = try self.channel()
        try self.ask(channel)
        let length = "4611686018427387904"
        let sent = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: sent))
        #expect(try self.answer(channel).0?.headers["Content-Length"] == [length])
        _ = try? channel.finish()
    }

    @Test(
        "different lengths are an error that names them, also beside chunks",
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
    func refuses(_ fields: String, _ named: String) throws {
        let channel = try self.channel()
        try self.ask(channel)
        let error = #expect(throws: HTTPTransportError.self) {
            try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(fields)\r\nhello"))
            try channel.throwIfErrorCaught()
        }
        #expect(error?.code == .malformed)
        #expect(error?.reason == "\(named), which contradicts itself")
        #expect(try self.answer(channel).0 == nil)
        _ = try? channel.finish()
    }

    @Test("what is no head is the parser's to refuse, at once, and half a head at its end")
    func foreign() throws {
        let badLength = "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"
        for text in ["SSH-2.0-x", "HTTQ/1.1 200 OK", badLength] {
            let channel = try self.channel()
            try self.ask(channel)
            #expect(throws: HTTPParserError.self) {
                try channel.writeInbound(ByteBuffer(string: text))
                try channel.throwIfErrorCaught()
            }
            _ = try? channel.finish()
        }
        let channel = try self.channel()
        try self.ask(channel)
        try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Len"))
        #expect(throws: (any Error).self) {
            _ = try channel.finish()
            try channel.throwIfErrorCaught()
        }
    }

    @Test("a head that needs no repair, and every body, pass in the buffer that they came in")
    func copiesNothing() throws {
        let channel = EmbeddedChannel()
        let (heads, framing) = (StationHeadHandler(), FramingHandler())
        try channel.pipeline.syncOperations.addHandlers([
            framing, RequestHeadHandler(heads, framing),
        ])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: [:])
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        for text in ["HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nbody", "more"] {
            let buffer = ByteBuffer(string: text)
            let address = buffer.withVeryUnsafeBytes { $0.baseAddress }
            try channel.writeInbound(buffer)
            let passed = try #require(try channel.readInbound(as: ByteBuffer.self))
            #expect(passed.withVeryUnsafeBytes { $0.baseAddress } == address)
            #expect(String(buffer: passed) == text)
        }
        _ = try? channel.finish()
    }
}
