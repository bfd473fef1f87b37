// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirAudio
import WeirHTTP
import WeirLive
import WeirNIOTransport
import WeirTestKit
import WeirTestServers

@Suite("A station over HTTP", .timeLimit(.minutes(1)))
struct StationOverHTTPTests {
    /// The sound and the titles of one stretch.
    private struct Stretch {
        var stretch: StreamStretch
        var audio: [UInt8] = []
        var titles: [String] = []
    }

    /// Options that reconnect at once, so that no test waits.
    private static func options(_ clock: any Clock<Duration> = ContinuousClock()) -> StationOptions
    {
        StationOptions(
            burst: .seconds(1_800),
            policy: ReconnectPolicy(delays: [.zero], answerLimit: .seconds(60), grace: .zero),
            seed: 1
        )
    }

    /// Runs a test with a station over a server, and checks that all connections end.
    private func with(
        _ server: RadioServer,
        _ address: (RadioServer) -> String = { $0.url },
        options: StationOptions = options(),
        _ test: (RadioServer, Station) async throws -> Void
    ) async throws {
        try await server.run { server in
            let transport = try OwnedStation(
                address(server),
                options: NIOTransport.Options(proxies: ProxySettings.none)
            )
            let station = Station(
                name: transport.display,
                transport: transport,
                options: options
            )
            do { try await test(server, station) } catch {
                await station.close()
                throw error
            }
            await station.close()
            try await server.wait { $0.allSatisfy(\.hasEnded) }
        }
    }

    /// Listens until it has `count` bytes of sound.
    private func hear(_ listener: StationListener, upTo count: Int) async throws -> [Stretch] {
        var stretches: [Stretch] = []
        var heard = 0
        while heard < count, let piece = try await listener.next() {
            switch piece {
            case .stretch(let stretch):
                stretches.append(Stretch(stretch: stretch))
            case .audio(let bytes):
                heard += bytes.count
                if !stretches.isEmpty { stretches[stretches.count - 1].audio += bytes.array }
            case .metadata(let metadata):
                guard !stretches.isEmpty, let title = metadata.title else { continue }
                stretches[stretches.count - 1].titles.append(title)
            }
        }
        listener.cancel()
        return stretches
    }

    @Test(
        "is heard to the byte over every end of its connection",
        arguments: [
            "metaint=8192", "icy+lf+tight", "chunked+portions=999", "redirect=/1+icy+latin1",
        ]
    )
    func reconnects(_ behaviour: String) async throws {
        let server = RadioScene.server(
            "\(behaviour)+cut=100003*3",
            "\(behaviour)+stall=300000",
            titles: [RadioTitle(at: 0, "Größe"), RadioTitle(at: 150_000, "Two")],
            start: .following
        )
        try await self.with(server) { server, station in
            let stretches = try await self.hear(station.listen(), upTo: 480_000)
            let connections = server.record.filter { $0.status == 200 }
            #expect(stretches.count == 4 && connections.count == 4)
            for (stretch, connection) in zip(stretches, connections) {
                let sound = server.audio(of: connection)
                // A listener that joins in the middle of a frame gets the sound from the next frame on. It may get
                // bytes before the server has recorded them as sent.
                let isPart = (0..<2_000).contains {
                    let sent = sound.dropFirst($0)
                    return sent.starts(with: stretch.audio.prefix(sent.count))
                }
                #expect(isPart, "\(Self.difference(stretch.audio, sound))")
                #expect(stretch.audio.count >= 97_000)
            }
            #expect(stretches.first?.stretch.cause == .joined)
            #expect(stretches.first?.titles.first == "Größe")
            #expect(stretches.contains { $0.titles.contains("Two") })
            #expect(station.status.reconnects == 3)
            #expect(station.status.info?.headers.name == "Weir Test Radio")
        }
    }

    /// Describes where the received bytes stop matching the sent bytes, and where the next bytes match again.
    private static func difference(_ heard: [UInt8], _ sent: [UInt8]) -> String {
        let first = (0..<2_000).map { offset -> (count: Int, offset: Int) in
            (zip(heard, sent.dropFirst(offset)).prefix { $0 == $1 }.count, offset)
        }.max { $0.count < $1.count }
        guard let first else { return "nothing" }
        let rest = Array(heard.dropFirst(first.count).prefix(64))
        let place = (0..<max(0, sent.count - 64)).first { sent[$0..<$0 + 64].elementsEqual(rest) }
        return
            "\(heard.count) heard of \(sent.count), equal from \(first.offset) for \(first.count), and then from \(place ?? -1)"
    }

