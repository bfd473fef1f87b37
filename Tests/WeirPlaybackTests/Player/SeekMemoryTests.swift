// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Facts that playback learned stay with the item")
struct SeekMemoryTests {
    @Test("a seek back is exact; a seek ahead into an unknown part is not")
    func back() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, decoders: [SilentDecoders()])
            let bytes = ADTSBytes.stream(seconds: 300) { $0 < 4 ? 20 : 300 }
            let source = KeptSource(bytes, keeps: false)
            bench.player.play(PlayerItem(source, name: "song"))
            try await bench.pass(.seconds(60))
            #expect(bench.player.snapshot.positionPrecision == .exact)
            // The first frames alone suggest a length of hours.
            let duration = try #require(bench.player.snapshot.duration)
            #expect(duration > .seconds(290) && duration < .seconds(310))

            bench.player.seek(to: .seconds(30))
            try await bench.pass(.seconds(2))
            var snapshot = bench.player.snapshot
            #expect(snapshot.positionPrecision == .exact)
            #expect(snapshot.position > .seconds(31) && snapshot.position < .seconds(33))
            let last = try #require(source.ranges.last)
            #expect(last.lowerBound > 20 * 12_000, "\(last)")

            bench.player.seek(to: .seconds(250))
            try await bench.pass(.seconds(2))
            snapshot = bench.player.snapshot
            #expect(snapshot.positionPrecision == .approximate)
            #expect(snapshot.position > .seconds(250) && snapshot.position < .seconds(253))

            bench.player.seek(to: .seconds(40))
            try await bench.pass(.seconds(2))
            #expect(bench.player.snapshot.positionPrecision == .exact)
            bench.player.stop()
            _ = await bench.player.waitUntilStopped()
        }
    }

    @Test("another item with the same bytes does not have these facts")
    func other() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, decoders: [SilentDecoders()])
            let bytes = ADTSBytes.stream(seconds: 300) { $0 < 4 ? 20 : 300 }
            bench.player.play(PlayerItem(KeptSource(bytes, keeps: false), name: "song"))
            try await bench.pass(.seconds(100))
            let start = Duration.seconds(60)
            bench.player.play(
                PlayerItem(KeptSource(bytes, keeps: false), name: "other", start: start)
            )
            try await bench.pass(.seconds(2))
            #expect(bench.player.snapshot.positionPrecision == .approximate)
            bench.player.stop()
            _ = await bench.player.waitUntilStopped()
        }
    }
}
