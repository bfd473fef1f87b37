// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCipher
import WeirClouds
import WeirPlayer
import WeirTestKit
import WeirTestServers

@Suite("The snippets of the README")
struct ReadmeSnippetTests {
    /// Takes what a player would play.
    private final class ForeignPlayer {
        private(set) var byteCount = 0
        private(set) var head = Data()
        func prepare(_ head: Data) throws { self.head = head }
        func feed(_ bytes: ByteMemory) throws { self.byteCount += bytes.count }
    }

    private func play(folder: URL, url: URL, token: String, player: ForeignPlayer, file: URL)
        async throws
    {
        // snippet
        let library = try MediaLibrary(directory: folder)
        let song = library.media(url, headers: ["Authorization": "OAuth \(token)"])
        let head = try await song.data(in: 0..<4096)
        try player.prepare(head)
        for try await chunk in try await song.read(.whole) {
            try player.feed(chunk.memory())
        }
        try await song.pin()
        try await song.export(to: file)
        await library.close()
        // end
    }

    @Test("plays")
    func plays() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 123_456))
        let player = ForeignPlayer()
        let file = URL(filePath: scene.folder.path(of: "copy"))
        try await self.play(
            folder: URL(filePath: scene.folder.path(of: "cache")),
            url: scene.url(),
            token: "t",
            player: player,
            file: file
        )
        let bytes = PatternBytes.bytes(in: 0..<123_456)
        #expect(player.byteCount == bytes.count && player.head == Data(bytes[..<4096]))
        #expect(try Data(contentsOf: file) == Data(bytes))
        await scene.stop()
    }

    private struct Licences {
        func key(for film: URL) async throws -> KeyMaterial {
            try KeyMaterial(
                key: Data(repeating: 7, count: 16),
                initialVector: Data(repeating: 9, count: 16)
            )
        }
    }

    private func play(encrypted url: URL, _ library: MediaLibrary) async throws -> [UInt8] {
        let licences = Licences()
        // snippet
        let vault = try Decryption.aes(
            AESFormat(.ctr, initialVector: .fromKey),
            key: .provider { try await licences.key(for: $0.url) }
        )
        let film = library.media(MediaRequest(url: url, decryption: vault))
        // end
        return try await LibraryScene.bytes(film)
    }

    @Test("plays what is encrypted, and keeps it as it came")
    func playsEncrypted() async throws {
        let plain = PatternBytes.bytes(in: 0..<123_456)
        let key = try await Licences().key(for: URL(filePath: "/"))
        var sealer = try Sealer(.aesCTR(key.key, initialVector: key.initialVector))
        let stored = try plain.withUnsafeBytes { try sealer.seal($0) } + sealer.finish()
        var resource = ScriptedResource(bytes: stored)
        resource.validator = .entityTag("\"1\"")
        let scene = try await LibraryScene(resource)
        let library = try scene.library()
        #expect(try await self.play(encrypted: scene.url(), library) == plain)
        let kept = try await LibraryScene.bytes(library.media(scene.url()))
        #expect(kept == stored)
        #expect(library.totals.snapshot.receivedBytes == Int64(stored.count))
        await library.close()
        await scene.stop()
    }

    private func play(
        from service: StorageService,
        _ library: MediaLibrary,
        into folder: URL,
        show: @escaping @Sendable (MediaEvent) -> Void
    ) async throws {
        // snippet
        // .yandexDisk(token: token), .webDAV(url, user: name, password: secret), .folder(url)
        let disk = library.storage(service)
        for try await item in disk.list("/Music") where !item.isFolder {
            let song = disk.media(item, account: "me")
            Task {
                for await event in song.events() { show(event) }
            }
            try await song.export(to: folder.appending(path: item.name))
        }
        // end
    }

    @Test("plays from a service, and tells how it goes")
    func playsFromService() async throws {
        let server = YandexDiskServer(files: ["/Music/song.mp3": .pattern(length: 123_456)])
        try await server.start()
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(.init(directory: folder.path(of: "cache")))
        let all = library.events()
        try await self.play(
            from: .yandexDisk(
                credentials: FixedCredential(token: "y0_weir-test-token"),
                api: URL(string: "\(server.apiURL)/")
            ),
            library,
            into: URL(filePath: folder.path),
            show: { _ in }
        )
        let copy = try Data(contentsOf: URL(filePath: folder.path(of: "song.mp3")))
        #expect(copy.count == 123_456)
        var finished: Int64?
        for await event in all {
            guard case .transferFinished(let transfer) = event.event else { continue }
            finished = transfer.receivedByteCount
            break
        }
        #expect(finished == 123_456)
        await library.close()
        await server.shutdown()
    }

    private func listen(_ library: MediaLibrary, to url: URL) async throws {
        // snippet
        let station = try library.station(url)
        let player = Player()
        player.play(station)
        for await now in player.snapshots() {
            print(now.state, now.stopReason, now.title ?? "no title", now.position)
            if let loss = now.station?.reason { print("reconnecting: \(loss)") }
        }
        // end
    }

    @Test("radio says what state it is in and why, and ends when nobody listens")
    func listensToRadio() async throws {
        // The host is none that exists, so the player waits for it; that it compiles and stops is what is held here.
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(directory: URL(filePath: folder.path))
        let url = try #require(URL(string: "http://radio.example:8000/live"))
        let listening = Task { try await self.listen(library, to: url) }
        listening.cancel()
        _ = try await listening.value
        await library.close()
    }

    @Test("stand in the README as they are compiled here")
    func areInReadme() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let marked = source.components(separatedBy: "        // snippet\n").dropFirst()
        #expect(marked.count == 4)
        for part in marked {
            let lines = part.components(separatedBy: "        // end\n")[0].split(separator: "\n")
            let snippet = lines.map { $0.dropFirst(8) }.joined(separator: "\n")
            #expect(readme.contains(snippet))
        }
    }
}
