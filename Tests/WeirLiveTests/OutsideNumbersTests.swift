// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

// These tests call every entry point of the module that takes a number from outside: user settings,
// and parsers' values for packets. The fuzzers cover the bytes of a station.
@Suite("Numbers from outside, for radio")
struct OutsideNumbersTests {
    @Test("the kept duration and size may be any number", arguments: OutsideNumbers.all)
    func limits(_ number: Int64) {
        for duration in [Duration.zero, .seconds(number), .seconds(1)] {
            for byteCount in [number, 256] {
                let ring = TimeShiftRingTests.ring(duration: duration, byteCount: byteCount)
                ring.begin(TimeShiftRingTests.stretch())
                TimeShiftRingTests.fill(ring, to: 600)
                #expect(ring.oldest >= 0 && ring.oldest <= ring.end)
            }
        }
    }

    @Test("packets may have any offset and time", arguments: OutsideNumbers.all)
    func marks(_ number: Int64) {
        for (offset, time) in [
            (number, Duration.zero), (10, .seconds(number)), (number, .seconds(number)),
        ] {
            let ring = TimeShiftRingTests.ring(byteCount: 256)
            ring.begin(TimeShiftRingTests.stretch())
            TimeShiftRingTests.fill(ring, to: 300)
            ring.note(time: time, at: offset)
            TimeShiftRingTests.fill(ring, to: 600)
            ring.note(time: .seconds(1), at: 590)
            #expect(ring.oldest >= 0 && ring.oldest <= ring.end)
        }
    }
}
