// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

extension SocketTests {
    @Test("is resumed at the next byte after a body that was cut", arguments: [1, 1_000, 200_000])
    func resumesCutBody(_ limit: Int64) async throws {
        let file = PatternFile()
        try await self.with { request in
            guard request.index == 0 else { return file.answer(request) }
            return [file.answer(request)[0], .pattern(0..<limit), .close]
        } _: { server, transport in
            let bytes = try await self.origin(server.url("/a.mp3"), transport).read(.whole)
                .collect()
            #expect(bytes == PatternBytes.bytes(in: 0..<500_000))
            let requests = server.state.value.requests
            #expect(requests.count == 2)
            #expect(requests[1].headers["range"] == "bytes=\(limit)-499999")
            #expect(requests[1].headers["if-range"] == file.entityTag)
        }
    }

    @Test(
        "loses no byte when a connection is cut before a slow reader has read it",
        arguments: [false, true]
    )
    func losesNothing(_ isTLS: Bool) async throws {
        let directory = TemporaryDirectory()
        try writeFile(TestCertificate.certificate, to: directory.path(of: "ca.pem"))
        let file = PatternFile(length: 5_000_000)
        let server = try await ScriptedServer.start(isTLS: isTLS) { request in
            guard request.index < 4 else { return file.answer(request) }
            let start = Int64(request.index) * 700_000
            return [file.answer(request)[0], .pattern(start..<(start + 700_000)), .close]
        }
        let transport = try NIOTransport(
            .init(caFile: directory.path(of: "ca.pem"), proxies: ProxySettings.none)
        )
        let url = server.url("/a.mp3", scheme: isTLS ? "https" : "http")
        var position: Int64 = 0
        for try await chunk in try await self.origin(url, transport).read(.whole) {
            #expect(chunk.range.lowerBound == position)
            #expect(PatternBytes.firstDifference(in: try chunk.bytes(), at: position) == nil)
            position = chunk.range.upperBound
            for _ in 0..<200 { await Task.yield() }
        }
        #expect(position == 5_000_000)
        let ranges = server.state.value.requests.map { $0.headers["range"] }
        let expected = [0, 700_000, 1_400_000, 2_100_000, 2_800_000].map {
            $0 == 0 ? "bytes=0-" : "bytes=\($0)-4999999"
        }
        #expect(ranges == expected)
        await transport.shutdown()
        await server.shutdown()
    }

    @Test("is resumed after a cut within the chunked coding")
    func resumesCutChunks() async throws {
        let file = PatternFile()
        try await self.with { request in
            guard request.index == 0 else { return file.answer(request) }
            let head =
                "HTTP/1.1 200 OK\r\nETag: \(file.entityTag)\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [.text(head), .chunkedPattern(0..<70_000), .text("ffff\r\nx"), .close]
        } _: { server, transport in
            let reading = try await self.origin(server.url("/a.mp3"), transport).read(.whole)
            #expect(reading.resource.length == nil)
            let error = await sourceError { _ = try await reading.collect() }
            // The first byte of the cut chunk was wrong, and the reader cannot detect that. It can
            // only check the generation.
            #expect(error == nil)
            #expect(server.state.value.requests.last?.headers["range"] == "bytes=70001-")
        }
    }

    @Test("of unknown length ends with the last chunk, or with its connection")
    func readsUnknownLength() async throws {
        let file = PatternFile(length: 100_000, isLengthKnown: false)
        try await self.with { request in
            guard request.target == "/close" else { return file.answer(request) }
            return [.text("HTTP/1.0 200 OK\r\n\r\n"), .pattern(0..<100_000), .close]
        } _: { server, transport in
            for (target, length) in [("/chunked", Int64?(100_000)), ("/close", nil)] {
                let origin = try self.origin(server.url(target), transport)
                let bytes = try await origin.read(.from(5)).collect()
                #expect(bytes == PatternBytes.bytes(in: 5..<100_000))
                #expect(origin.availability.length == length)
            }
        }
    }

    @Test(
        "that does not speak HTTP is refused",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
        ]
    )
    func refusesNonsense(_ text: String) async throws {
        try await self.with { _ in
            [.text(text), .close]
        } _: { server, transport in
            let error = await sourceError {
                _ = try await self.origin(server.url("/a.mp3"), transport).read(.whole)
            }
            #expect(error?.code == .badAnswer)
        }
    }

    @Test("that closes without a response is tried again, and then reported")
    func saysClosed() async throws {
        try await self.with { _ in
            [.close]
        } _: { server, transport in
            let error = await sourceError {
                _ = try await self.origin(server.url("/a.mp3"), transport).describe()
            }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("closed the connection again and again") == true)
            #expect(server.state.value.requests.count == 6)
        }
    }

    @Test("that has no listener is reported as unreachable")
    func saysRefused() async throws {
        try await self.with { _ in
            []
        } _: { server, transport in
            await server.shutdown()
            let error = await sourceError {
                _ = try await self.origin(server.url("/a.mp3"), transport).describe()
            }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("connection refused") == true)
            #expect(error?.host == "127.0.0.1:\(server.port)")
        }
    }

    @Test("that stalls is given up, and its connection is closed")
    func limitsStall() async throws {
        let file = PatternFile()
        try await self.with { request in
            switch request.index {
            case 0: [file.answer(request)[0], .pattern(0..<10_000), .stall]
            case 1: [.stall]
            default: file.answer(request)
            }
        } _: { server, transport in
            let clock = ManualClock()
            let requested = Watched(0)
            let origin = HTTPOrigin(
                url: try OriginURL(server.url("/a.mp3")),
                options: Self.options,
                transport: transport,
                clock: clock
            ) { event in
                if case .requested = event { requested.update { $0 += 1 } }
            }
            let reading = try await origin.read(.whole)
            let received = Watched(0)
            async let count = {
                for try await chunk in reading { received.update { $0 += chunk.count } }
                return received.value
            }()
            try await received.wait { $0 == 10_000 }
            // The loop wakes the watchdog of the body until the watchdog reports the silence. At
            // first, it may find no waiting consumer.
            while requested.value < 2 {
                try Task.checkCancellation()
                if let first = clock.remainingSleeps.first { clock.advance(by: first) }
                await Task.yield()
            }
            try await server.state.wait { $0.requests.count >= 2 }
            // The timer of the second request has 30 s. It may wake for the connection after 10 s:
            // this depends on whether the timer or the connection came first.
            var left = Duration.seconds(30)
            while received.value < 500_000 {
                try Task.checkCancellation()
                if left > .zero, let first = clock.remainingSleeps.first {
                    clock.advance(by: min(first, left))
                    left -= min(first, left)
                }
                await Task.yield()
            }
            #expect(try await count == 500_000)
            try await server.state.wait { $0.closed >= 2 }
        }
    }
}
