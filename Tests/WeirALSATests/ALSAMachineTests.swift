// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirPlayback

@testable import WeirALSA

@Suite struct ALSAMachineTests {
    static let format = PCMFormat(sampleRate: 1000, channelCount: 1)

    private func machine() -> ALSAMachine { ALSAMachine(format: Self.format) }

    @Test("written samples are offered until the device has taken all of them")
    func writesAreOffered() {
        var machine = self.machine()
        #expect(machine.next() == .rest(isPlaying: false))
        machine.write([1, 2, 3, 4])
        #expect(machine.next() == .write(1))
        #expect(machine.took(2, ofWrite: 1) == false)
        #expect(machine.next() == .write(1))
        #expect(Array(machine.samples) == [3, 4])
        #expect(machine.took(2, ofWrite: 1) == true)
        machine.measured(2, at: .zero)
        #expect(machine.next() == .rest(isPlaying: true))
    }

    @Test("samples that the device takes of a dropped write do not count")
    func droppedWritesAreForgotten() {
        var machine = self.machine()
        machine.write([1, 2, 3, 4])
        #expect(machine.next() == .write(1))
        machine.discard()
        machine.write([5, 6, 7, 8])
        #expect(machine.took(4, ofWrite: 1) == false)
        #expect(machine.next() == .discard)
        #expect(machine.next() == .write(2))
        #expect(machine.samples.count == 4)
    }

    @Test("the delay falls with time, does not change during a pause, and never falls below zero")
    func delayFollowsTime() {
        var machine = self.machine()
        machine.write([Float](repeating: 0, count: 100))
        machine.measured(400, at: .seconds(1))
        #expect(machine.delay(at: .seconds(1)) == .milliseconds(500))
        #expect(machine.delay(at: .milliseconds(1100)) == .milliseconds(400))
        machine.pause(at: .milliseconds(1100))
        #expect(machine.delay(at: .seconds(9)) == .milliseconds(400))
        machine.resume(at: .seconds(9))
        #expect(machine.delay(at: .milliseconds(9200)) == .milliseconds(200))
        machine.giveUp()
        #expect(machine.delay(at: .seconds(20)) == .zero)
    }

    @Test("a pause that ends before the thread has seen it has no effect")
    func shortPauseIsNothing() {
        var machine = self.machine()
        machine.pause(at: .zero)
        machine.resume(at: .zero)
        #expect(machine.next() == .rest(isPlaying: false))
        machine.pause(at: .zero)
        #expect(machine.next() == .pause)
        machine.write([1, 2])
        #expect(machine.next() == .rest(isPlaying: false))
        machine.resume(at: .zero)
        #expect(machine.next() == .resume)
        #expect(machine.next() == .write(1))
    }

    @Test("a measurement from before a discard does not bring back the dropped samples")
    func staleMeasurement() {
        var machine = self.machine()
        machine.measured(300, at: .zero)
        machine.discard()
        machine.measured(300, at: .zero)
        #expect(machine.delay(at: .zero) == .zero)
    }

    @Test("the last measured delay of a device that ran dry falls with time, down to zero")
    func dryDevice() {
        var machine = self.machine()
        machine.measured(90, at: .zero)
        machine.measured(nil, at: .milliseconds(40))
        #expect(machine.delay(at: .milliseconds(40)) == .milliseconds(50))
        #expect(machine.next() == .rest(isPlaying: true))
        machine.measured(nil, at: .milliseconds(90))
        #expect(machine.next() == .rest(isPlaying: false))
    }

    @Test("a device that plays none of its samples is not waited for forever")
    func stuckDevice() {
        var machine = self.machine()
        machine.write([1, 2])
        #expect(machine.next() == .write(1))
        #expect(machine.took(2, ofWrite: 1) == true)
        machine.measured(400, at: .seconds(10))
        machine.measured(400, at: .seconds(14))
        #expect(machine.next() == .rest(isPlaying: true))
        machine.measured(399, at: .seconds(14.5))
        machine.measured(400, at: .seconds(19))
        #expect(machine.next() == .rest(isPlaying: true))
        machine.measured(400, at: .seconds(19.5))
        #expect(machine.next() == .rest(isPlaying: false))
    }

    @Test("a device that is paused for long does not count as one that plays nothing")
    func longPause() {
        var machine = self.machine()
        machine.measured(400, at: .zero)
        machine.pause(at: .zero)
        #expect(machine.next() == .pause)
        machine.measured(400, at: .zero)
        machine.resume(at: .seconds(60))
        #expect(machine.next() == .resume)
        machine.measured(400, at: .seconds(60))
        #expect(machine.next() == .rest(isPlaying: true))
    }

    @Test(
        "only the last change of the volume is sent: once, before waiting samples, also during a pause"
    )
    func volume() {
        var machine = self.machine()
        machine.write([1, 2])
        machine.setGain(0.4)
        machine.setGain(0.5)
        #expect(machine.next() == .setGain(0.5))
        #expect(machine.next() == .write(1))
        machine.pause(at: .zero)
        machine.setGain(1)
        #expect(machine.next() == .pause)
        #expect(machine.next() == .setGain(1))
        #expect(machine.next() == .rest(isPlaying: false))
    }

    @Test("a close comes before every other action")
    func closing() {
        var machine = self.machine()
        machine.write([1, 2])
        machine.pause(at: .zero)
        machine.close()
        #expect(machine.next() == .close)
    }

    @Test("the history returns the last samples in order, for any pieces", arguments: 1...9)
    func historyGivesLastBytes(_ piece: Int) {
        var history = ALSAHistory(capacity: 7)
        var all: [Float] = []
        for start in stride(from: 0, to: 40, by: piece) {
            let samples = (start..<start + piece).map { Float($0) }
            all += samples
            history.append(samples[...])
            var copy = history
            #expect(copy.takeLast(5) == Array(all.suffix(min(5, all.count))))
            #expect(copy.takeLast(5) == Array(all.suffix(7).dropLast(min(5, all.count)).suffix(5)))
            copy.append([100, 101])
            #expect(copy.takeLast(2) == [100, 101])
        }
        #expect(history.takeLast(100) == Array(all.suffix(7)))
    }
}
#endif
