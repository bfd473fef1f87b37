// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirHTTP
import WeirLive
import WeirNIOTransport
import WeirProxy
import WeirTestKit
import WeirTestServers

@Suite("A station behind the proxy", .timeLimit(.minutes(1)))
struct StationBehindProxyTests {
    /// Finds the only station, at its only path.
    private struct Router: ProxyRouter {
        let station: StationSource

        func source(for target: String) -> (any ByteSource)? {
            target == "/stream" ? self.station : nil
        }
    }

    /// A test's station, with a proxy in front of it.
    private struct Scene {
        let server: RadioServer
        let station: Station
        let port: Int
    }

    /// A long burst gives new players all received bytes; long limits keep a silent server connected.
    private static var options: StationOptions {
        StationOptions(
            burst: .seconds(1_800),
            policy: ReconnectPolicy(
                delays: [.zero],
                silenceLimit: .seconds(600),
                muteLimit: .seconds(600)
            ),
            seed: nil
        )
    }

    /// Runs a test with a station behind a proxy, and checks that all connections end.
    private func with(
        _ server: RadioServer,
        _ test: (Scene) async throws -> Void
    ) async throws {
        try await server.run { server in
            let transport = try OwnedStation(
                server.url,
                options: NIOTransport.Options(proxies: ProxySettings.none)
            )
            let station = Station(name: "Radio", transport: transport, options: Self.options)
            let proxy = try await ProxyServer.start(
                ProxyConfiguration(secret: nil),
                router: Router(station: StationSource(station))
            )
            var failure: (any Error)?
            do {
                try await test(Scene(server: server, station: station, port: proxy.port))
            } catch { failure = error }
            await proxy.shutdown()
            await station.close()
            if let failure { throw failure }
            try await server.wait { $0.allSatisfy(\.hasEnded) }
        }
    }

    /// The bytes of a chunked body's complete chunks.
    private func unchunked(_ body: [UInt8]) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), body[...])
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
            size > 0, rest[end.upperBound...].count >= size + 2
        {
            bytes += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return bytes
    }

    @Test("two players and a recording share one connection, which ends when all have left")
    func shares() async throws {
        let folder = TemporaryDirectory()
        let titles = [RadioTitle(at: 0, "One"), RadioTitle(at: 120_000, "Two")]
        try await self.with(RadioScene.server("stall=200000", titles: titles)) { scene in
            let path = folder.path(of: "recordings")
            let recording = try scene.station.record(into: URL(filePath: path))
            let players = [
                try await PlainClient.connect(to: scene.port),
                try await PlainClient.connect(to: scene.port),
            ]
            for (player, fields) in zip(players, [[], ["Range: bytes=0-"]]) {
                try await player.send("/stream", fields)
            }
            for player in players { try await player.waitForBytes(150_000) }
            // The file of the first title is complete when the second title begins.
            var recorded: Int64 = 0
            for await case .ended(_, _, let count) in recording.events() {
                recorded = count
                break
            }
            #expect(recorded > 100_000)
            #expect(scene.server.record.count == 1)
            for player in players { await player.close() }
            await recording.stop()
            try await scene.server.wait { $0.allSatisfy(\.hasEnded) }
            #expect(scene.server.record.count == 1)
            #expect(scene.station.status.reconnects == 0)
        }
    }

    @Test(
        "a player gets the sound, without titles and without an end, whatever range it requests",
        arguments: [[], ["Range: bytes=0-"], ["Range: bytes=0-1"], ["Range: bytes=500-"]]
    )
    func answers(_ fields: [String]) async throws {
        let titles = [RadioTitle(at: 0, "One")]
        try await self.with(RadioScene.server("stall=200000", titles: titles)) { scene in
            let player = try await PlainClient.connect(to: scene.port)
            try await player.send("/stream", fields)
            try await player.waitForBytes(150_000)
            await player.close()
            let response = try await player.response()
            #expect(response.status == 200)
            #expect(response.fields["content-type"] == "audio/mpeg")
            #expect(response.fields["transfer-encoding"] == "chunked")
            #expect(response.fields["content-length"] == nil)
            #expect(response.fields["content-range"] == nil)
            let sound = self.unchunked(response.body)
            let sent = scene.server.audio(of: try #require(scene.server.record.first))
            #expect(sound.count > 100_000)
            // The frames are numbered, so the sound matches at one place only.
            let isPart = (0..<20).contains { frame in
                sent.dropFirst(frame * 417).starts(with: sound.prefix(100_000))
            }
            #expect(isPart)
        }
    }

    @Test("a HEAD gets its answer with the first sound, and leaves the station")
    func head() async throws {
        try await self.with(RadioScene.server("stall=200000")) { scene in
            let response = try await PlainClient.ask(scene.port, "/stream", method: "HEAD")
            #expect(response.status == 200)
            #expect(response.fields["content-type"] == "audio/mpeg")
            #expect(response.body.isEmpty)
            try await scene.server.wait { $0.last?.hasEnded == true }
            let again = try await PlainClient.ask(scene.port, "/stream", method: "HEAD")
            #expect(again.status == 200)
            #expect(scene.server.record.count == 1)
        }
    }

    @Test(
        "a station that has failed gives the player the same status as an origin",
        arguments: [("status=404", 404), ("status=403", 403), ("status=410", 410)]
    )
    func givenUp(_ behaviour: String, _ status: Int) async throws {
        try await self.with(RadioScene.server(behaviour)) { scene in
            for method in ["GET", "HEAD"] {
                let response = try await PlainClient.ask(scene.port, "/stream", method: method)
                #expect(response.status == status)
            }
            #expect(try await PlainClient.ask(scene.port, "/other").status == 404)
        }
    }
}
