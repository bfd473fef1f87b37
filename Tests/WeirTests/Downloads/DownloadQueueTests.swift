// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirTestKit

@Suite("Downloads of a library", .timeLimit(.minutes(1)))
struct DownloadQueueTests {
    private static let length: Int64 = 600_000

    private static func scene() async throws -> LibraryScene {
        try await LibraryScene(ScriptedResource(length: Self.length))
    }

    /// Waits until the queue's downloads meet a condition.
    private static func wait(
        _ library: MediaLibrary,
        until isDue: @Sendable ([Download]) -> Bool
    ) async {
        for await list in library.downloads.snapshots() where isDue(list) { return }
        Issue.record("the snapshots ended")
    }

    @Test("a removed medium is no longer a download, and is not fetched again")
    func removed() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let song = library.media(try scene.url())
        let id = try await library.downloads.add(song)
        await Self.wait(library) { $0.first?.state == .finished }
        #expect(try await song.remove())
        #expect(try await library.downloads.download(id) == nil)
        #expect(try await library.resources().isEmpty)
        let again = library.media(try scene.url())
        try await library.downloads.add(again)
        await Self.wait(library) { $0.first?.state == .finished }
        let resource = try #require(try await library.resources().first)
        #expect(try await library.remove(resource))
        #expect(try await library.downloads.all().isEmpty)
        await library.close()
        await scene.stop()
    }

    @Test("an added medium is held whole, its end is an event, and its bytes are right")
    func whole() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let song = library.media(try scene.url())
        let events = library.downloads.events()
        let id = try await library.downloads.add(song)
        #expect(id == song.identifier)
        var heard: Download?
        for await case .finished(let download) in events {
            heard = download
            break
        }
        #expect(heard?.id == id && heard?.fraction == 1)
        #expect(try await library.downloads.download(id)?.state == .finished)
        #expect(scene.origin.log.byteCount == Self.length)
        #expect(try await LibraryScene.bytes(song) == PatternBytes.bytes(in: 0..<Self.length))
        #expect(scene.origin.log.byteCount == Self.length)
        #expect(try await library.resources().first?.isPinned == true)
        #expect(try await library.downloads.remove(id, deletingBytes: true))
        #expect(try await library.downloads.all().isEmpty)
        await library.close()
        await scene.stop()
    }

    @Test("after a restart a download waits until the application makes the medium, and then runs")
    func restart() async throws {
        let scene = try await Self.scene()
        let gate = scene.origin.hold(before: 300_000)
        let first = try scene.library()
        let id = try await first.downloads.add(first.media(try scene.url()))
        await Self.wait(first) { $0.first.map { $0.heldByteCount >= 200_000 } ?? false }
        await first.close()
        gate.open()
        let second = try scene.library()
        let waiting = try #require(try await second.downloads.download(id))
        #expect(waiting.state == .waiting(.source))
        #expect(waiting.heldByteCount > 0 && waiting.length == Self.length)
        // The test does not keep the medium, so only the queue holds it.
        _ = second.media(try scene.url())
        await Self.wait(second) { $0.first?.state == .finished }
        // The server may have sent the rest into the old connection after its reader had gone.
        #expect(scene.origin.log.readings.last.map { $0.range.lowerBound >= 200_000 } == true)
        await second.close()
        await scene.stop()
    }

    @Test("a closure finds the media of earlier runs, and is called once for each")
    func resolver() async throws {
        let scene = try await Self.scene()
        let first = try scene.library()
        first.downloads.conditions = DownloadConditions(isConnected: false)
        for name in ["/a.mp3", "/b.mp3"] {
            try await first.downloads.add(first.media(try scene.url(name)))
        }
        let states = try await first.downloads.all().map(\.state)
        #expect(states == [.waiting(.network), .waiting(.network)])
        await first.close()
        let second = try scene.library()
        let urls = [try scene.url("/a.mp3"), try scene.url("/b.mp3")]
        let asked = Watched<[String]>([])
        second.downloads.resolve { [weak second] download in
            asked.update { $0.append(download.display) }
            return urls.first { download.display.hasSuffix($0.path()) }.flatMap {
                second?.media($0)
            }
        }
        await Self.wait(second) { $0.allSatisfy { $0.state == .finished } }
        // Each question has a task of its own.
        #expect(asked.value.map { $0.suffix(6) }.sorted() == ["/a.mp3", "/b.mp3"])
        await second.close()
        await scene.stop()
    }

    @Test("two libraries of one folder have one queue, and the second continues behind the first")
    func two() async throws {
        let scene = try await Self.scene()
        let gate = scene.origin.hold(before: 300_000)
        let first = try scene.library()
        let second = try scene.library()
        let id = try await second.downloads.add(second.media(try scene.url()))
        await Self.wait(first) { $0.first.map { $0.heldByteCount >= 200_000 } ?? false }
        #expect(try await first.downloads.download(id)?.state == .running)
        await first.close()
        gate.open()
        await Self.wait(second) { $0.first?.state == .finished }
        #expect(scene.origin.log.readings.last.map { $0.range.lowerBound >= 200_000 } == true)
        await second.close()
        await scene.stop()
    }

    @Test("a refusal of the origin is an event with a message, and can be tried again")
    func failure() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        scene.origin.refuse(with: SourceError(.notFound, "There is none."))
        let events = library.downloads.events()
        let id = try await library.downloads.add(library.media(try scene.url()))
        for await case .failed(let download, let failure) in events {
            #expect(download.id == id && !failure.message.isEmpty)
            break
        }
        #expect(try await library.downloads.resume(id))
        await Self.wait(library) { $0.first?.state == .finished }
        await library.close()
        await scene.stop()
    }

    @Test("a file of this machine cannot be a download")
    func localFile() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let file = library.media(URL(filePath: "/nothing/here.mp3"))
        let error = await #expect(throws: SourceError.self) {
            try await library.downloads.add(file)
        }
        #expect(error?.code == .invalidRequest)
        await library.close()
        await scene.stop()
    }

    @Test("no header and no query of an address is in any file of the folder")
    func secrecy() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        library.downloads.conditions = DownloadConditions(isConnected: false)
        let song = library.media(
            try scene.url("/a.mp3?code=qu3ry"),
            headers: ["Authorization": "OAuth t0ken"]
        )
        try await library.downloads.add(song)
        let bytes = try Data(contentsOf: URL(filePath: scene.folder.path(of: "downloads.queue")))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("/a.mp3") && !text.contains("qu3ry") && !text.contains("t0ken"))
        await library.close()
        await scene.stop()
    }
}
