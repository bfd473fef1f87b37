// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirPlayback
import WeirTestKit

@Suite(.timeLimit(.minutes(1))) struct PacedSinkTests {
    @Test("a file behind it grows as fast as time passes, and holds exactly the written sound")
    func fileGrowsWithTime() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "sound.wav")
        let time = VirtualTime()
        let format = PCMFormat(sampleRate: 8000, channelCount: 1)
        let passed = try await time.run {
            let sink = PacedSink(wrapping: WAVFileSink(path: path), clock: time.clock)
            #expect(sink.isPaced)
            #expect(try await sink.open(format) == format)
            let start = time.clock.now
            for _ in 0..<100 { try await sink.write(.silence(format, frameCount: 800)) }
            #expect(sink.delay == .milliseconds(300))
            try await sink.drain()
            // No sound arrives for a while: the sink inserts none.
            try await time.clock.sleep(for: .seconds(5))
            try await sink.write(.silence(format, frameCount: 800))
            try await sink.drain()
            await sink.close()
            return start.duration(to: time.clock.now)
        }
        #expect(passed == .milliseconds(15_100))
        let size = try Data(contentsOf: URL(filePath: path)).count
        #expect(size == 80 + 101 * 1600)
    }

    @Test("an error of the wrapped sink reaches the caller")
    func errorsComeThrough() async throws {
        let folder = TemporaryDirectory()
        let sink = PacedSink(
            wrapping: WAVFileSink(path: folder.path),
            clock: ManualClock()
        )
        let format = PCMFormat(sampleRate: 8000, channelCount: 1)
        let error = await #expect(throws: AudioError.self) { try await sink.open(format) }
        #expect(error?.code == .unavailable)
        await #expect(throws: AudioError.self) {
            try await sink.write(.silence(format, frameCount: 1))
        }
    }

    @Test("pausing and discarding affect the time")
    func pausing() async throws {
        let clock = ManualClock()
        let format = PCMFormat(sampleRate: 1000, channelCount: 1)
        let sink = PacedSink(wrapping: NullSink(clock: clock), clock: clock)
        try await sink.write(.silence(format, frameCount: 100))
        sink.pause()
        clock.advance(by: .seconds(3))
        #expect(sink.delay == .milliseconds(100))
        sink.resume()
        clock.advance(by: .milliseconds(60))
        #expect(sink.delay == .milliseconds(40))
        sink.discard()
        #expect(sink.delay == .zero)
        try await sink.drain()
    }
}
