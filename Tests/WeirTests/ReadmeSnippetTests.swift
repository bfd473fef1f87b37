// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirPlayback
import WeirTestKit
import WeirTestServers

@Suite("The snippets of the README")
struct ReadmeSnippetTests {
    /// Takes what a player would play.
    private final class ForeignPlayer {
        private(set) var byteCount = 0
        func feed(_ bytes: ByteMemory) throws { self.byteCount += bytes.count }
    }

    private func play(folder: String, url: String, token: String, player: ForeignPlayer)
        async throws
    {
        // snippet
        let library = try MediaLibrary(.init(directory: folder))
        let song = try library.media(url, headers: ["Authorization: OAuth \(token)"])
        let reading = try await song.read(.whole)
        print(
            reading.description.mediaType?.description ?? "unknown",
            reading.description.length ?? 0
        )
        for try await chunk in reading {
            try player.feed(chunk.memory())
        }
        await library.close()
        // end
    }

    @Test("plays")
    func plays() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 123_456))
        let player = ForeignPlayer()
        try await self.play(folder: scene.folder.path, url: scene.url(), token: "t", player: player)
        #expect(player.byteCount == 123_456)
        await scene.stop()
    }

    private struct Licences {
        func key(for resource: String) async throws -> KeyMaterial {
            KeyMaterial(
                try CipherKey(SecretBytes(Array(repeating: 7, count: 16))),
                initialVector: Array(repeating: 9, count: 16)
            )
        }
    }

    private func play(encrypted url: String, _ library: MediaLibrary) async throws -> [UInt8] {
        let licences = Licences()
        // snippet
        let vault = try Decryption.aes(
            AESFormat(.ctr, initialVector: .fromKey),
            key: .provider { try await licences.key(for: $0.resource) }
        )
        let film = try library.media(url, decryption: vault)
        // end
        return try await LibraryScene.bytes(film)
    }

    @Test("plays what is encrypted, and keeps it as it came")
    func playsEncrypted() async throws {
        let plain = PatternBytes.bytes(in: 0..<123_456)
        let key = try await Licences().key(for: "")
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
        from api: String,
        _ library: MediaLibrary,
        credentials: any CredentialProvider,
        show: @escaping @Sendable (MediaEvent) -> Void
    ) async throws -> Int {
        let api = try OriginURL(api)
        // snippet
        let disk = YandexDisk(
            name: "yandex",
            credentials: credentials,
            api: api,
            client: library.serviceClient
        )
        let storage = library.storage(of: disk)
        let song = library.media(try FolderPath("/Music/song.mp3"), in: storage, account: "me")
        Task {
            for await event in song.events() { show(event) }
        }
        // end
        var count = 0
        for try await chunk in try await song.read(.whole) { count += chunk.count }
        return count
    }

    @Test("plays from a service, and tells how it goes")
    func playsFromService() async throws {
        let server = YandexDiskServer(files: ["/Music/song.mp3": .pattern(length: 123_456)])
        try await server.start()
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(.init(directory: folder.path))
        let finished = Watched(false)
        let all = library.events()
        let count = try await self.play(
            from: "\(server.apiURL)/",
            library,
            credentials: FixedCredential(token: "y0_weir-test-token"),
            show: { _ in }
        )
        #expect(count == 123_456)
        for await event in all {
            guard case .transferFinished(let transfer) = event.event else { continue }
            #expect(transfer.receivedCount == 123_456)
            finished.update { $0 = true }
            break
        }
        #expect(finished.value)
        await library.close()
        await server.shutdown()
    }

    private func listen(decoders: [any AudioDecoderFactory], sink: any AudioSink) async throws {
        // snippet
        let station = try Station(address: "http://radio.example:8000/live")
        let player = Player(decoders: decoders, sink: sink)
        player.play([PlayerItem(name: station.name, content: .station(station))])
        for await now in player.snapshots() {
            print(now.state, now.stopReason, now.title ?? "no title", now.position)
            if let loss = now.station?.reason { print("reconnecting: \(loss)") }
        }
        // end
    }

    @Test("radio says what state it is in and why, and ends when nobody listens")
    func listensToRadio() async throws {
        // The host is none that exists, so the player waits for it; that it compiles and stops is what is held here.
        let listening = Task {
            try await self.listen(decoders: [PCMDecoderFactory()], sink: NullSink())
        }
        listening.cancel()
        _ = try await listening.value
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
