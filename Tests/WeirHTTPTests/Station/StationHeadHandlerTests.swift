// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import WeirTestKit

@testable import WeirHTTP

@Suite("The handler before the parser of stations' heads")
struct StationHeadHandlerTests {
    private static let body: [UInt8] = Array("\u{FF}ICY 200 OK\n\nrest".utf8)

    /// The pipeline of a client, as it is in a connection.
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        let (heads, framing) = (StationHeadHandler(), FramingHandler())
        try pipeline.addHandlers([
            HTTPRequestEncoder(), heads, framing,
            ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)),
            RequestHeadHandler(heads, framing),
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
        return channel
    }

    private func ask(_ channel: EmbeddedChannel, isStation: Bool) throws {
        var headers = HTTPHeaders([("Host", "a")])
        if isStation { headers.add(name: "icy-metadata", value: "1") }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        while try channel.readOutbound(as: ByteBuffer.self) != nil {}
    }

    /// The final answer that came in.
    private func answer(_ channel: EmbeddedChannel) throws -> (HTTPResponseHead?, [UInt8], Bool) {
        var (head, body, isEnded) = (HTTPResponseHead?.none, [UInt8](), false)
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let next): head = next.status.code < 200 ? head : next
            case .body(let buffer): body += buffer.readableBytesView
            case .end: isEnded = true
            }
        }
        return (head, body, isEnded)
    }

    @Test("the parser takes every head of a station, at every split", arguments: StationHead.all)
    func takesHeads(_ station: StationHead) throws {
        let hasLength = station.name.hasPrefix("lengths")
        let body = hasLength ? Array(Self.body.prefix(5)) : Self.body
        let sent = station.sent + body
        for cut in 0...sent.count {
            let channel = try self.channel()
            try self.ask(channel, isStation: true)
            try channel.writeInbound(ByteBuffer(bytes: sent[..<cut]))
            try channel.writeInbound(ByteBuffer(bytes: sent[cut...]))
            if !hasLength { _ = try channel.finish() }
            let (head, bytes, isEnded) = try self.answer(channel)
            #expect(head != nil && isEnded)
            guard bytes != body else { continue }
            Issue.record("the body differs when cut at \(cut)")
            return
        }
    }

    @Test("names and values come as they were meant")
    func values() throws {
        let channel = try self.channel()
        try self.ask(channel, isStation: true)
        var bytes = Array("ICY 200 OK\nicy-name : Caf".utf8) + [0xE9]
        bytes += Array("\nicy-br:128\nicy-metaint:16\n\n".utf8)
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        let head = try #require(try self.answer(channel).0)
        #expect(head.status.code == 200)
        #expect(head.headers["icy-name"] == ["Café"])
        #expect(head.headers["icy-br"] == ["128"])
        #expect(head.headers["icy-metaint"] == ["16"])
        _ = try? channel.finish()
    }

    @Test("an answer to any other request is the parser's to refuse")
    func others() throws {
        for text in [
            "ICY 200 OK\r\n\r\n", "HTTP/1.0 200 OK\nA: b\n\n", "HTTP/1.0 200 OK\r\nA : b\r\n\r\n",
        ] {
            let channel = try self.channel()
            try self.ask(channel, isStation: false)
            #expect(throws: (any Error).self) {
                try channel.writeInbound(ByteBuffer(string: text))
                try channel.throwIfErrorCaught()
            }
            _ = try? channel.finish()
        }
    }

    @Test("a kept connection is armed for each answer anew")
    func keepsAlive() throws {
        let channel = try self.channel()
        for isStation in [true, true, false, true] {
            try self.ask(channel, isStation: isStation)
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nA: b\r\n\r\nICY 200 OK\n\n"
            try channel.writeInbound(ByteBuffer(string: text))
            let (head, body, isEnded) = try self.answer(channel)
            #expect(head?.headers["A"] == ["b"])
            #expect(body == Array("ICY 200 OK\n\n".utf8))
            #expect(isEnded)
        }
        try self.ask(channel, isStation: true)
        try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 200 OK\nContent-Length: 1\n\nx"))
        #expect(try self.answer(channel).2)
        _ = try? channel.finish()
    }

    @Test("a body is not copied, whether it comes with its head or later")
    func copiesNothing() throws {
        let channel = EmbeddedChannel()
        let heads = StationHeadHandler()
        let framing = FramingHandler()
        try channel.pipeline.syncOperations.addHandlers([
            heads, framing, RequestHeadHandler(heads, framing),
        ])
        let request = HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: "/",
            headers: [StationHeadHandler.header: "1"]
        )
        try channel.writeOutbound(HTTPClientRequestPart.head(request))
        let head = "ICY 200 OK\r\n\r\n"
        for buffer in [ByteBuffer(string: head + "body"), ByteBuffer(string: "more")] {
            let address = Self.address(of: buffer, at: buffer.writerIndex - 4)
            try channel.writeInbound(buffer)
            var last: ByteBuffer?
            while let next = try channel.readInbound(as: ByteBuffer.self) { last = next }
            let body = try #require(last)
            #expect(body.readableBytes == 4)
            #expect(Self.address(of: body, at: body.readerIndex) == address)
        }
        _ = try? channel.finish()
    }

    @Test("a head that is too long is an error of the connection")
    func tooLong() throws {
        let channel = try self.channel()
        try self.ask(channel, isStation: true)
        let text = "ICY 200 OK\r\nA: " + String(repeating: "b", count: 70_000)
        let error = #expect(throws: HTTPTransportError.self) {
            try channel.writeInbound(ByteBuffer(string: text))
            try channel.throwIfErrorCaught()
        }
        #expect(error?.code == .malformed)
        _ = try? channel.finish()
    }

    private static func address(of buffer: ByteBuffer, at index: Int) -> UInt {
        buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) + UInt(index) }
    }
}
