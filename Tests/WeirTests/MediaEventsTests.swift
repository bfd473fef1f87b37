// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The events of a library and its media")
struct MediaEventsTests {
    private static func name(_ event: MediaEvent) -> String? {
        switch event {
        case .transferStarted: "started"
        case .transferProgressed: nil
        case .transferFinished(let transfer): "finished \(transfer.receivedByteCount)"
        case .transferFailed(_, let error): "failed \(error.code)"
        case .transferLeft: "left"
        case .sourceChanged: "changed"
        case .missed(let count): "missed \(count)"
        case .credentialRefreshed(let account): "refreshed \(account)"
        case .storingForbidden: "storing forbidden"
        case .refusedThoughHeld(let reason, let isServed): "refused, \(isServed): \(reason)"
        case .keySuspected: "key suspected"
        case .cacheDegraded(let reason): "degraded: \(reason)"
        case .cacheRecovered: "recovered"
        case .downloadsUnreadable(let reason): "downloads unreadable: \(reason)"
        }
    }

    @Test("include events about the library, and exclude events that are only counted")
    func library() {
        let told: [(SourceEvent, String?, String)] = [
            (.storingForbidden(resource: "a.mp3", id: "0a"), "0a", "storing forbidden"),
            (
                .refusedThoughHeld(resource: "a.mp3", id: "0a", reason: "Gone.", isServed: true),
                "0a",
                "refused, true: Gone."
            ),
            (.keySuspected(resource: "a.mp3", id: "0a"), "0a", "key suspected"),
            (.credentialRefreshed(account: "me"), nil, "refreshed me"),
            (.cacheDegraded(reason: "Full."), nil, "degraded: Full."),
            (.cacheRecovered, nil, "recovered"),
        ]
        for (event, media, name) in told {
            let shown = LibraryEvent(event)
            #expect(shown?.media == media && shown?.display == media.map { _ in "a.mp3" })
            #expect(shown.flatMap { Self.name($0.event) } == name)
        }
        let silent: [SourceEvent] = [
            .received(byteCount: 1), .answered(host: "a", status: 200),
            .cacheEvicted(resourceCount: 1, byteCount: 2),
        ]
        #expect(silent.allSatisfy { LibraryEvent($0) == nil })
    }

    private func isClosed(_ operation: () async throws -> Void) async -> Bool {
        do {
            try await operation()
            return false
        } catch { return (error as? SourceError)?.code == .closed }
    }

    @Test(
        "include each transfer, for the medium and for the library, and end when these are closed"
    )
    func tell() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 400_000))
        let library = try scene.library()
        let media = try library.media(scene.url("/song.mp3?token=s3cret"))
        let (ofMedia, ofLibrary) = (media.events(), library.events())
        _ = try await LibraryScene.bytes(media)
        _ = try await LibraryScene.bytes(media)
        await media.close()
        await library.close()
        var names: [String] = []
        for await event in ofMedia { names += [Self.name(event)].compactMap { $0 } }
        #expect(names == ["started", "finished 400000"])
        var told: [String] = []
        for await event in ofLibrary where Self.name(event.event) != nil {
            #expect(event.media == media.id)
            told.append(event.display ?? "-")
        }
        #expect(told == [media.display, media.display])
        #expect(!media.display.contains("s3cret"))
        for await _ in media.events() { Issue.record("told after the end") }
        await scene.stop()
    }

    @Test("include an origin that is gone")
    func tellFailure() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 400_000))
        let library = try scene.library { $0.origin.retry = .never }
        let media = try library.media(scene.url())
        await scene.stop()
        let events = media.events()
        await #expect(throws: SourceError.self) { _ = try await LibraryScene.bytes(media) }
        await media.close()
        var names: [String] = []
        for await event in events { names += [Self.name(event)].compactMap { $0 } }
        #expect(names.first == "failed unreachable")
        await library.close()
    }

    @Test("end for a closed medium with its readers, and the library makes a new medium that plays")
    func close() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 400_000))
        let library = try scene.library()
        let media = try library.media(scene.url())
        let iterator = try await media.read(.whole).makeAsyncIterator()
        _ = try await iterator.next()
        await media.close()
        await media.close()
        #expect(await self.isClosed { while try await iterator.next() != nil {} })
        #expect(await self.isClosed { _ = try await media.read(.whole) })
        let next = try library.media(scene.url())
        #expect(next !== media)
        #expect(try library.media(scene.url()) === next)
        let isEqual =
            try await LibraryScene.bytes(next) == PatternBytes.bytes(in: 0..<400_000)
        #expect(isEqual)
        // A late close of the old medium does not affect the new one.
        await media.close()
        #expect(try library.media(scene.url()) === next)
        await library.close()
        #expect(await self.isClosed { _ = try await next.read(.whole) })
        await scene.stop()
    }

    @Test("of a file of this machine: it is not kept, can be closed, and plays again")
    func closeFile() async throws {
        let folder = TemporaryDirectory()
        let bytes = PatternBytes.bytes(in: 0..<100_000)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: "a.mp3")))
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: folder.path(of: "cache"))
        )
        let storage = FileStorage(folder: folder.path)
        let path = try FolderPath("a.mp3")
        let media = library.media(path, in: storage)
        #expect(library.media(path, in: storage) === media)
        #expect(library.media(path, in: FileStorage(folder: folder.path)) !== media)
        let isEqual = try await LibraryScene.bytes(media) == bytes
        #expect(isEqual)
        let reading = try await media.read(.whole)
        await media.close()
        #expect(await self.isClosed { for try await _ in reading {} })
        let again = library.media(path, in: storage)
        let isStillEqual = try await LibraryScene.bytes(again) == bytes
        #expect(again !== media && isStillEqual)
        #expect(library.totals.snapshot.requests == 0)
        await library.close()
    }
}
