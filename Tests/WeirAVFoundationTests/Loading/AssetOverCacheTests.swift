// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirPlayerSimulation
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("An asset over a cache")
struct AssetOverCacheTests {
    private static let key = ResourceKey(
        location: "https://origin.example/a.mp4",
        account: "",
        display: "https://origin.example/a.mp4"
    )

    @Test("asks the origin once up to its first bytes, and not at all the second time")
    func requests() async throws {
        let folder = TemporaryDirectory()
        let origin = ScriptedSource(length: 400_000)
        let cache = try Cache(directory: folder.path)
        let source = CachedSource(origin: origin, key: Self.key, cache: cache)
        let first = AssetLoader.over(source)
        _ = try await first.prepare()
        let probe = RecordedRequest.probe()
        first.ask(probe)
        try await probe.waitForEnd()
        let head = RecordedRequest(0, 400_000, toTheEnd: true)
        first.ask(head)
        try await head.waitForEnd()
        #expect(origin.log.demands.count == 1)
        #expect(origin.log.repeatedByteCount == 0)
        await first.close()

        let second = AssetLoader.over(source)
        let again = RecordedRequest.probe()
        second.ask(again)
        try await again.waitForEnd()
        let all = RecordedRequest(0, .max, toTheEnd: true)
        second.ask(all)
        try await all.waitForEnd()
        #expect(all.answer.value.bytes.count == 400_000)
        #expect(again.answer.value.information.map(\.isEntirelyAvailable) == [true])
        #expect(origin.log.demands.count == 1)
        await second.close()
        await source.close()
        cache.close()
    }

    @Test(
        "an index at the end costs the origin two more requests at most, and repeats at most one piece"
    )
    func indexAtTheEnd() async throws {
        let folder = TemporaryDirectory()
        let length: Int64 = 8_000_000
        let origin = ScriptedSource(length: length)
        let cache = try Cache(directory: folder.path)
        let source = CachedSource(origin: origin, key: Self.key, cache: cache)
        let loader = AssetLoader.over(source)
        _ = try await loader.prepare()
        let head = RecordedRequest(0, length, toTheEnd: true, wantsInformation: true)
        loader.ask(head)
        try await head.waitForBytes(48)
        loader.cancel(head)
        let tail = RecordedRequest(length - 50_000, 50_000, toTheEnd: true)
        loader.ask(tail)
        try await tail.waitForEnd()
        let middle = RecordedRequest(48, length - 48, toTheEnd: true)
        loader.ask(middle)
        try await middle.waitForEnd()
        #expect(PatternBytes.firstDifference(in: middle.answer.value.bytes, at: 48) == nil)
        #expect(middle.answer.value.bytes.count == Int(length) - 48)
        // There are two cases. The first request may go on; it ends with the piece that reaches into the tail. Or the
        // tail's request has taken over the connection (law 6); then the origin sends the piece in flight again.
        #expect(origin.log.repeatedByteCount <= 16_384)
        #expect((2...3).contains(origin.log.demands.count))
        await loader.close()
        await source.close()
        cache.close()
    }
}
