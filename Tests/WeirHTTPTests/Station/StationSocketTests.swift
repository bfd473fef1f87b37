// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirHTTP

@Suite("A station behind a real socket", .timeLimit(.minutes(1)))
struct StationSocketTests {
    /// The kind of connection for a station's requests.
    enum Line: String, CaseIterable, CustomTestStringConvertible {
        case nio
        /// Connections without SwiftNIO, as on devices.
        case posix
        case tls

        static let plain = [Self.nio, .posix]

        var testDescription: String { self.rawValue }
    }

    /// Runs a test against a server, and then ends the transport and the server.
    private func with(
        over line: Line,
        _ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step],
        _ test: (ScriptedServer, any HTTPTransport) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        let caFile = directory.path(of: "ca.pem")
        try writeFile(TestCertificate.certificate, to: caFile)
        let server = try await ScriptedServer.start(isTLS: line == .tls, script)
        let transport: any HTTPTransport
        let end: () async -> Void
        if line == .posix {
            let made = ConnectionTransport(PosixConnector())
            (transport, end) = (made, made.shutdown)
        } else {
            let made = try NIOTransport(
                .init(caFile: line == .tls ? caFile : nil, proxies: ProxySettings.none)
            )
            (transport, end) = (made, made.shutdown)
        }
        do {
            try await test(server, transport)
        } catch {
            await end()
            await server.shutdown()
            throw error
        }
        await end()
        await server.shutdown()
    }

    private func station(_ url: String, _ transport: any HTTPTransport) throws
        -> HTTPStationTransport
    {
        HTTPStationTransport(url: try OriginURL(station: url), transport: transport)
    }

    /// All bytes of a stream that ends.
    private func bytes(of stream: any StationBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let memory = try await stream.next() { memory.withUnsafeBytes { bytes += $0 } }
        return bytes
    }

    @Test("responds as ICY with line feeds, and is read byte for byte", arguments: Line.allCases)
    func hears(line: Line) async throws {
        try await self.with(over: line) { _ in
            [
                .text("ICY 200 OK\nicy-name:One\nContent-Type : audio/mpeg\nicy-br:128\n\n\n"),
                .pattern(0..<300_000), .close,
            ]
        } _: { server, transport in
            let url = server.url("", scheme: line == .tls ? "https" : "http")
            let answer = try await self.station(url, transport).connect(to: .station)
            #expect(answer.mediaType == "audio/mpeg")
            #expect(answer.fields.first { $0.0 == "icy-name" }?.1 == "One")
            let bytes = try await self.bytes(of: answer.body)
            #expect(bytes.first == UInt8(ascii: "\n"))
            #expect(PatternBytes.firstDifference(in: bytes.dropFirst(), at: 0) == nil)
            #expect(bytes.count == 300_001)
            let request = try #require(server.state.value.requests.first)
            #expect(request.target == "/")
            #expect(request.headers["icy-metadata"] == "1")
            #expect(request.headers["accept-encoding"] == nil)
            #expect(request.headers["range"] == nil)
        }
    }

    @Test("a head arrives in single bytes", arguments: Line.plain)
    func singleBytes(line: Line) async throws {
        try await self.with(over: line) { _ in
            "ICY 200 OK\nicy-name : One\n\n".utf8.map { .bytes([$0]) } + [.pattern(0..<9), .close]
        } _: { server, transport in
            let answer = try await self.station(server.url("/;"), transport).connect(to: .station)
            #expect(answer.fields.first { $0.0 == "icy-name" }?.1 == "One")
            #expect(try await self.bytes(of: answer.body).count == 9)
        }
    }

    @Test("a connection is kept from station to file and back", arguments: Line.plain)
    func keepsConnection(line: Line) async throws {
        let file = PatternFile()
        try await self.with(over: line) { request in
            guard request.headers["icy-metadata"] == nil else {
                return [.text("HTTP/1.1 200 OK\nContent-Length : 3\nicy-br:1\n\nabc")]
            }
            return file.answer(request)
        } _: { server, transport in
            let origin = HTTPOrigin(
                url: try OriginURL(server.url("/a.mp3")),
                options: SocketTests.options,
                transport: transport
            )
            for _ in 0..<3 {
                let answer = try await self.station(server.url("/live"), transport).connect(
                    to: .station
                )
                #expect(try await self.bytes(of: answer.body) == Array("abc".utf8))
                let bytes = try await origin.read(.span(100..<50_100)).collect()
                #expect(PatternBytes.firstDifference(in: bytes, at: 100) == nil)
            }
            #expect(server.state.value.opened == 1)
        }
    }

    @Test("a file whose server responds as a station is refused as before", arguments: Line.plain)
    func refusesFiles(line: Line) async throws {
        try await self.with(over: line) { _ in
            [.text("ICY 200 OK\r\nContent-Length: 3\r\n\r\nabc"), .close]
        } _: { server, transport in
            let origin = HTTPOrigin(
                url: try OriginURL(server.url("/a.mp3")),
                options: SocketTests.options,
                transport: transport
            )
            let error = await sourceError { _ = try await origin.describe() }
            #expect(error?.code == .badAnswer)
        }
    }

    @Test(
        "an invalid response is an error, and not a station",
        arguments: [
            ("", SourceError.Code.unreachable), ("HTTP/1.1 2", .unreachable),
            ("ICY 200 OK\nicy-name", .unreachable), ("SSH-2.0-x\r\n\r\n", .badAnswer),
            ("ICY what\r\n\r\n", .badAnswer), ("\u{FF}\u{FB}sound", .badAnswer),
        ],
        Line.plain
    )
    func halfHeads(_ answer: (String, SourceError.Code), line: Line) async throws {
        let (text, code) = answer
        try await self.with(over: line) { _ in
            [.text(text), .close]
        } _: { server, transport in
            let station = try self.station(server.url("/live"), transport)
            let error = await sourceError { _ = try await station.connect(to: .station) }
            #expect(error?.code == code)
        }
    }

    @Test("an endless head is refused at 64 KiB", arguments: Line.plain)
    func endlessHead(line: Line) async throws {
        try await self.with(over: line) { _ in
            [.text("ICY 200 OK\r\nicy-name: " + String(repeating: "a", count: 100_000)), .stall]
        } _: { server, transport in
            let station = try self.station(server.url("/live"), transport)
            let error = await sourceError { _ = try await station.connect(to: .station) }
            #expect(error?.code == .badAnswer)
            try await server.state.wait { $0.closed == 1 }
        }
    }

    @Test(
        "a chunked stream that breaks off is an error, and one that ends is not",
        arguments: Line.plain
    )
    func chunked(line: Line) async throws {
        try await self.with(over: line) { request in
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let end: [ScriptedServer.Step] = request.index == 0 ? [.text("0\r\n\r\n")] : [.close]
            return [.text(head), .chunkedPattern(0..<100_000)] + end
        } _: { server, transport in
            let station = try self.station(server.url("/live"), transport)
            #expect(try await self.bytes(of: station.connect(to: .station).body).count == 100_000)
            let broken = try await station.connect(to: .station).body
            let error = await sourceError { _ = try await self.bytes(of: broken) }
            #expect(error?.code == .unreachable)
        }
    }

    @Test(
        "the socket is closed when the stream is cancelled, or dropped, or its task is cancelled",
        arguments: Line.plain
    )
    func closes(line: Line) async throws {
        try await self.with(over: line) { _ in
            [.text("ICY 200 OK\r\n\r\n"), .pattern(0..<10), .stall]
        } _: { server, transport in
            let station = try self.station(server.url("/live"), transport)
            let first = try await station.connect(to: .station).body
            #expect(try await first.next()?.count == 10)
            first.cancel()
            try await server.state.wait { $0.closed == 1 }

            try await Self.drop(station)
            try await server.state.wait { $0.closed == 2 }

            let gate = Gate()
            let task = Task {
                let stream = try await station.connect(to: .station).body
                _ = try await stream.next()
                gate.open()
                return try await stream.next() == nil
            }
            try await gate.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            try await server.state.wait { $0.closed == 3 }
            #expect(server.state.value.opened == 3)
        }
    }

    private static func drop(_ station: HTTPStationTransport) async throws {
        _ = try await station.connect(to: .station).body.next()
    }

    @Test("a call that is cancelled before the head closes its socket", arguments: Line.plain)
    func closesBeforeHead(line: Line) async throws {
        try await self.with(over: line) { _ in
            [.text("ICY 200"), .stall]
        } _: { server, transport in
            let station = try self.station(server.url("/live"), transport)
            let call = Task { try await station.connect(to: .station) }
            try await server.state.wait { $0.requests.count == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
            try await server.state.wait { $0.closed == 1 }
        }
    }
}
