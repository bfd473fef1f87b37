// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers
import WeirURLSession

@Suite("A body over URLSession", .timeLimit(.minutes(1)))
struct FlowTests {
    @Test("is read whole, byte for byte, over one connection, over and over")
    func readsWhole() async throws {
        let file = PatternFile(length: 1_000_001)
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            for _ in 0..<3 {
                let bytes = try await rig.origin("/a.mp3").read(.whole).collect()
                #expect(PatternBytes.firstDifference(in: bytes, at: 0) == nil)
                #expect(bytes.count == 1_000_001)
            }
            #expect(rig.server.state.value.requests.count == 3)
            #expect(rig.server.state.value.opened == 1)
        }
    }

    @Test("that no consumer pulls is aborted at its bound, and read on from there without a gap")
    func boundsBacklog() async throws {
        let file = PatternFile(length: 64 << 20)
        let backlog: Int64 = 1 << 20
        // The capacity of the system's buffers at both ends of a loopback connection.
        let buffers: Int64 = 16 << 20
        let transport = URLSessionTransport(.init(backlog: Int(backlog)))
        try await Rig.with(transport: transport) {
            file.answer($0)
        } _: { rig in
            let reading = try await rig.origin("/a.mp3").read(.whole)
            // No consumer pulls; the server's end closes because the transport has cancelled the connection.
            try await rig.server.state.wait { $0.closed == 1 }
            #expect(rig.server.state.value.written <= backlog + buffers)
            var position: Int64 = 0
            for try await chunk in reading {
                #expect(PatternBytes.firstDifference(in: try chunk.bytes(), at: position) == nil)
                position = chunk.range.upperBound
                if position >= 3 << 20 { break }
            }
            let requests = rig.server.state.value.requests
            let resumed = try #require(requests.dropFirst().first?.headers["range"])
            let start = try #require(Int64(resumed.dropFirst(6).prefix { $0 != "-" }))
            #expect((1...backlog).contains(start))
            #expect(requests.dropFirst().first?.headers["if-range"] == file.entityTag)
        }
    }

    @Test("rests for any time while it fits into the bound")
    func rests() async throws {
        let file = PatternFile(length: 1_000_000)
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            let origin = try rig.origin("/a.mp3")
            var resting: [ByteReading] = []
            for _ in 0..<8 { resting.append(try await origin.read(.whole)) }
            #expect(try await origin.read(.suffix(3)).collect().count == 3)
            for reading in resting { #expect(try await reading.collect().count == 1_000_000) }
            #expect(rig.server.state.value.requests.count == 9)
        }
    }

    @Test("loses its connection when it is dropped or cancelled midway")
    func closes() async throws {
        let file = PatternFile(length: 64 << 20)
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            do {
                let dropped = try await rig.send("/a")
                _ = try await dropped.body.next()
            }
            try await rig.server.state.wait { $0.closed == 1 }
            let cancelled = try await rig.send("/a")
            cancelled.body.cancel()
            cancelled.body.cancel()
            try await rig.server.state.wait { $0.closed == 2 }
            let error = await failure(CancellationError.self) {
                _ = try await cancelled.body.next()
            }
            #expect(error != nil)
        }
    }

    @Test("ends at once for a task that is cancelled while it waits, for the header or for more")
    func cancels() async throws {
        try await Rig.with { request in
            request.target == "/head"
                ? [.stall] : [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .stall]
        } _: { rig in
            let head = Task { _ = try await rig.send("/head") }
            try await rig.server.state.wait { $0.requests.count == 1 }
            head.cancel()
            #expect(await failure(CancellationError.self) { try await head.value } != nil)
            try await rig.server.state.wait { $0.closed == 1 }
            let answer = try await rig.send("/body")
            _ = try await answer.body.next()
            let more = Task { _ = try await answer.body.next() }
            more.cancel()
            #expect(await failure(CancellationError.self) { try await more.value } != nil)
            try await rig.server.state.wait { $0.closed == 2 }
        }
    }

    @Test("keeps its connection when its reader leaves with the last byte")
    func keepsConnection() async throws {
        let file = PatternFile()
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            for _ in 0..<10 {
                let iterator = try await rig.origin("/a.mp3").read(.span(0..<1_000))
                    .makeAsyncIterator()
                var count = 0
                while count < 1_000 { count += try await iterator.next()?.count ?? 1_000 }
                #expect(count == 1_000)
            }
            #expect(rig.server.state.value.requests.count == 10)
            #expect(rig.server.state.value.closed == 0)
        }
    }

    @Test("is resumed at the byte after a body that was cut")
    func resumes() async throws {
        let file = PatternFile()
        try await Rig.with { request in
            guard request.index == 0 else { return file.answer(request) }
            return [file.answer(request)[0], .pattern(0..<200_000), .close]
        } _: { rig in
            let bytes = try await rig.origin("/a.mp3").read(.whole).collect()
            #expect(bytes == PatternBytes.bytes(in: 0..<500_000))
            let ranges = rig.server.state.value.requests.map { $0.headers["range"] }
            #expect(ranges == ["bytes=0-", "bytes=200000-499999"])
        }
    }

    @Test("ends as closed when the transport shuts down, and so do later requests")
    func shutsDown() async throws {
        let file = PatternFile(length: 64 << 20)
        try await Rig.with {
            file.answer($0)
        } _: { rig in
            let answer = try await rig.send("/a")
            await rig.transport.shutdown()
            await rig.transport.shutdown()
            let during = await failure { _ = try await answer.body.collect() }
            #expect(during?.code == .closed)
            try await rig.server.state.wait { $0.closed == 1 }
            let later = await failure { _ = try await rig.send("/a") }
            #expect(later?.code == .closed)
        }
    }

    @Test("comes to its end although its transport was dropped")
    func outlivesTransport() async throws {
        let file = PatternFile()
        let server = try await ScriptedServer.start { file.answer($0) }
        let body = try await URLSessionTransport().send(
            HTTPTransportRequest(url: try OriginURL(server.url("/a")))
        ).body
        #expect(try await body.collect().count == 500_000)
        await server.shutdown()
    }

    @Test("has no token in its errors")
    func keepsSecrets() async throws {
        try await Rig.with { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close]
        } _: { rig in
            var options = HTTPOrigin.Options(retry: .never)
            options.headers.append(try HTTPHeader(name: "Authorization", value: "OAuth secret1"))
            let origin = HTTPOrigin(
                url: try OriginURL(rig.server.url("/a?sig=secret2")),
                options: options,
                transport: rig.transport
            )
            let error = await failure(SourceError.self) {
                _ = try await origin.read(.whole).collect()
            }
            #expect(
                rig.server.state.value.requests.first?.headers["authorization"] == "OAuth secret1"
            )
            var text = "\(error as Any)"
            dump(error, to: &text)
            #expect(error != nil && !text.contains("secret"))
        }
    }
}
