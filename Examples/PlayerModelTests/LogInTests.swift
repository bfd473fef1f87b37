// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayerModel
import Testing
import Weir
import WeirClouds
import WeirHTTP
import WeirNIOTransport
import WeirTestKit
import WeirTestServers

@Suite("From the log-in to the song, with a server that imitates Yandex")
@MainActor
struct LogInTests {
    private let folder = TemporaryDirectory()

    /// Agrees as a user would, and returns the address to which the service sends the browser.
    private static func agree(_ page: URL) async throws -> URL {
        let transport = try NIOTransport()
        let answer = try await transport.send(
            HTTPTransportRequest(url: OriginURL(page.absoluteString))
        )
        await transport.shutdown()
        return try #require(answer.headers["Location"].flatMap { URL(string: $0) })
    }

    @Test("Log in, list a folder, play a song of it, find it among the kept media")
    func wholeWay() async throws {
        let server = YandexDiskServer(files: [
            "disk:/Music/a.mp3": .pattern(length: 300_000)
        ])
        try await server.start()
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let session = SessionModel(
            library: library,
            store: MemoryTokenStore(),
            clientIdentifier: "weir-test-client",
            service: SessionModel.Service(
                api: URL(string: "\(server.apiURL)/"),
                endpoints: OAuthEndpoints(
                    authorization: try #require(URL(string: "\(server.oauthURL)/authorize")),
                    tokens: try #require(URL(string: "\(server.oauthURL)/token"))
                )
            )
        )
        await session.logIn(Self.agree)
        #expect(session.message == nil)
        let disk = try #require(session.disk)

        let music = FolderModel("/Music", in: disk)
        await music.load()
        #expect(music.message == nil)
        let song = try #require(music.items.first)
        #expect(song.tap == .plays)

        let media = disk.media(song)
        var count = 0
        for try await chunk in try await media.read(.whole) { count += chunk.count }
        #expect(count == 300_000)

        let storage = StorageModel(library)
        await storage.refresh()
        #expect(storage.items.map(\.title) == ["a.mp3"])

        await session.logOut()
        #expect(session.message == nil && session.disk == nil)
        await storage.refresh()
        #expect(storage.items.isEmpty)
        #expect(server.violations.isEmpty)
        await library.close()
        await server.shutdown()
    }
}
