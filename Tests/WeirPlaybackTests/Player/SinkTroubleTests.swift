// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Sinks and sources that break rules")
struct SinkTroubleTests {
    private struct Odd: Error {}

    private static func player(_ time: VirtualTime, _ sink: any AudioSink) -> Player {
        Player(
            decoders: [PCMDecoderFactory()],
            sink: sink,
            options: PlayerOptions(clock: time.clock, executor: time)
        )
    }

    @Test(
        "a device that changes again and again ends playback after a while",
        arguments: [true, false]
    )
    func alwaysChanging(inOpen: Bool) async throws {
        let time = VirtualTime()
        try await time.run {
            let gone = AudioError(.deviceChanged, "The headphones were pulled.")
            let sink = ScriptedSink(
                opening: { _ in if inOpen { throw gone } },
                writing: { _ in throw gone }
            )
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .sink)
            #expect(end.failure?.message == "The headphones were pulled.")
            #expect(sink.opens > 3 && sink.opens < 30)
            #expect(time.clock.now.offset > .seconds(1))
            #expect(sink.closes == 1)
            // After a new start, the player tries as many times again.
            player.start()
            #expect(await player.waitUntilStopped().stopReason == .error)
            #expect(sink.opens > 6 && sink.opens < 60)
        }
    }

    @Test("the player follows a device that changes now and then, however often")
    func changingOften() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([PlayerBench.item("a minute", WAVBytes.ramp(0..<480_000))])
            for _ in 0..<25 {
                try await bench.pass(.seconds(2))
                bench.sink.fail(AudioError(.deviceChanged, "The headphones were pulled."))
            }
            #expect(bench.player.snapshot.state == .playing)
            #expect(await bench.player.waitUntilStopped().stopReason == .endOfStream)
        }
    }

    @Test(
        "the player waits for a device that went away, with a message, and continues at the same place"
    )
    func deviceGoesAndComes() async throws {
        let time = VirtualTime()
        try await time.run {
            let isThere = Mutex(true)
            let sink = CollectingSink(pace: NullSink(clock: time.clock)) {
                if isThere.withLock({ $0 }) { return }
                throw AudioError(.unavailable, "No server answers.")
            }
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await time.clock.sleep(for: .seconds(3))
            isThere.withLock { $0 = false }
            sink.fail(AudioError(.deviceChanged, "The server has gone."))
            try await time.clock.sleep(for: .seconds(600))
            let waiting = player.snapshot
            #expect(waiting.state == .waitingForQueueToStart)
            #expect(waiting.stopReason == .temporary)
            #expect(waiting.failure?.message.contains("No server answers.") == true)
            #expect(waiting.position > .seconds(2) && waiting.position <= .seconds(3))
            // The pauses between attempts grow, up to a limit.
            let opens = sink.opens
            #expect(opens > 100 && opens < 130)
            isThere.withLock { $0 = true }
            try await time.clock.sleep(for: .seconds(5.5))
            let playing = player.snapshot
            #expect(playing.state == .playing)
            #expect(playing.failure == nil)
            #expect(await player.waitUntilStopped().stopReason == .endOfStream)
            let end = player.snapshot.position
            #expect(end > .seconds(9.999) && end < .seconds(10.001))
        }
    }

    @Test("the user can stop the player while it waits for a device", arguments: [true, false])
    func stoppingWhileAway(isSeekFirst: Bool) async throws {
        let time = VirtualTime()
        try await time.run {
            let opens = Mutex(0)
            let sink = CollectingSink(pace: NullSink(clock: time.clock)) {
                let isFirst = opens.withLock { count in
                    defer { count += 1 }
                    return count == 0
                }
                if !isFirst { throw AudioError(.unavailable, "No server answers.") }
            }
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await time.clock.sleep(for: .seconds(1))
            sink.fail(AudioError(.deviceChanged, "The server has gone."))
            try await time.clock.sleep(for: .seconds(60))
            if isSeekFirst {
                player.seek(to: .seconds(5))
                try await time.clock.sleep(for: .seconds(1))
                #expect(player.snapshot.position == .seconds(5))
                #expect(player.snapshot.failure != nil)
            }
            let before = time.clock.now.offset
            player.stop()
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .user)
            #expect(end.failure == nil)
            #expect(time.clock.now.offset - before < .milliseconds(10))
        }
    }

    @Test("a player reports that it plays when its sink is open, and not before")
    func playingMeansOpen() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = CollectingSink(pace: NullSink(clock: time.clock)) {
                try await time.clock.sleep(for: .seconds(3))
            }
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await time.clock.sleep(for: .seconds(2.9))
            #expect(player.snapshot.state == .waitingForQueueToStart)
            try await time.clock.sleep(for: .seconds(0.2))
            #expect(player.snapshot.state == .playing)
            player.stop()
            _ = await player.waitUntilStopped()
        }
    }

    @Test("the player waits for a device that hangs in its opening, with a message")
    func hangsInOpening() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = CollectingSink(pace: NullSink(clock: time.clock)) {
                try await time.clock.sleep(for: .seconds(60))
            }
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            try await time.clock.sleep(for: .seconds(2.5))
            #expect(player.snapshot.failure == nil)
            try await time.clock.sleep(for: .seconds(1.5))
            let waiting = player.snapshot
            #expect(waiting.state == .waitingForQueueToStart)
            #expect(waiting.stopReason == .temporary)
            #expect(waiting.failure?.message.contains("waits for its device") == true)
            try await time.clock.sleep(for: .seconds(57))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.failure == nil)
            #expect(await player.waitUntilStopped().stopReason == .endOfStream)
        }
    }

    @Test(
        "the player waits for a device that hangs while it plays, with a message; a pause is not a hang"
    )
    func hangsWhilePlaying() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = HangingSink(NullSink(clock: time.clock))
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("a minute", WAVBytes.ramp(0..<480_000))])
            try await time.clock.sleep(for: .seconds(2))
            player.pause()
            try await time.clock.sleep(for: .seconds(60))
            #expect(player.snapshot.failure == nil)
            player.resume()
            try await time.clock.sleep(for: .seconds(4))
            #expect(player.snapshot.state == .playing)
            sink.hang(true)
            try await time.clock.sleep(for: .seconds(5))
            let waiting = player.snapshot
            #expect(waiting.state == .waitingForQueueToStart)
            #expect(waiting.stopReason == .temporary)
            #expect(waiting.failure?.message.contains("waits for its device") == true)
            try await time.clock.sleep(for: .seconds(60))
            #expect(player.snapshot.position == waiting.position)
            player.pause()
            #expect(player.snapshot.state == .paused)
            player.resume()
            sink.hang(false)
            try await time.clock.sleep(for: .seconds(1))
            #expect(player.snapshot.state == .playing)
            #expect(player.snapshot.failure == nil)
            #expect(player.snapshot.underruns == 0)
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.position == .seconds(60))
        }
    }

    @Test("any error that a sink throws stops the player with that error", arguments: [0, 1, 2])
    func oddErrors(kind: Int) async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = ScriptedSink(
                opening: { _ in if kind == 2 { throw AudioError(.unavailable, "None there.") } },
                writing: { number in
                    guard number == 3 else { return }
                    guard kind == 0 else { throw CancellationError() }
                    throw Odd()
                }
            )
            let player = Self.player(time, sink)
            player.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            let end = await player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .sink)
            #expect(sink.closes == 1)
        }
    }

    @Test("a source that throws CancellationError in a task that is not cancelled has failed")
    func cancelledSource() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            bench.player.play([
                PlayerItem(ClosedSource(), name: "closed"),
                PlayerBench.item("sound", WAVBytes.ramp(0..<800)),
            ])
            #expect(await bench.player.waitUntilStopped().stopReason == .endOfStream)
            bench.player.play([PlayerItem(ClosedSource(), name: "closed")])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .error)
            #expect(end.failure?.code == .source)
        }
    }

    @Test("after thousands of starts in a row, the last one plays")
    func manyStarts() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let item = PlayerBench.item("two seconds", WAVBytes.ramp(0..<16_000))
            for _ in 0..<2000 { bench.player.play([item]) }
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.generation == 2000)
            #expect(bench.sink.frameCount == 16_000)
            #expect(bench.now < .seconds(2.5))
        }
    }

    @Test("a player that is dropped while it plays closes its sink and ends its streams")
    func dropped() async throws {
        let time = VirtualTime()
        try await time.run {
            let sink = CollectingSink(pace: NullSink(clock: time.clock))
            var player: Player? = Self.player(time, sink)
            player?.play([PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))])
            let events = try #require(player?.events())
            try await time.clock.sleep(for: .seconds(1))
            player = nil
            for await _ in events {}
            try await time.clock.sleep(for: .seconds(1))
            #expect(sink.kept.withLock { $0.closes } == 1)
            #expect(sink.frameCount < 16_000)
        }
    }

    @Test("seeks beyond all bounds end, and never trap")
    func farSeeks() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            var item = PlayerBench.item("ten seconds", WAVBytes.ramp(0..<80_000))
            bench.player.play([item])
            for _ in 0..<40 { bench.player.seek(by: .seconds(Int64.max)) }
            for _ in 0..<40 { bench.player.seek(by: .seconds(Int64.min)) }
            for _ in 0..<40 { bench.player.seek(to: .seconds(Int64.max)) }
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.position == .seconds(10))
            #expect(bench.sink.frameCount == 0)
            item.start = .seconds(Int64.max)
            bench.player.play([item])
            #expect(await bench.player.waitUntilStopped().position == .seconds(10))
            #expect(bench.sink.frameCount == 0)
        }
    }
}

