// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirSource
import WeirTestKit

@Suite("A library plays, keeps, and plays again")
struct MediaLibraryTests {
    private static func resource() -> ScriptedResource {
        var resource = ScriptedResource(length: 400_000)
        resource.generation = GenerationID(rawValue: 77)
        return resource
    }

    @Test(
        "a cold read costs one request, and a read after a restart without the origin costs none"
    )
    func playsAgain() async throws {
        let scene = try await LibraryScene(Self.resource())
        let expected = PatternBytes.bytes(in: 0..<400_000)
        let first = try scene.library()
        #expect(try await LibraryScene.bytes(try first.media(scene.url())) == expected)
        #expect(first.totals.snapshot.requests == 1)
        #expect(first.totals.snapshot.receivedBytes == 400_000)
        await first.close()
        await scene.stop()
        let second = try scene.library()
        #expect(try await LibraryScene.bytes(try second.media(scene.url())) == expected)
        #expect(second.totals.snapshot.requests == 0)
        await second.close()
    }

    @Test("a played medium is found in the cache by its identifier, and can be pinned and exported")
    func identifier() async throws {
        let scene = try await LibraryScene(Self.resource())
        let library = try scene.library()
        let media = try library.media(scene.url(), account: "me")
        let other = try library.media(scene.url(), account: "other")
        _ = try await LibraryScene.bytes(media)
        let identifier = try #require(media.identifier)
        #expect(other.identifier != identifier)
        #expect(try await library.resources().map(\.identifier) == [identifier])
        #expect(try await library.pin(identifier: identifier))
        let place = TemporaryDirectory()
        let path = "\(place.path)/song.mp3"
        #expect(try await library.export(identifier: identifier, to: path) == 400_000)
        await library.close()
        await scene.stop()
    }

    @Test("one URL is one medium, two accounts are two")
    func identity() async throws {
        let scene = try await LibraryScene(Self.resource())
        let library = try scene.library { $0.volatileQuery = ["signature"] }
        let media = try library.media(scene.url())
        #expect(try library.media(scene.url()) === media)
        #expect(try library.media(scene.url("/music/song.mp3?signature=1")) === media)
        #expect(try library.media(scene.url(), account: "other") !== media)
        #expect(try library.media(scene.url(), headers: ["Authorization": "OAuth x"]) !== media)
        await library.close()
        await scene.stop()
    }

    @Test("offline, held bytes play and missing bytes give an error that says so")
    func offline() async throws {
        let scene = try await LibraryScene(Self.resource())
        let online = try scene.library()
        _ = try await LibraryScene.bytes(try online.media(scene.url()), .span(0..<100_000))
        await online.close()
        let offline = try scene.library { $0.isOffline = true }
        let media = try offline.media(scene.url())
        #expect(
            try await LibraryScene.bytes(media, .span(0..<50_000))
                == PatternBytes.bytes(in: 0..<50_000)
        )
        await #expect {
            _ = try await LibraryScene.bytes(media, .span(300_000..<300_010))
        } throws: { ($0 as? SourceError)?.code == .offline }
        await offline.close()
        await scene.stop()
    }

    @Test("a token is in no file of the cache")
    func secrets() async throws {
        let scene = try await LibraryScene(Self.resource())
        let library = try scene.library()
        let media = try library.media(
            scene.url("/music/song.mp3?sig=QUERYSECRET"),
            headers: ["Authorization": "OAuth HEADERSECRET"]
        )
        _ = try await LibraryScene.bytes(media)
        await library.close()
        await scene.stop()
        let files = FileManager.default.enumerator(atPath: scene.folder.path)
        var count = 0
        while let file = files?.nextObject() as? String {
            guard let data = FileManager.default.contents(atPath: "\(scene.folder.path)/\(file)")
            else { continue }
            count += 1
            #expect(data.range(of: Data("SECRET".utf8)) == nil, "in \(file)")
        }
        #expect(count > 2)
    }

    @Test("a closed medium refuses to be read; its library stays open")
    func closing() async throws {
        let scene = try await LibraryScene(Self.resource())
        let library = try scene.library()
        let media = try library.media(scene.url())
        await media.close()
        await #expect {
            _ = try await media.read(.whole)
        } throws: { ($0 as? SourceError)?.code == .closed }
        await library.close()
        await scene.stop()
    }
}
