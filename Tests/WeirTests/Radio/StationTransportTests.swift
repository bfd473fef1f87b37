// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirAudio
import WeirHTTP
import WeirLive
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("The transport of a station", .timeLimit(.minutes(1)))
struct StationTransportTests {
    /// Runs a test with a transport to a station.
    private func with(
        _ server: RadioServer,
        _ address: (RadioServer) -> String = { $0.url },
        _ test: (RadioServer, OwnedStation) async throws -> Void
    ) async throws {
        try await server.run { server in
            let transport = try OwnedStation(
                address(server),
                options: NIOTransport.Options(proxies: ProxySettings.none)
            )
            do { try await test(server, transport) } catch {
                await transport.close()
                throw error
            }
            await transport.close()
        }
    }

    @Test(
        "gives the sound that was sent, whatever the behaviour of the station",
        arguments: [
            "metaint=8192", "icy", "http11", "chunked", "icy+lf", "icy+lf+tight", "loose",
            "lf+loose+latin1",
            "icy+portions=1/7/300", "chunked+portions=1/2/300", "http11+metaint=0",
            "garbage=102400",
            "change=30000", "icy+metaint=65536", "redirect=/1", "redirect=60",
        ]
    )
    func hears(_ behaviour: String) async throws {
        let titles = [RadioTitle(at: 0, "Café; 'n' Bar"), RadioTitle(at: 60_000, "Two")]
        let server = RadioScene.server("\(behaviour)+cut=150001", titles: titles)
        try await self.with(server) { server, transport in
            let answer = try await transport.connect(to: .station)
            #expect(answer.mediaType == "audio/mpeg")
            let heard = try await RadioScene.hear(answer)
            try await server.wait { $0.last?.hasEnded == true }
            let connection = try #require(server.record.last)
            #expect(connection.audioBytesSent == 150_001)
            #expect(connection.header("Icy-MetaData") == "1")
            #expect(heard.audio.count == 150_001)
            let isSame = heard.audio == server.audio(of: connection)
            #expect(isSame)
            // The chunked coding marks its end; this server cuts the connection before that mark.
            #expect(heard.error?.code == (behaviour.contains("chunked") ? .unreachable : nil))
            guard !behaviour.contains("metaint=0") else { return }
            let interval = Int64(behaviour.contains("metaint=65536") ? 65_536 : 8_192)
            let places = titles.map { max($0.offset, 1) }
                .map { ($0 + interval - 1) / interval * interval }
            let told = places[0] == places[1] ? [titles[1]] : titles
            #expect(heard.titles.map(\.0) == (told.count == 1 ? [places[1]] : places))
            #expect(heard.titles.map(\.1) == told.map(\.text))
        }
    }

    @Test(
        "finds titles at every interval, in both codings, across any chunk boundary",
        arguments: [1, 16, 255, 8_192]
    )
    func titles(_ interval: Int) async throws {
        let titles = (0..<20).map {
            RadioTitle(
                at: Int64($0) * (interval == 1 ? 90 : 9_000),
                "Größe \($0) " + String(repeating: "x", count: $0 * 7)
            )
        }
        for coding in ["", "+latin1"] {
            let count = interval == 1 ? 1_500 : 60_000
            let server = RadioScene.server(
                "chunked+portions=1/5/13/400\(coding)+metaint=\(interval)+cut=\(count)",
                titles: titles
            )
            try await self.with(server) { server, transport in
                let heard = try await RadioScene.hear(try await transport.connect(to: .station))
                #expect(heard.audio.count == count)
                let places = titles.map {
                    (max($0.offset, 1) + Int64(interval) - 1) / Int64(interval) * Int64(interval)
                }
                let due = places.indices.filter { places[$0] < count }
                #expect(heard.titles.map(\.0) == due.map { places[$0] })
                let isSame = heard.titles.map(\.1) == due.map { titles[$0].text }
                #expect(isSame)
            }
        }
    }