    @Test("is found through its playlists, even without their first entry")
    func playlists() async throws {
        for address in [{ $0.plsURL }, { $0.m3uURL }] as [@Sendable (RadioServer) -> String] {
            let server = RadioScene.server("stall=200000", entries: ["/missing", "/stream"])
            try await self.with(server, address) { server, station in
                let stretches = try await self.hear(station.listen(), upTo: 190_000)
                let heard = stretches.flatMap(\.audio)
                let connection = try #require(server.record.first { $0.target == "/stream" })
                // A listener may get bytes before the server has recorded them as sent.
                let sent = server.audio(of: connection)
                let isSame = heard.starts(with: sent.prefix(heard.count))
                #expect(isSame && sent.count >= 100_000)
            }
        }
    }

    @Test(
        "survives any content in the place of sound",
        arguments: [
            "page", "half-head", "status=500", "status=503", "cut=0", "icy+status=401",
            "status=404",
        ]
    )
    func getsOver(_ trouble: String) async throws {
        try await self.with(RadioScene.server(trouble, "stall=100000")) { server, station in
            let stretches = try await self.hear(station.listen(), upTo: 90_000)
            #expect(stretches.count == 1)
            #expect(server.record.count == 2)
        }
    }

    @Test("survives refused connections")
    func getsOverRefusal() async throws {
        try await self.with(RadioScene.server("stall=100000")) { server, station in
            await server.refuse()
            let listener = station.listen()
            for await status in station.statusChanges() where status.attempt >= 3 { break }
            try await server.listen()
            #expect(try await self.hear(listener, upTo: 90_000).count == 1)
        }
    }

    @Test("skips garbage, and plays the sound behind it")
    func garbage() async throws {
        try await self.with(RadioScene.server("garbage=102400+stall=302400")) { server, station in
            let audio = try await self.hear(station.listen(), upTo: 190_000).flatMap(\.audio)
            let sound = RadioScene.mp3(frames: 300)
            let mark = Array(sound[..<5_000])
            let place = (0..<max(0, audio.count - 5_000)).first {
                audio[$0] == 0xFF && Array(audio[$0..<($0 + 5_000)]) == mark
            }
            #expect(place != nil)
            #expect(server.record.count == 1)
        }
    }

    @Test(
        "ends after repeated refusals, and gives the reason",
        arguments: ["403", "404", "410"]
    )
    func givesUp(_ status: String) async throws {
        try await self.with(RadioScene.server("status=\(status)")) { server, station in
            let listener = station.listen()
            let loss = await #expect(throws: StationError.self) {
                while try await listener.next() != nil {}
            }
            #expect(loss?.code == .refused)
            #expect(server.record.count == 2)
        }
    }

    @Test("leaves its server with its last listener, and when it is closed")
    func leaves() async throws {
        try await self.with(RadioScene.server("stall=20000")) { server, station in
            _ = try await self.hear(station.listen(), upTo: 15_000)
            try await server.wait { $0.first?.hasEnded == true }
            let listener = station.listen()
            try await server.wait { $0.count == 2 && $0[1].audioBytesSent == 20_000 }
            await station.close()
            try await server.wait { $0.allSatisfy(\.hasEnded) }
            #expect(try await listener.next() == nil)
        }
    }

    @Test("of a library shares its connections and its counts, and sends no request offline")
    func library() async throws {
        let directory = TemporaryDirectory()
        var options = MediaLibrary.Configuration(directory: directory.path(of: "cache"))
        options.transport.proxies = ProxySettings.none
        options.headers["X-All"] = "a"
        let library = try MediaLibrary(options)
        try await RadioScene.server("stall=20000").run { server in
            let station = try library.station(
                try #require(URL(string: server.url)),
                name: "One",
                headers: ["X-Key": "k"],
                options: Self.options()
            )
            #expect(station.name == "One")
            _ = try await self.hear(station.listen(), upTo: 15_000)
            await station.close()
            let connection = try #require(server.record.first)
            #expect(connection.header("X-Key") == "k")
            #expect(connection.header("X-All") == "a")
            #expect(library.totals.snapshot.receivedBytes >= 15_000)
            await library.close()
            try await server.wait { $0.allSatisfy(\.hasEnded) }
        }
        options.isOffline = true
        let offline = try MediaLibrary(options)
        let url = try #require(URL(string: "http://radio.example:8000"))
        let error = await radioError { _ = try offline.station(url) }
        #expect(error?.code == .offline)
        await offline.close()
    }
}
