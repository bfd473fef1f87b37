// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Playing lists")
struct ListPlayingTests {
    private static func titled(_ title: String, sampleRate: Int = 8000) -> PlayerItem {
        let bytes = WAVBytes.file(
            WAVBytes.ramp(0..<sampleRate),
            sampleRate: sampleRate,
            title: title
        )
        return PlayerItem(MemorySource(bytes: bytes), name: "file \(title)")
    }

    /// The events until the player stopped.
    private static func told(_ events: AsyncStream<PlayerEvent>) async -> [String] {
        var told: [String] = []
        for await event in events {
            switch event {
            case .itemStarted(let index, _): told.append("item \(index)")
            case .itemFailed(let index, let failure):
                told.append("item \(index) failed: \(failure.code)")
            case .titleChanged(let title, _, _, let position, _):
                told.append("\(title ?? "none") at \(position.components.seconds)")
            case .formatChanged(let format, _, _): told.append("\(format.sampleRate) Hz")
            case .stateChanged(.stopped, let reason, _): return told + ["\(reason)"]
            default: break
            }
        }
        return told
    }

    @Test("every item of a list shows its own title, length and format", arguments: [true, false])
    func faces(isPaced: Bool) async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: isPaced)
            let events = bench.player.events()
            bench.player.play([Self.titled("One"), Self.titled("Two"), Self.titled("Three")])
            if isPaced {
                try await bench.pass(.seconds(1.7))
                let second = bench.player.snapshot
                #expect(second.itemIndex == 1)
                #expect(second.title == "Two")
                #expect(second.duration == .seconds(1))
                #expect(second.format?.sampleRate == 8000)
                #expect(second.pcm?.sampleRate == 8000)
            }
            let end = await bench.player.waitUntilStopped()
            #expect(end.title == "Three")
            #expect(end.duration == .seconds(1))
            let told = await Self.told(events)
            #expect(
                told == [
                    "item 0", "One at 0", "8000 Hz", "item 1", "Two at 0", "8000 Hz", "item 2",
                    "Three at 0", "8000 Hz", "endOfStream",
                ]
            )
        }
    }

    @Test(
        "a title behind the sound is reported with the position of its own item",
        arguments: [true, false]
    )
    func trailingTitle(isPaced: Bool) async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: isPaced)
            let events = bench.player.events()
            let samples = WAVBytes.ramp(0..<24_000)
            let file = WAVBytes.file(samples, title: "One", isTitleLast: true)
            let first = PlayerItem(MemorySource(bytes: file), name: "a")
            bench.player.play([first, PlayerBench.item("b", samples)])
            _ = await bench.player.waitUntilStopped()
            let told = await Self.told(events)
            #expect(
                told == ["item 0", "8000 Hz", "One at 3", "item 1", "8000 Hz", "endOfStream"]
            )
        }
    }

    @Test("an item without a decoder is skipped once, and the item before it plays to its end")
    func unknownCodec() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, decoders: [FussyDecoders()])
            let samples = WAVBytes.ramp(0..<8000)
            let events = bench.player.events()
            bench.player.play([
                PlayerBench.item("a", samples), PlayerBench.item("b", samples, sampleRate: 4000),
                PlayerBench.item("c", samples, sampleRate: 4000), PlayerBench.item("d", samples),
            ])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.itemIndex == 3)
            #expect(bench.now >= .seconds(2) && bench.now < .seconds(2.5))
            let isEqual = bench.sink.samples == samples + samples
            #expect(isEqual)
            let failed = await Self.told(events).filter { $0.contains("failed") }
            #expect(failed == ["item 1 failed: unsupported", "item 2 failed: unsupported"])
        }
    }

    @Test("a list without a playable item ends with an error, and each failure is reported once")
    func nothingPlays() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false, decoders: [FussyDecoders()])
            let item = PlayerBench.item("b", WAVBytes.ramp(0..<100), sampleRate: 4000)
            let page = PlayerItem(MemorySource(bytes: Array("<html></html>".utf8)), name: "page")
            let events = bench.player.events()
            let items = (0..<400).map { $0 % 2 == 0 ? item : page }
            bench.player.play(items)
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .notAudio)
            let failed = await Self.told(events).filter { $0.contains("failed") }
            #expect(failed.count == 400)
        }
    }

    @Test("an item that the sink refuses is skipped")
    func badFormat() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = ScriptedSink { format in
                guard format.sampleRate == 4000 else { return }
                throw AudioError(.badFormat, "It takes no 4000 Hz.")
            }
            let player = Player(
                decoders: [PCMDecoderFactory()],
                sink: sink,
                options: PlayerOptions(clock: time.clock, executor: time)
            )
            let events = player.events()
            let samples = WAVBytes.ramp(0..<800)
            player.play([
                PlayerBench.item("a", samples), PlayerBench.item("b", samples, sampleRate: 4000),
                PlayerBench.item("c", samples),
            ])
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            let failed = await Self.told(events).filter { $0.contains("failed") }
            #expect(failed == ["item 1 failed: unsupported"])
        }
    }

    @Test("thousands of tiny items play one after the other")
    func tinyItems() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            let items = (0..<2000).map { PlayerBench.item("i", WAVBytes.ramp($0..<$0 + 4)) }
            bench.player.play(items)
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.itemIndex == 1999)
            #expect(bench.sink.frameCount == 8000)
        }
    }
}
