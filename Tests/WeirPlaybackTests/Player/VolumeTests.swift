// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("The volume of a sink that has one, and of a sink without one")
struct VolumeTests {
    /// A sink with its own volume; it remembers each volume that was set.
    private final class LoudSink: AudioSink {
        let sink: CollectingSink
        let told = Mutex<[Float]>([])

        init(_ time: VirtualTime) { self.sink = CollectingSink(pace: NullSink(clock: time.clock)) }

        var isPaced: Bool { true }
        var delay: Duration { self.sink.delay }
        var gain: Float? { self.told.withLock { $0.last ?? 1 } }
        func setGain(_ gain: Float) { self.told.withLock { $0.append(gain) } }
        func open(_ format: PCMFormat) async throws -> PCMFormat {
            try await self.sink.open(format)
        }
        func write(_ buffer: PCMBuffer) async throws { try await self.sink.write(buffer) }
        func drain() async throws { try await self.sink.drain() }
        func pause() { self.sink.pause() }
        func resume() { self.sink.resume() }
        func discard() { self.sink.discard() }
        func close() async { await self.sink.close() }
    }

    @Test(
        "a sink with a volume gets the volume at once, and unchanged samples; levels include the volume"
    )
    func ownVolume() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = LoudSink(time)
            let player = Player(
                decoders: [PCMDecoderFactory()],
                sink: sink,
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            player.volume = 0.5
            #expect(sink.told.withLock { $0 } == [0.5])
            let samples = [Int16](repeating: 16_384, count: 80_000)
            player.play([PlayerBench.item("ten seconds", samples)])
            try await time.clock.sleep(for: .seconds(3))
            // The player sets the volume again when it opens the sink: another player may have used
            // the sink.
            #expect(sink.told.withLock { $0 } == [0.5, 0.5])
            #expect(player.snapshot.level.peaks == [0.25])
            player.isMuted = true
            player.isMuted = false
            #expect(sink.told.withLock { $0 } == [0.5, 0.5, 0, 0.5])
            player.volume = 1
            try await time.clock.sleep(for: .seconds(3))
            #expect(player.snapshot.level.peaks == [0.5])
            _ = await player.waitUntilStopped()
            #expect(sink.sink.samples == samples)
        }
    }

    @Test("a sink without a volume gets samples at the volume, and levels include the volume")
    func volumeOfSamples() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.volume = 0.5
            let samples = [Int16](repeating: 16_384, count: 8000)
            bench.player.play([PlayerBench.item("a second", samples)])
            try await bench.pass(.milliseconds(900))
            #expect(bench.player.snapshot.level.peaks == [0.25])
            _ = await bench.player.waitUntilStopped()
            #expect(bench.sink.samples == samples.map { $0 / 2 })
        }
    }
}
