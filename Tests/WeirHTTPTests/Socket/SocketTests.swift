// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("An origin behind a real socket", .timeLimit(.minutes(1)))
struct SocketTests {
    /// Options that retry at once, so that no test waits.
    static let options = HTTPOrigin.Options(retry: RetryPolicy(firstDelay: .zero))

    /// Runs a test against a server, and then ends the transport and the server.
    func with(
        _ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step],
        options: NIOTransport.Options = .init(proxies: ProxySettings.none),
        _ test: (ScriptedServer, NIOTransport) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(script)
        let transport = try NIOTransport(options)
        do {
            try await test(server, transport)
        } catch {
            await transport.shutdown()
            await server.shutdown()
            throw error
        }
        await transport.shutdown()
        await server.shutdown()
    }

    func origin(
        _ url: String,
        _ transport: NIOTransport,
        _ options: HTTPOrigin.Options = options,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> HTTPOrigin {
        HTTPOrigin(url: try OriginURL(url), options: options, transport: transport, clock: clock)
    }

    @Test("is read whole, byte for byte, without a copy of the buffers")
    func readsWhole() async throws {
        let file = PatternFile(length: 3_000_001)
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            let reading = try await self.origin(server.url("/a.mp3"), transport).read(.whole)
            #expect(reading.resource.length == 3_000_001)
            var position: Int64 = 0
            for try await chunk in reading {
                let memory = try chunk.memory()
                let buffer = try #require(memory.owner as? ByteBuffer)
                #expect(buffer.readableBytes == memory.bounds.upperBound)
                let first = memory.withUnsafeBytes { $0.first }
                #expect(
                    first == buffer.getInteger(at: buffer.readerIndex + memory.bounds.lowerBound)
                )
                #expect(PatternBytes.firstDifference(in: try chunk.bytes(), at: position) == nil)
                position = chunk.range.upperBound
            }
            #expect(position == 3_000_001)
        }
    }

    @Test("receives its target byte for byte")
    func asksByteForByte() async throws {
        let file = PatternFile()
        let targets = [
            "/a%2Fb/./../c//d;p=1?x=[1]&y=%20+%zz&sig=a%2Bb==", "/100%.mp3", "/%C3%BC%e2%82%ac?",
            "/:@!$&'()*+,;=~",
            "/?a=b?c=d/e",
        ]
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            for target in targets {
                _ = try await self.origin(server.url(target), transport).describe()
                let request = try #require(server.state.value.requests.last)
                #expect(request.target == target)
                #expect(request.method == "GET")
                #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
                #expect(request.headers["weir-request-target"] == nil)
                #expect(request.headers["user-agent"] == HTTPOrigin.userAgent)
            }
        }
    }

    @Test(
        "with a status below 100 gives an error, whatever comes behind it",
        arguments: ["000", "099"]
    )
    func statusBelow100(_ status: String) async throws {
        for rest in ["Content-Length: 0\r\n\r\n", "Content-Length: 3\r\n\r\nabc", "\r\nabc"] {
            try await self.with { _ in
                [.text("HTTP/1.1 \(status) X\r\n\(rest)"), .close]
            } _: { server, transport in
                let origin = try self.origin(server.url("/a.mp3"), transport)
                let error = await sourceError { _ = try await origin.read(.whole) }
                #expect(error?.code == .badAnswer)
                #expect(error?.message.contains("an answer that breaks the rules") == true)
            }
        }
    }

    @Test("keeps its connection from one range to the next")
    func keepsConnection() async throws {
        let file = PatternFile()
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            _ = try await origin.describe()
            for start in stride(from: Int64(0), to: 400_000, by: 100_000) {
                let bytes = try await origin.read(.span(start..<(start + 50_000))).collect()
                #expect(bytes == PatternBytes.bytes(in: start..<(start + 50_000)))
            }
            _ = try await origin.read(.from(500_000)).collect()
            #expect(server.state.value.requests.count == 6)
            #expect(server.state.value.opened == 1)
        }
    }

    @Test("keeps its connection when a reader that has all its bytes leaves")
    func keepsConnectionAfterLastByte() async throws {
        let file = PatternFile()
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            for _ in 0..<10 {
                let iterator = try await origin.read(.span(0..<1_000)).makeAsyncIterator()
                var count = 0
                while count < 1_000 { count += try await iterator.next()?.count ?? 1_000 }
                #expect(count == 1_000)
            }
            #expect(server.state.value.requests.count == 10)
            #expect(server.state.value.closed == 0)
        }
    }

    @Test("loses its connection when a reading is dropped midway")
    func dropsConnection() async throws {
        let file = PatternFile(length: 100_000_000)
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            do {
                let reading = try await origin.read(.whole)
                _ = try await reading.makeAsyncIterator().next()
            }
            try await server.state.wait { $0.closed == 1 }
            _ = try await origin.read(.whole)
            try await server.state.wait { $0.closed == 2 }
        }
    }

    /// Opens a reading of the whole, and tries again while the origin is unreachable.
    ///
    /// The server sees a connection close a moment before the client's pool does. A request on that
    /// connection fails.
    private static func opened(_ origin: HTTPOrigin) async throws -> ByteReading {
        for _ in 0..<10 {
            do { return try await origin.read(.whole) } catch let error as SourceError
                where error.code == .unreachable
            { await Task.yield() }
        }
        return try await origin.read(.whole)
    }

    @Test("loses its connection when the server ends it: after a response, within one, before one")
    func closesAfterServer() async throws {
        let file = PatternFile()
        try await self.with { request in
            switch request.target {
            case "/after": file.answer(request) + [.closeOutput]
            case "/within": [file.answer(request)[0], .pattern(0..<70_000), .closeOutput]
            default: [.closeOutput]
            }
        } _: { server, transport in
            var options = Self.options
            options.retry = .never
            let after = try self.origin(server.url("/after"), transport, options)
            #expect(try await after.read(.whole).collect().count == 500_000)
            try await server.state.wait { $0.closed == 1 }
            let within = try await Self.opened(
                self.origin(server.url("/within"), transport, options)
            )
            #expect(await sourceError { _ = try await within.collect() }?.code == .truncated)
            try await server.state.wait { $0.closed == 2 }
            do {
                let left = try await Self.opened(
                    self.origin(server.url("/within"), transport, options)
                )
                _ = try await left.makeAsyncIterator().next()
            }
            try await server.state.wait { $0.closed == 3 }
            let before = try self.origin(server.url("/before"), transport, options)
            #expect(await sourceError { _ = try await before.describe() }?.code == .unreachable)
            try await server.state.wait { $0.closed == 4 }
        }
    }

    @Test("redirects elsewhere, with the range but without the credentials")
    func followsRedirect() async throws {
        let file = PatternFile()
        let target = try await ScriptedServer.start { file.answer($0) }
        let location = target.url("/real.mp3?sig=1")
        try await self.with { request in
            guard request.target != "/away" else {
                return [
                    .text(
                        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 5\r\n\r\nmoved"
                    )
                ]
            }
            guard request.target != "/here" else {
                return [.text("HTTP/1.1 301 Moved\r\nLocation: there\r\nContent-Length: 0\r\n\r\n")]
            }
            return file.answer(request)
        } _: { server, transport in
            var options = Self.options
            options.headers.append(try HTTPHeader(parsing: "Authorization: OAuth token"))
            let away = try self.origin(server.url("/away"), transport, options)
            #expect(try await away.read(.span(7..<9)).collect() == PatternBytes.bytes(in: 7..<9))
            let request = try #require(target.state.value.requests.first)
            #expect(request.target == "/real.mp3?sig=1")
            #expect(request.headers["range"] == "bytes=7-8")
            #expect(request.headers["authorization"] == nil)
            let here = try self.origin(server.url("/here"), transport, options)
            #expect(try await here.read(.span(7..<9)).collect() == PatternBytes.bytes(in: 7..<9))
            let last = try #require(server.state.value.requests.last)
            #expect(last.target == "/there" && last.headers["authorization"] == "OAuth token")
            #expect(server.state.value.opened == 1)
        }
        await target.shutdown()
    }

    @Test("serves a new reader while eight others rest")
    func servesManyReaders() async throws {
        let file = PatternFile(length: 20_000_000)
        try await self.with {
            file.answer($0)
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            var resting: [ByteReading] = []
            for _ in 0..<8 {
                let reading = try await origin.read(.whole)
                _ = try await reading.makeAsyncIterator().next()
                resting.append(reading)
            }
            #expect(try await origin.read(.suffix(3)).collect().count == 3)
            #expect(server.state.value.opened == 9)
            #expect(resting.count == 8)
        }
    }

    @Test("with a closed transport gives an error")
    func saysShutDown() async throws {
        let transport = try NIOTransport(.init(proxies: ProxySettings.none))
        await transport.shutdown()
        await transport.shutdown()
        let error = await sourceError {
            _ = try await self.origin("http://127.0.0.1:1/a", transport).describe()
        }
        #expect(error?.code == .closed)
    }

    @Test("receives requests through a proxy with their whole address, except for exempt hosts")
    func usesProxy() async throws {
        let file = PatternFile()
        let script: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step] = {
            file.answer($0)
        }
        let proxy = try await ScriptedServer.start(script)
        let settings = try ProxySettings(environment: [
            "http_proxy": "http://me:pass@127.0.0.1:\(proxy.port)", "NO_PROXY": "127.0.0.1",
        ])
        try await self.with(script, options: .init(proxies: settings)) { server, transport in
            for url in ["http://media.invalid/a%20b.mp3?c=d", "http://other.invalid:8080/"] {
                _ = try await self.origin(url, transport).describe()
            }
            let requests = proxy.state.value.requests
            #expect(requests.map(\.method) == ["GET", "GET"])
            #expect(
                requests.map(\.target)
                    == ["http://media.invalid/a%20b.mp3?c=d", "http://other.invalid:8080/"]
            )
            #expect(
                requests.map { $0.headers["host"] } == ["media.invalid", "other.invalid:8080"]
            )
            for request in requests {
                #expect(request.headers["proxy-authorization"] == "Basic bWU6cGFzcw==")
            }
            _ = try await self.origin(server.url("/a.mp3"), transport).describe()
            #expect(proxy.state.value.requests.count == 2)
            #expect(server.state.value.requests.count == 1)
            #expect(
                server.state.value.requests.first?.headers["proxy-authorization"] == nil
            )
        }
        await proxy.shutdown()
    }

    @Test(
        "behind a proxy that wants a password gives an error that says so",
        arguments: ["", "me:wrong@"]
    )
    func saysProxyRefused(_ user: String) async throws {
        let proxy = try await ScriptedServer.start { _ in
            [.text("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nNo.\n")]
        }
        let settings = try ProxySettings(environment: [
            "HTTP_PROXY": "\(user)127.0.0.1:\(proxy.port)"
        ])
        let transport = try NIOTransport(.init(proxies: settings))
        let error = await sourceError {
            _ = try await self.origin("http://media.invalid/a", transport).describe()
        }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.hasPrefix("The proxy on the way to media.invalid refused") == true)
        #expect(error?.message.contains("refused)") == !user.isEmpty)
        await transport.shutdown()
        await proxy.shutdown()
    }

    @Test("receives no request if the proxy opens no tunnel", arguments: [403, 407])
    func saysTunnelRefused(_ status: Int) async throws {
        let proxy = try await ScriptedServer.start { _ in
            [.text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")]
        }
        let settings = try ProxySettings(environment: ["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"])
        let transport = try NIOTransport(.init(proxies: settings))
        let error = await sourceError {
            _ = try await self.origin("https://media.invalid/a", transport).describe()
        }
        #expect(proxy.state.value.requests.first?.target == "media.invalid:443")
        #expect(error?.code == .unauthorized)
        #expect(error?.message.hasPrefix("The proxy on the way to media.invalid refused") == true)
        await transport.shutdown()
        await proxy.shutdown()
    }
}
