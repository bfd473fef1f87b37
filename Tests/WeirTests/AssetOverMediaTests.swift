// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirAVFoundation
import WeirPlayerSimulation
import WeirSource
import WeirTestKit

@Suite("An asset over a medium")
struct AssetOverMediaTests {
    @Test("one request over HTTP plays the medium, and a second play needs no request")
    func requests() async throws {
        var resource = ScriptedResource(length: 400_000)
        resource.generation = GenerationID(rawValue: 5)
        let scene = try await LibraryScene(resource)
        let library = try scene.library()
        let media = try library.media(scene.url())
        let first = AssetLoader.over(media)
        #expect(try await first.prepare().length == 400_000)
        let probe = RecordedRequest.probe()
        first.ask(probe)
        try await probe.waitForEnd()
        #expect(library.totals.snapshot.requests == 1)
        let all = RecordedRequest(0, 400_000, toTheEnd: true)
        first.ask(all)
        try await all.waitForEnd()
        #expect(library.totals.snapshot.requests == 1)
        #expect(PatternBytes.firstDifference(in: all.answer.value.bytes, at: 0) == nil)
        await first.close()

        let second = AssetLoader.over(media)
        let again = RecordedRequest.probe()
        second.ask(again)
        try await again.waitForEnd()
        let whole = RecordedRequest(0, .max, toTheEnd: true)
        second.ask(whole)
        try await whole.waitForEnd()
        #expect(whole.answer.value.ends == [.finished])
        #expect(whole.answer.value.bytes.count == 400_000)
        #expect(again.answer.value.information.map(\.isEntirelyAvailable) == [true])
        #expect(library.totals.snapshot.requests == 1)
        await second.close()
        await library.close()
        await scene.stop()
    }

    @Test("the first answer for a wholly kept medium of an earlier run says that it is on the disk")
    func atHand() async throws {
        var resource = ScriptedResource(length: 200_000)
        resource.generation = GenerationID(rawValue: 9)
        let scene = try await LibraryScene(resource)
        let earlier = try scene.library()
        _ = try await LibraryScene.bytes(try earlier.media(scene.url()))
        await earlier.close()
        let library = try scene.library()
        let loader = AssetLoader.over(try library.media(scene.url()))
        let probe = RecordedRequest.probe()
        loader.ask(probe)
        try await probe.waitForEnd()
        #expect(probe.answer.value.information.map(\.isEntirelyAvailable) == [true])
        #expect(library.totals.snapshot.requests == 0)
        await loader.close()
        await library.close()
        await scene.stop()
    }

    @Test("without preparation the first requests of the player cost one request, too")
    func unprepared() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 400_000))
        let library = try scene.library()
        let loader = AssetLoader.over(try library.media(scene.url()))
        let probe = RecordedRequest.probe()
        loader.ask(probe)
        let all = RecordedRequest(0, .max, toTheEnd: true)
        loader.ask(all)
        try await probe.waitForEnd()
        try await all.waitForEnd()
        #expect(library.totals.snapshot.requests == 1)
        #expect(all.answer.value.bytes.count == 400_000)
        await loader.close()
        await library.close()
        await scene.stop()
    }
}
