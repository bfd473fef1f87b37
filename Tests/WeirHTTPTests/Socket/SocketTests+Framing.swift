// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers

extension SocketTests {
    /// Reads the whole resource twice from a server with these header fields; returns the count of opened connections.
    private func read(_ head: String, _ body: [ScriptedServer.Step]) async throws -> Int {
        var opened = 0
        try await self.with { _ in
            [.text("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n")] + body
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            for _ in 0..<2 {
                let bytes = try await origin.read(.whole).collect()
                #expect(bytes == PatternBytes.bytes(in: 0..<1_000))
            }
            opened = server.state.value.opened
        }
        return opened
    }

    @Test("with one length sent twice is read, and keeps its connection")
    func lengthTwice() async throws {
        for head in ["Content-Length: 1000\r\nContent-Length: 1000", "Content-Length: 1000, 1000"] {
            #expect(try await self.read(head, [.pattern(0..<1_000)]) == 1)
        }
    }

    @Test("with chunks and a length is read by its chunks, and its connection is not used again")
    func chunksBesideLength() async throws {
        let head = "Content-Length: 7\r\nTransfer-Encoding: chunked"
        let body: [ScriptedServer.Step] = [.chunkedPattern(0..<1_000), .text("0\r\n\r\n")]
        #expect(try await self.read(head, body) == 2)
        #expect(try await self.read("Transfer-Encoding: chunked", body) == 1)
    }

    @Test("with two lengths is refused with the field's name and both values")
    func twoLengths() async throws {
        try await self.with { _ in
            [
                .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello"),
                .stall,
            ]
        } _: { server, transport in
            let origin = try self.origin(server.url("/a.mp3"), transport)
            let error = await sourceError { _ = try await origin.read(.whole) }
            #expect(error?.code == .badAnswer)
            #expect(error?.message.contains("Content-Length: 5, 7, which contradicts") == true)
        }
    }
}