/// Throws `CancellationError` though nothing was cancelled, as a closed library might.
private struct ClosedSource: ByteSource {
    func describe() async throws -> ResourceDescription { throw CancellationError() }
    func read(_ demand: ReadDemand) async throws -> ByteReading { throw CancellationError() }
}

/// A sink whose device can hang: it then accepts no more sound and has nothing left to play.
private final class HangingSink: AudioSink {
    private let sink: NullSink
    private let hanging = Mutex(false)
    private let change = Signal()

    init(_ sink: NullSink) { self.sink = sink }

    func hang(_ hangs: Bool) {
        self.hanging.withLock { $0 = hangs }
        self.change.raise()
    }

    var isPaced: Bool { true }
    var delay: Duration { self.sink.delay }
    func open(_ format: PCMFormat) async throws -> PCMFormat { try await self.sink.open(format) }
    func write(_ buffer: PCMBuffer) async throws {
        while true {
            let seen = self.change.count
            guard self.hanging.withLock({ $0 }) else { break }
            try await self.change.wait(after: seen)
        }
        try await self.sink.write(buffer)
    }
    func drain() async throws { try await self.sink.drain() }
    func pause() { self.sink.pause() }
    func resume() { self.sink.resume() }
    func discard() { self.sink.discard() }
    func close() async { await self.sink.close() }
}
