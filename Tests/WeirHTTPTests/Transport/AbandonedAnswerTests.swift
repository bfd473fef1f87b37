// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import WeirTestKit
import WeirTestServers

@testable import WeirHTTP

@Suite("A connection that is left in the middle of an answer", .timeLimit(.minutes(1)))
struct AbandonedAnswerTests {
    /// Takes its time with an orderly end, as TLS does.
    private final class SlowEnd: ChannelOutboundHandler {
        typealias OutboundIn = HTTPClientRequestPart

        var closeCount = 0

        func close(
            context: ChannelHandlerContext,
            mode: CloseMode,
            promise: EventLoopPromise<Void>?
        ) {
            self.closeCount += 1
            promise?.succeed(())
        }
    }

    private static let request = HTTPClientRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .GET, uri: "/a")
    )
    private static let answer: [HTTPClientResponsePart] = [
        .head(HTTPResponseHead(version: .http1_1, status: .ok)),
        .body(ByteBuffer(string: "bytes")),
        .end(nil),
    ]

    /// A connection on which a request was sent, and so many parts of its answer have come.
    private func connection(parts: Int) throws -> (EmbeddedChannel, SlowEnd) {
        let (channel, slowEnd) = (EmbeddedChannel(), SlowEnd())
        let pipeline = channel.pipeline.syncOperations
        let socketEnd = AbandonedAnswer.SocketEnd()
        try pipeline.addHandlers([socketEnd, slowEnd, AbandonedAnswer(socketEnd)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeOutbound(Self.request)
        for part in Self.answer.prefix(parts) { try channel.writeInbound(part) }
        return (channel, slowEnd)
    }

    @Test("is closed at the socket, whatever else would take its time", arguments: 0...2)
    func middle(parts: Int) throws {
        let (channel, slowEnd) = try self.connection(parts: parts)
        try channel.close().wait()
        #expect(!channel.isActive)
        #expect(slowEnd.closeCount == 0)
    }

    @Test("which has come to its end, is closed in good order")
    func end() throws {
        let (channel, slowEnd) = try self.connection(parts: 3)
        try channel.close().wait()
        #expect(slowEnd.closeCount == 1)
        #expect(channel.isActive)
    }

    @Test("tells the origin with a reset", arguments: [false, true])
    func reset(isTLS: Bool) async throws {
        let directory = TemporaryDirectory()
        let caFile = directory.path(of: "ca.pem")
        try writeFile(TestCertificate.certificate, to: caFile)
        let server = try await ScriptedServer.start(isTLS: isTLS) { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n12345"), .stall]
        }
        let transport = try AsyncHTTPClientTransport(
            .init(caFile: caFile, proxies: ProxySettings.none)
        )
        let url = server.url("/a", scheme: isTLS ? "https" : "http")
        let request = HTTPTransportRequest(url: try OriginURL(url))
        try await transport.send(request).body.cancel()
        try await server.state.wait { $0.closed == 1 }
        #expect(server.state.value.resets == 1)
        await transport.shutdown()
        await server.shutdown()
    }
}
