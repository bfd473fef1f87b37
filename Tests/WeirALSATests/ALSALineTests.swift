// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import Testing
import WeirPlayback

@testable import WeirALSA

@Suite struct ALSALineTests {
    static let format = PCMFormat(sampleRate: 1000, channelCount: 1)

    private func line() -> ALSALine { ALSALine(format: Self.format, frameSize: 2) }

    @Test("what is written is offered until the device has taken all of it")
    func writesAreOffered() {
        var line = self.line()
        #expect(line.next() == .rest(isPlaying: false))
        line.write([1, 2, 3, 4])
        #expect(line.next() == .write(1))
        #expect(line.took(2, ofWrite: 1) == false)
        #expect(line.next() == .write(1))
        #expect(Array(line.bytes) == [3, 4])
        #expect(line.took(2, ofWrite: 1) == true)
        line.measured(2, at: .zero)
        #expect(line.next() == .rest(isPlaying: true))
    }

    @Test("what the device takes of a dropped write counts for nobody")
    func droppedWritesAreForgotten() {
        var line = self.line()
        line.write([1, 2, 3, 4])
        #expect(line.next() == .write(1))
        line.discard()
        line.write([5, 6, 7, 8])
        #expect(line.took(4, ofWrite: 1) == false)
        #expect(line.next() == .discard)
        #expect(line.next() == .write(2))
        #expect(line.bytes.count == 4)
    }

    @Test("the delay falls with time, stands while paused, and never falls below nothing")
    func delayFollowsTime() {
        var line = self.line()
        line.write([UInt8](repeating: 0, count: 200))
        line.measured(400, at: .seconds(1))
        #expect(line.delay(at: .seconds(1)) == .milliseconds(500))
        #expect(line.delay(at: .milliseconds(1100)) == .milliseconds(400))
        line.pause(at: .milliseconds(1100))
        #expect(line.delay(at: .seconds(9)) == .milliseconds(400))
        line.resume(at: .seconds(9))
        #expect(line.delay(at: .milliseconds(9200)) == .milliseconds(200))
        line.giveUp()
        #expect(line.delay(at: .seconds(20)) == .zero)
    }

    @Test("pausing and resuming before the thread has seen it is nothing")
    func shortPauseIsNothing() {
        var line = self.line()
        line.pause(at: .zero)
        line.resume(at: .zero)
        #expect(line.next() == .rest(isPlaying: false))
        line.pause(at: .zero)
        #expect(line.next() == .pause)
        line.write([1, 2])
        #expect(line.next() == .rest(isPlaying: false))
        line.resume(at: .zero)
        #expect(line.next() == .resume)
        #expect(line.next() == .write(1))
    }

    @Test("a measurement from before a discard does not bring back what was dropped")
    func staleMeasurement() {
        var line = self.line()
        line.measured(300, at: .zero)
        line.discard()
        line.measured(300, at: .zero)
        #expect(line.delay(at: .zero) == .zero)
    }

    @Test("closing comes before all else")
    func closing() {
        var line = self.line()
        line.write([1, 2])
        line.pause(at: .zero)
        line.close()
        #expect(line.next() == .close)
    }

    @Test("the history gives back the last bytes in order, however they came", arguments: 1...9)
    func historyGivesLastBytes(_ piece: Int) {
        var history = ALSAHistory(capacity: 7)
        var all: [UInt8] = []
        for start in stride(from: 0, to: 40, by: piece) {
            let bytes = (start..<start + piece).map { UInt8($0) }
            all += bytes
            history.append(bytes[...])
            var copy = history
            #expect(copy.takeLast(5) == Array(all.suffix(min(5, all.count))))
            #expect(copy.takeLast(5).isEmpty)
        }
        #expect(history.takeLast(100) == Array(all.suffix(7)))
    }
}
#endif
