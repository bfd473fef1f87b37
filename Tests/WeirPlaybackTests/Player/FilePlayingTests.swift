// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Playing files")
struct FilePlayingTests {
    @Test("a file plays whole, in its own time, and then the player has stopped")
    func whole() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let samples = WAVBytes.ramp(0..<80_000)
            let states = try await bench.states {
                bench.player.play([PlayerBench.item("ten seconds", samples)])
                let end = await bench.player.waitUntilStopped()
                #expect(end.stopReason == .endOfStream)
                #expect(end.position == .seconds(10))
                #expect(end.duration == .seconds(10))
                #expect(end.failure == nil)
                #expect(end.underruns == 0)
            }
            #expect(
                states == [
                    "starting", "waitingForData", "waitingForQueueToStart", "playing",
                    "stopping [endOfStream]", "stopped [endOfStream]",
                ]
            )
            let isEqual = bench.sink.samples == samples
            #expect(isEqual)
            #expect(bench.now >= .seconds(10) && bench.now < .seconds(10.2))
        }
    }

    @Test("a sink that is not paced gets the whole file at once")
    func unpaced() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            let samples = WAVBytes.ramp(0..<800_000)
            bench.player.play([PlayerBench.item("long", samples)])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.position == .seconds(100))
            let isEqual = bench.sink.samples == samples
            #expect(isEqual)
            #expect(bench.now < .seconds(1))
        }
    }

    @Test("one item follows the other without a sample between them")
    func gapless() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let samples = WAVBytes.ramp(0..<24_000)
            let cuts = [0, 7_001, 7_002, 15_000, 24_000]
            let items = zip(cuts, cuts.dropFirst()).enumerated().map { index, cut in
                PlayerBench.item("part \(index)", Array(samples[cut.0..<cut.1]))
            }
            let events = bench.player.events()
            bench.player.play(items)
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            let isEqual = bench.sink.samples == samples
            #expect(isEqual)
            #expect(bench.sink.kept.withLock { $0.formats.count } == 1)
            #expect(bench.now >= .seconds(3) && bench.now < .seconds(3.2))
            var started: [Int] = []
            for await event in events {
                if case .itemStarted(let index, _) = event { started.append(index) }
                if case .stateChanged(.stopped, _, _) = event { break }
            }
            #expect(started == [0, 1, 2, 3])
        }
    }

    @Test("a pause holds the sound for any time")
    func pausing() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await bench.pass(.seconds(3))
            #expect(bench.player.pause())
            #expect(bench.player.snapshot.state == .paused)
            #expect(bench.player.pause())
            try await bench.pass(.seconds(0.2))
            let paused = bench.player.snapshot.position
            try await bench.pass(.seconds(1000))
            #expect(bench.player.snapshot.position == paused)
            #expect(bench.player.snapshot.state == .paused)
            #expect(bench.player.resume())
            let end = await bench.player.waitUntilStopped()
            #expect(end.position == .seconds(10))
            #expect(bench.sink.frameCount == 80_000)
            #expect(bench.now > .seconds(1010) && bench.now < .seconds(1010.5))
        }
    }

    @Test(
        "after a seek the sound begins with exactly the named sample",
        arguments: [0, 0.5, 3.25, 9.99]
    )
    func seeking(_ seconds: Double) async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let samples = WAVBytes.ramp(0..<80_000)
            bench.player.play([PlayerBench.item("ten seconds", samples)])
            try await bench.pass(.seconds(2))
            let before = bench.sink.frameCount
            #expect(bench.player.seek(to: .seconds(seconds)))
            #expect(bench.player.snapshot.stopReason == .temporary)
            #expect(bench.player.snapshot.position == .seconds(seconds))
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            let heard = bench.sink.samples[before...]
            let isEqual = heard.elementsEqual(samples[Int(seconds * 8000)...])
            #expect(isEqual)
        }
    }

    @Test("a seek past the end stops the player; a seek before the start goes to the start")
    func seekingOutside() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await bench.pass(.seconds(2))
            bench.player.seek(by: .seconds(-100))
            try await bench.pass(.seconds(1))
            #expect(bench.player.snapshot.position < .seconds(1.1))
            bench.player.seek(to: .seconds(100))
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
        }
    }

    @Test("an item begins at its start position")
    func beginning() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            let samples = WAVBytes.ramp(0..<80_000)
            var item = PlayerBench.item("ten seconds", samples)
            item.start = .seconds(4)
            bench.player.play([item])
            #expect(bench.player.snapshot.position == .seconds(4))
            let end = await bench.player.waitUntilStopped()
            #expect(end.position == .seconds(10))
            let isEqual = bench.sink.samples.elementsEqual(samples[32_000...])
            #expect(isEqual)
        }
    }

    @Test(
        "a source that stalls makes the player buffer, and then the sound continues at the same place"
    )
    func buffering() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let samples = WAVBytes.ramp(0..<160_000)
            let source = PacedSource(
                WAVBytes.file(samples),
                clock: time.clock,
                bytesPerSecond: 24_000,
                stalls: [.init(offset: 80_000, duration: .seconds(15))]
            )
            let states = try await bench.states {
                bench.player.play([PlayerItem(source, name: "slow")])
                let end = await bench.player.waitUntilStopped()
                #expect(end.underruns == 1)
                #expect(end.bufferTarget == .seconds(2))
                #expect(end.position == .seconds(20))
            }
            #expect(
                states == [
                    "starting", "waitingForData", "waitingForQueueToStart", "playing", "buffering",
                    "buffering [temporary]", "buffering", "playing", "stopping [endOfStream]",
                    "stopped [endOfStream]",
                ]
            )
            let isEqual = bench.sink.samples == samples
            #expect(isEqual)
        }
    }

    @Test("an item that breaks off plays as far as its bytes go, and the player reports the reason")
    func failing() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let samples = WAVBytes.ramp(0..<80_000)
            let source = PacedSource(
                WAVBytes.file(samples),
                clock: time.clock,
                bytesPerSecond: 48_000,
                failsAt: 100_000
            )
            bench.player.play([PlayerItem(source, name: "broken")])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .source)
            #expect((end.failure?.cause as? SourceError)?.code == .truncated)
            #expect(bench.sink.frameCount > 48_000)
            let isEqual = samples.starts(with: bench.sink.samples)
            #expect(isEqual)
            // A start clears the error.
            bench.player.play([PlayerBench.item("sound", WAVBytes.ramp(0..<8_000))])
            #expect(bench.player.snapshot.failure == nil)
            #expect(bench.player.snapshot.stopReason == .none)
            #expect(await bench.player.waitUntilStopped().stopReason == .endOfStream)
        }
    }

    @Test("bytes that are not audio fail with that reason, and never play")
    func page() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let source = MemorySource(bytes: Array("<!DOCTYPE html><html>no song</html>".utf8))
            let states = try await bench.states {
                bench.player.play([PlayerItem(source, name: "page")])
                let end = await bench.player.waitUntilStopped()
                #expect(end.failure?.code == .notAudio)
            }
            #expect(
                states == ["starting", "waitingForData", "stopping [error]", "stopped [error]"]
            )
        }
    }

    @Test("an item that cannot be played is skipped")
    func skipping() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            let samples = WAVBytes.ramp(0..<8_000)
            let page = PlayerItem(MemorySource(bytes: Array("<html></html>".utf8)), name: "page")
            let events = bench.player.events()
            bench.player.play([page, PlayerBench.item("sound", samples)])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.itemIndex == 1)
            let isEqual = bench.sink.samples == samples
            #expect(isEqual)
            var failed: [Int] = []
            for await event in events {
                if case .itemFailed(let index, _) = event { failed.append(index) }
                if case .stateChanged(.stopped, _, _) = event { break }
            }
            #expect(failed == [0])
        }
    }

    @Test("a stop returns at once, closes the sink, and the player can start again")
    func stopping() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let item = PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))
            for round in 1...3 {
                bench.player.play([item])
                try await bench.pass(.seconds(1))
                #expect(bench.player.snapshot.state == .playing)
                #expect(bench.player.stop())
                #expect(bench.player.snapshot.state == .stopping)
                #expect(bench.player.snapshot.stopReason == .user)
                let end = await bench.player.waitUntilStopped()
                #expect(end.stopReason == .user)
                #expect(bench.sink.kept.withLock { $0.closes } == round)
            }
            #expect(bench.player.stop())
        }
    }

    @Test("after a change of the device, the sound continues at the same place")
    func deviceChange() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await bench.pass(.seconds(3))
            bench.sink.fail(AudioError(.deviceChanged, "The headphones were pulled."))
            try await bench.pass(.seconds(0.3))
            #expect(bench.player.snapshot.state == .playing)
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(abs((end.position - .seconds(10)) / .milliseconds(1)) < 1)
            #expect(bench.now < .seconds(11))
        }
    }

    @Test("a phone call pauses the sound, which then resumes, unless the user has paused it")
    func interruption() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await bench.pass(.seconds(1))
            bench.player.interruptionBegan()
            #expect(bench.player.snapshot.state == .paused)
            #expect(bench.player.snapshot.stopReason == .temporary)
            bench.player.interruptionEnded(shouldResume: true)
            #expect(bench.player.snapshot.state == .playing)
            bench.player.interruptionBegan()
            bench.player.pause()
            bench.player.interruptionEnded(shouldResume: true)
            #expect(bench.player.snapshot.state == .paused)
            bench.player.resume()
            #expect(await bench.player.waitUntilStopped().stopReason == .endOfStream)
        }
    }

    @Test("a file of which no packet can be decoded ends with an error that says so")
    func nothingHeard() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, decoders: [RefusingDecoders()])
            let item = PlayerBench.item("refused", WAVBytes.ramp(0..<8000))
            bench.player.play([item])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .undecodable)
            #expect(end.failure?.message.hasPrefix("refused: ") == true)
            #expect(end.failure?.message.contains("decoded (It is damaged.)") == true)
            // In a list, the player reports each such item and goes on to the next.
            let events = bench.player.events()
            bench.player.play([item, item])
            _ = await bench.player.waitUntilStopped()
            var failed: [Int] = []
            for await event in events {
                if case .itemFailed(let index, _) = event { failed.append(index) }
                if case .stateChanged(.stopped, _, _) = event { break }
            }
            #expect(failed == [0, 1])
        }
    }

    @Test("the source waits while the sink plays the sound")
    func backPressure() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let source = PacedSource(
                WAVBytes.file(WAVBytes.ramp(0..<4_800_000), sampleRate: 48_000),
                clock: time.clock,
                bytesPerSecond: 100_000_000
            )
            bench.player.play([PlayerItem(source, name: "fast")])
            try await bench.pass(.seconds(1))
            // Half a minute in the queue, one chunk in flight, and the sound already heard.
            #expect(source.byteCount < 30 * 96_000 + 200_000 + 2 * 65_536)
            bench.player.stop()
            _ = await bench.player.waitUntilStopped()
        }
    }
}
