// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Prefetching the next item")
struct PrefetchTests {
    /// A minute of sound at 8000 frames a second; the queue holds half of it.
    private static func minute(keeps: Bool = true) -> KeptSource {
        KeptSource(
            WAVBytes.file(WAVBytes.ramp(0..<480_000), sampleRate: 8000),
            keeps: keeps
        )
    }

    private static func player(_ time: VirtualTime, _ limits: PrefetchLimits?) -> Player {
        Player(
            decoders: [PCMDecoderFactory()],
            sink: NullSink(clock: time.clock),
            options: PlayerOptions(prefetch: limits, clock: time.clock, executor: time)
        )
    }

    private static let limits = PrefetchLimits(byteCount: 100_000, lead: .seconds(50))

    private static func items(_ sources: KeptSource...) -> [PlayerItem] {
        sources.map { PlayerItem($0) }
    }

    @Test("the next item's beginning is read once, as far as the limit, before its turn")
    func once() async throws {
        let time = VirtualTime()
        try await time.run {
            let player = Self.player(time, Self.limits)
            let next = Self.minute()
            player.play(Self.items(Self.minute(), next))
            try await time.clock.sleep(for: .seconds(9))
            #expect(next.ranges.isEmpty, "too early")
            try await time.clock.sleep(for: .seconds(6))
            #expect(next.ranges == [0..<100_000])
            // The feed now reads the item; the prefetch is not repeated.
            try await time.clock.sleep(for: .seconds(35))
            #expect(next.ranges.count == 2)
            player.stop()
            _ = await player.waitUntilStopped()
        }
    }

    @Test("without limits nothing is read before its turn")
    func off() async throws {
        let time = VirtualTime()
        try await time.run {
            let player = Self.player(time, nil)
            let next = Self.minute()
            player.play(Self.items(Self.minute(), next))
            try await time.clock.sleep(for: .seconds(15))
            #expect(next.ranges.isEmpty)
            player.stop()
            _ = await player.waitUntilStopped()
        }
    }

    @Test("after an edit of the queue, the new next item is read")
    func edited() async throws {
        let time = VirtualTime()
        try await time.run {
            let player = Self.player(time, Self.limits)
            let (next, other) = (Self.minute(), Self.minute())
            player.play(Self.items(Self.minute(), next))
            try await time.clock.sleep(for: .seconds(12))
            player.playNext(PlayerItem(other))
            try await time.clock.sleep(for: .seconds(1))
            #expect(next.ranges == [0..<100_000])
            #expect(other.ranges == [0..<100_000])
            player.stop()
            _ = await player.waitUntilStopped()
        }
    }

    @Test(
        "a source that keeps nothing is read for one chunk, and a source with all bytes is not read"
    )
    func unkept() async throws {
        let passing = Self.minute(keeps: false)
        try await Prefetch(source: passing, limits: Self.limits).run()
        #expect(passing.ranges.count == 1)
        let whole = KeptSource([1, 2, 3])
        _ = try await whole.read(.whole)
        try await Prefetch(source: whole, limits: Self.limits).run()
        #expect(whole.ranges.count == 1)
    }

    @Test("an index behind the sound is read, too, and no byte beyond the limit")
    func indexBehind() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "WeirLibavTests/Fixtures/alac.m4a")
        let bytes = [UInt8](try Data(contentsOf: file))
        let source = KeptSource(bytes, chunkSize: 512)
        let limits = PrefetchLimits(byteCount: Int64(bytes.count) / 2, lead: .seconds(1))
        try await Prefetch(source: source, limits: limits).run()
        #expect(source.ranges.count >= 2)
        #expect(source.ranges[0].lowerBound == 0)
        #expect(source.ranges[1].lowerBound > 512)
        #expect(source.ranges[1].upperBound == Int64(bytes.count))
    }
}
