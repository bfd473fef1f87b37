// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Editing the queue while it plays")
struct QueueEditingTests {
    /// A second of sound; each number has its own samples.
    private static func second(_ number: Int) -> (item: PlayerItem, samples: [Int16]) {
        let samples = WAVBytes.ramp(number * 1000..<number * 1000 + 8000)
        return (PlayerBench.item("\(number)", samples), samples)
    }

    @Test(
        "an item that is added while the last item plays follows without a gap",
        arguments: [0.1, 0.4]
    )
    func enqueued(after seconds: Double) async throws {
        let (one, two) = (Self.second(1), Self.second(2))
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play(one.item)
            try await bench.pass(.seconds(seconds))
            bench.player.enqueue(two.item)
            #expect(bench.player.snapshot.itemNames == ["1", "2"])
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(end.itemIndex == 1)
            #expect(end.generation == 1, "the run goes on")
            let isWhole = bench.sink.samples == one.samples + two.samples
            #expect(isWhole)
        }
    }

    @Test("an item that is added after the last item's samples were written is played")
    func enqueuedWhileDraining() async throws {
        let (one, two) = (Self.second(1), Self.second(2))
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play(one.item)
            // After the loop, the sink has all samples, and still plays for some tenths of a
            // second.
            while bench.sink.frameCount < 8000 { try await bench.pass(.milliseconds(10)) }
            try await bench.pass(.milliseconds(50))
            #expect(bench.player.snapshot.state == .playing)
            bench.player.enqueue(two.item)
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            let isWhole = bench.sink.samples == one.samples + two.samples
            #expect(isWhole)
        }
    }

    @Test("a new next item plays, though the old one was read ahead")
    func playedNext() async throws {
        let (one, two, three) = (Self.second(1), Self.second(2), Self.second(3))
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([one.item, two.item])
            try await bench.pass(.seconds(0.5))
            bench.player.playNext(three.item)
            #expect(bench.player.snapshot.itemNames == ["1", "3", "2"])
            let end = await bench.player.waitUntilStopped()
            #expect(end.itemIndex == 2)
            let isLast = bench.sink.samples.suffix(16_000) == three.samples + two.samples
            #expect(isLast)
        }
    }

    @Test("removing the current item continues with the item in its place")
    func presentRemoved() async throws {
        let (one, two) = (Self.second(1), Self.second(2))
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play([one.item, two.item])
            try await bench.pass(.seconds(0.5))
            #expect(bench.player.remove(at: 0))
            let end = await bench.player.waitUntilStopped()
            #expect(end.itemNames == ["2"])
            #expect(end.itemIndex == 0)
            #expect(bench.now < .seconds(2))
            let isLast = Array(bench.sink.samples.suffix(8000)) == two.samples
            #expect(isLast)
        }
    }

    @Test("removing the last item while it plays stops the player")
    func lastRemoved() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            bench.player.play(Self.second(1).item)
            try await bench.pass(.seconds(0.5))
            #expect(bench.player.remove(at: 0))
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .user)
            #expect(end.itemNames.isEmpty)
            #expect(end.itemIndex == nil)
            #expect(!bench.player.start())
        }
    }

    @Test(
        "an item behind the part that was read ahead moves without a new run, and the current item plays on"
    )
    func moved() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            // The item is longer than the queue holds, so that the player reads no other item
            // ahead.
            let long = PlayerBench.item("long", WAVBytes.ramp(0..<480_000))
            bench.player.play([long, Self.second(1).item, Self.second(2).item])
            try await bench.pass(.seconds(1.5))
            #expect(bench.player.move(from: 2, to: 0))
            #expect(bench.player.move(from: 2, to: 1))
            let now = bench.player.snapshot
            #expect(now.itemNames == ["2", "1", "long"])
            #expect(now.itemIndex == 2)
            #expect(now.generation == 1)
            #expect(!bench.player.move(from: 0, to: 3))
            #expect(!bench.player.remove(at: 3))
            bench.player.stop()
            _ = await bench.player.waitUntilStopped()
        }
    }

    @Test("a player that was never started gets a queue, and plays it when it is started")
    func filledBefore() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            #expect(!bench.player.start())
            bench.player.enqueue([Self.second(1).item, Self.second(2).item])
            #expect(bench.player.snapshot.state == .initialized)
            #expect(bench.player.start())
            let end = await bench.player.waitUntilStopped()
            #expect(end.stopReason == .endOfStream)
            #expect(bench.sink.frameCount == 16_000)
        }
    }

    @Test("an item without a name gets the name of its source, once that is open")
    func named() async throws {
        let bytes = WAVBytes.file(WAVBytes.ramp(0..<800), sampleRate: 8000)
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time, isPaced: false)
            let source = MemorySource(bytes: bytes, name: "tune.wav")
            let events = bench.player.events()
            bench.player.play(source)
            #expect(bench.player.snapshot.itemNames == ["Item 1"])
            let end = await bench.player.waitUntilStopped()
            #expect(end.itemNames == ["tune.wav"])
            for await event in events {
                guard case .itemStarted(_, let name) = event else { continue }
                #expect(name == "tune.wav")
                break
            }
        }
    }
}
