// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirTestKit

@Suite("A medium made of a cache entry")
struct ListedMediaTests {
    private static func code(_ operation: () async throws -> Void) async -> SourceError.Code? {
        do {
            try await operation()
            return nil
        } catch {
            return (error as? SourceError)?.code
        }
    }

    @Test("equals the medium of its address, where the whole address is stored")
    func whole() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 100_000))
        let library = try scene.library()
        let song = library.media(try scene.url(), account: "me")
        _ = try await song.data(in: 0..<1_000)
        let listed = try #require(try await library.resources().first)
        #expect(listed.id == song.id && song.id == song.identifier)
        let again = library.media(for: listed)
        #expect(again == song && Set([again, song]).count == 1)
        #expect(try await again.data(in: 50_000..<50_010).count == 10)
        await library.close()
        await scene.stop()
    }

    @Test("plays only held bytes, where its query or its credential is not stored")
    func held() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 100_000))
        let headers = ["Authorization": "Bearer t"]
        let first = try scene.library()
        for song in [
            first.media(try scene.url("/song?id=1")),
            first.media(try scene.url(), headers: headers),
        ] {
            _ = try await song.data(in: 0..<70_000)
        }
        await first.close()
        let library = try scene.library()
        let count = scene.origin.log.readings.count
        let all = try await library.resources()
        #expect(all.count == 2)
        for listed in all {
            let medium = library.media(for: listed)
            #expect(medium.id == listed.id)
            let bytes = try await medium.data(in: 10..<1_000)
            #expect(Array(bytes) == PatternBytes.bytes(in: 10..<1_000))
            #expect(await Self.code { _ = try await medium.data(in: 90_000..<90_010) } == .offline)
            #expect(scene.origin.log.readings.count == count)
            // With the header of its first request, the medium with a credential has its whole
            // address again.
            let whole = library.media(for: listed, headers: headers)
            #expect((whole != medium) == (listed.account == "(credential)"))
            #expect(whole.id == listed.id)
        }
        // The library does not confuse a medium without an origin with the medium at the same
        // address.
        let song = library.media(try scene.url("/song?id=1"))
        #expect(try await song.data(in: 90_000..<90_010).count == 10)
        await library.close()
        await scene.stop()
    }

    @Test("a range of numbers reads those bytes, and errors can be compared")
    func readsRange() async throws {
        let source = ScriptedSource(length: 100)
        var count = 0
        for try await chunk in try await source.read(0..<10) { count += chunk.count }
        #expect(count == 10)
        let error = SourceError(.notFound, "a", cause: CancellationError(), status: 404)
        #expect(error == SourceError(.notFound, "a", status: 404))
        #expect(error != SourceError(.notFound, "a", status: 410))
    }
}
