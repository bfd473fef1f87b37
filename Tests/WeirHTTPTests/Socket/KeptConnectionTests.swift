// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("A connection that is kept", .timeLimit(.minutes(1)))
struct KeptConnectionTests {
    private func with(
        isTLS: Bool = false,
        host: String = "127.0.0.1",
        _ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step],
        _ test: (ScriptedServer, NIOTransport, (String) throws -> HTTPTransportRequest) async throws
            -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        try writeFile(TestCertificate.certificate, to: directory.path(of: "ca.pem"))
        let server = try await ScriptedServer.start(isTLS: isTLS, host: host, script)
        let transport = try NIOTransport(
            .init(caFile: directory.path(of: "ca.pem"), proxies: ProxySettings.none)
        )
        let scheme = isTLS ? "https" : "http"
        let shown = host.contains(":") ? "[\(host)]" : host
        do {
            try await test(server, transport) { path in
                HTTPTransportRequest(
                    url: try OriginURL(server.url(path, scheme: scheme, host: shown))
                )
            }
        } catch {
            await transport.shutdown()
            await server.shutdown()
            throw error
        }
        await transport.shutdown()
        await server.shutdown()
    }

    private static func bytes(_ response: HTTPTransportResponse) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await response.body.next() { bytes += piece.array }
        return bytes
    }

    /// Answers a connection's first request, and closes the connection at the second without a byte.
    private static let once: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step] = {
        request in
        request.index == 1
            ? [.close] : [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")]
    }

    @Test(
        "that ends without a byte of a response costs one repetition over a new one",
        arguments: [false, true]
    )
    func repeats(isTLS: Bool) async throws {
        try await self.with(isTLS: isTLS, Self.once) { server, transport, request in
            for _ in 0..<2 {
                let answer = try await transport.send(try request("/a"))
                #expect(try await Self.bytes(answer) == Array("hi".utf8))
            }
            #expect(server.state.value.requests.map(\.connection) == [0, 0, 1])
        }
    }

    @Test("is not used for a request that must not be sent twice")
    func newForPost() async throws {
        try await self.with(Self.once) { server, transport, request in
            _ = try await Self.bytes(try await transport.send(try request("/a")))
            var post = try request("/a")
            post.method = "POST"
            post.body = Array("x=1".utf8)
            await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(post) }
            #expect(server.state.value.requests.map(\.connection) == [0, 1])
            #expect(server.state.value.requests.last?.headers["content-length"] == "3")
        }
    }

    @Test("is closed after a response with more bytes than announced")
    func excess() async throws {
        try await self.with { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\nevil")]
        } _: { server, transport, request in
            for _ in 0..<2 {
                let answer = try await transport.send(try request("/a"))
                #expect(try await Self.bytes(answer) == Array("hi".utf8))
            }
            #expect(server.state.value.requests.map(\.connection) == [0, 1])
        }
    }

    @Test("is used again after a response without a body", arguments: [204, 304])
    func bodiless(_ status: Int) async throws {
        try await self.with { _ in
            [.text("HTTP/1.1 \(status) X\r\n\r\n")]
        } _: { server, transport, request in
            for _ in 0..<3 {
                let answer = try await transport.send(try request("/a"))
                #expect(try await answer.body.next() == nil)
            }
            #expect(server.state.value.opened == 1)
        }
    }

    @Test(
        "over TLS proves the end of a body without a length only by close_notify",
        arguments: [false, true]
    )
    func rudeEnd(isOrderly: Bool) async throws {
        try await self.with(isTLS: true) { _ in
            [.text("HTTP/1.1 200 OK\r\n\r\nabc"), isOrderly ? .close : .cut]
        } _: { _, transport, request in
            let answer = try await transport.send(try request("/a"))
            #expect(!answer.isEndProven)
            #expect(try await answer.body.next()?.array == Array("abc".utf8))
            if isOrderly {
                #expect(try await answer.body.next() == nil)
            } else {
                let error = await #expect(throws: HTTPTransportError.self) {
                    _ = try await answer.body.next()
                }
                #expect(error?.code == .connectionLost)
            }
        }
    }

    @Test("can lead to an IPv6 address")
    func ipv6() async throws {
        try await self.with(host: "::1") { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")]
        } _: { server, transport, request in
            let answer = try await transport.send(try request("/a"))
            #expect(try await Self.bytes(answer) == Array("hi".utf8))
            #expect(server.state.value.requests.first?.headers["host"] == "[::1]:\(server.port)")
        }
    }

    @Test("drops the trailers of chunks, and is used again after them")
    func trailers() async throws {
        try await self.with { _ in
            [
                .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n"
                )
            ]
        } _: { server, transport, request in
            for _ in 0..<2 {
                let answer = try await transport.send(try request("/a"))
                #expect(try await Self.bytes(answer) == Array("hi".utf8))
                #expect(!answer.headers.contains("X"))
            }
            #expect(server.state.value.opened == 1)
        }
    }
}