    @Test("asks the station's own address each time, since tokens expire")
    func tokens() async throws {
        let server = RadioScene.server("redirect=/1+cut=1000")
        try await self.with(server) { server, transport in
            for _ in 1...3 {
                let answer = try await transport.connect(to: .station)
                #expect(try await RadioScene.hear(answer).audio.count == 1_000)
                #expect(answer.display == "\(server.url)/…")
            }
            #expect(
                server.record.map(\.target) == ["/", "/token/1", "/", "/token/2", "/", "/token/3"]
            )
            // The address from the redirect is valid only once.
            let stale = try OwnedStation(
                "\(server.url)/token/1",
                options: NIOTransport.Options(proxies: ProxySettings.none)
            )
            let error = await radioError { _ = try await stale.connect(to: .station) }
            #expect(error?.code == .forbidden)
            await stale.close()
        }
    }

    @Test(
        "gives the reason when there is no sound",
        arguments: [
            ("status=401", SourceError.Code.unauthorized), ("status=403", .forbidden),
            ("status=404", .notFound), ("status=410", .notFound), ("status=503/20", .throttled),
            ("status=429", .throttled), ("status=500", .originFailed),
            ("icy+status=404", .notFound),
            ("icy+lf+status=401", .throttled), ("half-head", .unreachable),
            ("icy+lf+half-head", .unreachable),
        ]
    )
    func refusals(_ behaviour: String, _ code: SourceError.Code) async throws {
        try await self.with(RadioScene.server(behaviour)) { server, transport in
            let error = await radioError { _ = try await transport.connect(to: .station) }
            #expect(error?.code == code)
            try await server.wait { $0.allSatisfy(\.hasEnded) }
        }
    }

    @Test("gives the wait that a station asks for")
    func patience() async throws {
        try await self.with(RadioScene.server("status=503/20")) { _, transport in
            let error = await radioError { _ = try await transport.connect(to: .station) }
            #expect(error?.code == .throttled)
            #expect(error?.cause as? StationPatience == StationPatience(delay: .seconds(20)))
        }
    }

    @Test("reports a server that does not listen as unreachable, and connects later")
    func refusing() async throws {
        try await self.with(RadioScene.server("cut=1000")) { server, transport in
            await server.refuse()
            let error = await radioError { _ = try await transport.connect(to: .station) }
            #expect(error?.code == .unreachable)
            try await server.listen()
            let answer = try await transport.connect(to: .station)
            #expect(try await RadioScene.hear(answer).audio.count == 1_000)
        }
    }

    @Test("gives a page and playlists unchanged, and finds their entries")
    func playlists() async throws {
        let server = RadioScene.server("cut=500", entries: ["/missing", "/stream"])
        try await self.with(server, \.m3uURL) { server, transport in
            let list = try await transport.connect(to: .station)
            #expect(list.mediaType == "audio/x-mpegurl")
            let text = String(decoding: try await RadioScene.hear(list).audio, as: UTF8.self)
            #expect(text.contains("\nmissing\n"))
            let error = await radioError { _ = try await transport.connect(to: .entry("missing")) }
            #expect(error?.code == .notFound)
            let answer = try await transport.connect(to: .entry("stream"))
            #expect(try await RadioScene.hear(answer).audio.count == 500)
            server.behaviours = [RadioBehaviour(.page)]
            let page = try await transport.connect(to: .entry("stream"))
            #expect(page.mediaType == "text/html")
        }
    }

    @Test("leaves a silent station at once, in mid-sound and before its header")
    func leaves() async throws {
        try await self.with(RadioScene.server("stall=5000")) { server, transport in
            let answer = try await transport.connect(to: .station)
            let silent = Gate()
            let listener = Task {
                var count = 0
                while let bytes = try await answer.body.next() {
                    count += bytes.count
                    if count == 5_000 { silent.open() }
                }
            }
            try await silent.wait()
            listener.cancel()
            await #expect(throws: CancellationError.self) { try await listener.value }
            try await server.wait { $0.first?.hasEnded == true }

            let other = try await transport.connect(to: .station)
            other.body.cancel()
            try await server.wait { $0.count == 2 && $0.allSatisfy(\.hasEnded) }
        }
    }

    @Test("leaves no connection when it is dropped or closed")
    func drops() async throws {
        let options = NIOTransport.Options(proxies: ProxySettings.none)
        try await RadioScene.server("stall=5000").run { server in
            func hear() async throws {
                let transport = try OwnedStation(server.url, options: options)
                let answer = try await transport.connect(to: .station)
                _ = try await answer.body.next()
            }
            try await hear()
            try await server.wait { $0.first?.hasEnded == true }

            let transport = try OwnedStation(server.url, options: options)
            let answer = try await transport.connect(to: .station)
            _ = try await answer.body.next()
            await transport.close()
            try await server.wait { $0.count == 2 && $0.allSatisfy(\.hasEnded) }
            let error = await radioError { _ = try await transport.connect(to: .station) }
            #expect(error?.code == .closed)
        }
    }

    @Test("refuses an impossible address or header before any request")
    func addresses() async {
        #expect(
            await radioError { _ = try OwnedStation("radio.example") }?.code
                == .invalidRequest
        )
        #expect(
            await radioError { _ = try OwnedStation("http://h/", headers: ["nonsense"]) }?
                .code
                == .invalidRequest
        )
        #expect(
            (try? OwnedStation("http://u:secret@radio.example:8000?key=1"))?.display
                == "http://radio.example:8000/"
        )
    }
}
