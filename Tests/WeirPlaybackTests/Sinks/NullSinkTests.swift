// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback
import WeirTestKit

@Suite(.timeLimit(.minutes(1))) struct NullSinkTests {
    static let format = PCMFormat(sampleRate: 1000, channelCount: 2)

    private func sound(_ milliseconds: Int) -> PCMBuffer {
        .silence(Self.format, frameCount: milliseconds)
    }

    @Test("the sink accepts a full buffer at once, and then as fast as time passes")
    func pacing() async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock)
        #expect(sink.isPaced)
        #expect(try await sink.open(Self.format) == Self.format)
        for _ in 0..<3 { try await sink.write(self.sound(100)) }
        #expect(sink.delay == .milliseconds(300))
        let fourth = Task { try await sink.write(self.sound(100)) }
        await clock.waitForSleepers(1)
        #expect(sink.delay == .milliseconds(400))
        #expect(clock.remainingSleeps == [.milliseconds(100)])
        clock.advance(by: .milliseconds(100))
        try await fourth.value
        #expect(sink.delay == .milliseconds(300))
        clock.advance(by: .seconds(9))
        #expect(sink.delay == .zero)
    }

    @Test("draining returns with the last frame, not before")
    func draining() async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock)
        try await sink.drain()
        try await sink.write(self.sound(150))
        let drained = Watched(false)
        let drain = Task {
            try await sink.drain()
            drained.update { $0 = true }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(149))
        #expect(clock.remainingSleeps == [.milliseconds(1)])
        #expect(!drained.value)
        clock.advance(by: .milliseconds(1))
        try await drain.value
        #expect(sink.delay == .zero)
    }

    @Test("a paused sink holds the write and the delay until it is resumed")
    func pausing() async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock, capacity: .milliseconds(200))
        try await sink.write(self.sound(100))
        let write = Task { try await sink.write(self.sound(100)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        sink.pause()
        clock.advance(by: .seconds(60))
        #expect(sink.delay == .milliseconds(150))
        sink.resume()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        try await write.value
        #expect(sink.delay == .milliseconds(100))
    }

    @Test(
        "discarding lets a write and a drain return at once, paused or not",
        arguments: [true, false]
    )
    func discarding(_ isPaused: Bool) async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock, capacity: .milliseconds(200))
        try await sink.write(self.sound(100))
        let write = Task { try await sink.write(self.sound(200)) }
        await clock.waitForSleepers(1)
        if isPaused { sink.pause() }
        sink.discard()
        try await write.value
        #expect(sink.delay == .zero)
        sink.resume()
        try await sink.write(self.sound(100))
        let drain = Task { try await sink.drain() }
        await clock.waitForSleepers(1)
        if isPaused { sink.pause() }
        sink.discard()
        try await drain.value
        #expect(sink.delay == .zero)
    }

    @Test("a cancelled task leaves at once, sleeping or paused")
    func cancelling() async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock, capacity: .milliseconds(200))
        try await sink.write(self.sound(100))
        let write = Task { try await sink.write(self.sound(200)) }
        await clock.waitForSleepers(1)
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        sink.pause()
        let drain = Task { try await sink.drain() }
        drain.cancel()
        await #expect(throws: CancellationError.self) { try await drain.value }
        #expect(clock.sleeperCount == 0)
        await sink.close()
        try await sink.write(self.sound(100))
    }

    @Test("closing drops the remaining sound and ends a pause")
    func closing() async throws {
        let clock = ManualClock()
        let sink = NullSink(clock: clock)
        try await sink.write(self.sound(100))
        sink.pause()
        await sink.close()
        #expect(sink.delay == .zero)
        try await sink.write(self.sound(100))
        clock.advance(by: .milliseconds(40))
        #expect(sink.delay == .milliseconds(60))
    }

    @Test("a day of sound takes a day of virtual time, to the nanosecond")
    func virtualDay() async throws {
        let time = VirtualTime()
        let format = PCMFormat(sampleRate: 44_100, channelCount: 2)
        let passed = try await time.run {
            let sink = NullSink(clock: time.clock)
            let start = time.clock.now
            let buffer = PCMBuffer.silence(format, frameCount: 44_100)
            for _ in 0..<86_400 { try await sink.write(buffer) }
            try await sink.drain()
            return start.duration(to: time.clock.now)
        }
        #expect(passed == .seconds(86_400))
    }

    @Test("after any order of calls from many tasks the sink still works", arguments: 1...20)
    func storm(_ seed: Int) async throws {
        let sink = NullSink(clock: ContinuousClock(), capacity: .milliseconds(4))
        await withTaskGroup { group in
            let writer = Task {
                for _ in 0..<200 {
                    try await sink.write(.silence(Self.format, frameCount: 1))
                }
            }
            group.addTask {
                var generator = SeededGenerator(seed: UInt64(seed))
                for _ in 0..<200 {
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: sink.pause()
                    case 1: sink.discard()
                    case 2: sink.resume()
                    default: await Task.yield()
                    }
                }
                sink.resume()
                if seed.isMultiple(of: 2) { writer.cancel() }
            }
            await group.waitForAll()
            _ = await writer.result
        }
        try await sink.write(.silence(Self.format, frameCount: 1))
        try await sink.drain()
        #expect(sink.delay == .zero)
    }
}
