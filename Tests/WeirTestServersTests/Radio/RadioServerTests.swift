// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("A station on sockets", .timeLimit(.minutes(5)))
struct RadioServerTests {
    private static let length: Int64 = 200_003

    private func server(_ behaviours: String..., start: RadioStart = .beginning) -> RadioServer {
        RadioServer(
            RadioProgramme(
                [RadioFile(.pattern(length: Self.length))],
                titles: [RadioTitle(at: 0, "One")],
                start: start
            ),
            behaviours: behaviours.compactMap { RadioBehaviour($0) }
        )
    }

    private func port(_ server: RadioServer) throws -> Int {
        try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
    }

    @Test("sends the bytes that its record counts")
    func sends() async throws {
        try await self.server("cut=300001+portions=1/7/4096").run { server in
            let listener = try await RadioListener(try self.port(server), "/live?a=b")
            let body = try await listener.body()
            #expect(body.count == 300_001)
            try await server.wait { $0.first?.hasEnded == true }
            let connection = try #require(server.record.first)
            #expect(connection.audioBytesSent == 300_001)
            #expect(connection.target == "/live?a=b")
            #expect(connection.header("host") == "a")
            let head = try await listener.head()
            #expect(connection.sentByteCount == 300_001 + Int64(head.utf8.count))
            let isSame = server.audio(of: connection) == body
            #expect(isSame)
            #expect(PatternBytes.firstDifference(in: body.prefix(Int(Self.length)), at: 0) == nil)
        }
    }

    @Test("puts titles between the sound, and not into the record of the sound")
    func titles() async throws {
        try await self.server("icy+metaint=100+cut=1000").run { server in
            let listener = try await RadioListener(try self.port(server), hasTitles: true)
            #expect(try await listener.head().hasPrefix("ICY 200 OK\r\n"))
            let body = try await listener.body()
            #expect(body.count > 1_000 && body[100] == 2)
            try await server.wait { $0.first?.hasEnded == true }
            let sound = server.audio(of: server.record[0])
            #expect(sound.count == 1_000)
            let isAround = sound[..<100] == body[..<100] && sound[100..<200] == body[133..<233]
            #expect(isAround)
        }
    }

    @Test("continues on the next connection where the last one ended")
    func follows() async throws {
        try await self.server("cut=1000", "garbage=50+cut=150", "cut=10", start: .following).run {
            server in
            var bodies: [[UInt8]] = []
            for _ in 0..<3 {
                bodies.append(try await RadioListener(try self.port(server)).body())
                let count = bodies.count
                try await server.wait { $0.count == count && $0.allSatisfy(\.hasEnded) }
            }
            #expect(server.record.map(\.audioStart) == [0, 1_000, 1_100])
            #expect(Array(bodies[1].dropFirst(50)) == PatternBytes.bytes(in: 1_000..<1_100))
            #expect(bodies[2] == PatternBytes.bytes(in: 1_100..<1_110))
        }
    }

    @Test("ends the connection of a client that leaves")
    func leaves() async throws {
        try await self.server("plain").run { server in
            let listener = try await RadioListener(try self.port(server))
            _ = try await listener.body(upTo: 1_000)
            try await listener.leave()
            try await server.wait { $0.first?.hasEnded == true }
        }
    }

    @Test("refuses connections, and accepts them again at the same port")
    func refuses() async throws {
        try await self.server("cut=5").run { server in
            let port = try self.port(server)
            await server.refuse()
            #expect(!server.isListening)
            await #expect(throws: (any Error).self) { _ = try await RadioListener(port) }
            try await server.listen()
            #expect(server.isListening)
            #expect(try self.port(server) == port)
            #expect(try await RadioListener(port).body().count == 5)
            #expect(server.record.count == 1)
        }
    }

    @Test("refuses connections for a while after one with that behaviour")
    func refusesLater() async throws {
        try await self.server("cut=5+refuse=0", "cut=6").run { server in
            let port = try self.port(server)
            async let refusing: Void = server.state.wait { !$0.isListening }
            #expect(try await RadioListener(port).body().count == 5)
            try await refusing
            try await server.state.wait { $0.isListening }
            #expect(try await RadioListener(port).body().count == 6)
        }
    }

    @Test("is silent until a call ends the stall, and closes its connections on a call")
    func stalls() async throws {
        try await self.server("stall=1000").run { server in
            let listener = try await RadioListener(try self.port(server))
            #expect(try await listener.body(upTo: 1_000).count == 1_000)
            try await server.wait { $0.first?.audioBytesSent == 1_000 }
            server.endStalls()
            #expect(try await listener.body(upTo: 50_000).count == 50_000)
            server.closeConnections()
            try await listener.state.wait { $0.isClosed }
        }
    }

    @Test("ends the connection after half a header, and after a page")
    func halfHead() async throws {
        try await self.server("half-head", "page").run { server in
            let half = try await RadioListener(try self.port(server))
            #expect(try await half.body().isEmpty)
            #expect(half.state.value.bytes.starts(with: Array("HTTP/1.0 200".utf8)))
            let page = try await RadioListener(try self.port(server))
            #expect(try await page.head().contains("Content-Type: text/html"))
            #expect(String(decoding: try await page.body(), as: UTF8.self).contains("<html>"))
        }
    }

    @Test("expires tokens by the test's own clock")
    func tokens() async throws {
        let clock = Watched(1_000.0)
        let server = RadioServer(
            RadioProgramme([RadioFile(.pattern(length: 10))]),
            behaviours: [RadioBehaviour(.redirect(life: 5), .cut(after: 5))],
            now: { clock.value }
        )
        try await server.run { server in
            let port = try self.port(server)
            #expect(try await RadioListener(port).head().contains("/token/1\r\n"))
            #expect(try await RadioListener(port, "/token/1").body().count == 5)
            clock.update { $0 += 5 }
            #expect(try await RadioListener(port, "/token/1").head().hasPrefix("HTTP/1.0 403"))
        }
    }

    @Test("shows other programs the record, and lets them set the behaviours")
    func control() async throws {
        let server = self.server("cut=100")
        try await server.start(withControl: true)
        let control = try #require(
            server.controlURL?.split(separator: ":").last.flatMap { Int($0) }
        )
        #expect(try await RadioListener(try self.port(server)).body().count == 100)
        try await server.wait { $0.first?.hasEnded == true }
        let record = try await RadioListener(control, "/_record").body(upTo: 100)
        #expect(String(decoding: record, as: UTF8.self).hasPrefix("[{\"audioBytesSent\":100,"))
        let audio = try await RadioListener(control, "/_audio?0").body(upTo: 100)
        #expect(audio == PatternBytes.bytes(in: 0..<100))
        let behaviour = try await RadioListener(control, "/_behaviour").body(upTo: 11)
        #expect(String(decoding: behaviour, as: UTF8.self) == #"["cut=100"]"#)
        await server.shutdown()
    }
}
