// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirPlayback

@Suite struct SinkPaceTests {
    private func ms(_ count: Int) -> Duration { .milliseconds(count) }

    @Test("written sound plays as time passes, and silence adds no debt")
    func playing() {
        var pace = SinkPace(capacity: self.ms(400))
        #expect(pace.delay(at: self.ms(5)) == .zero)
        pace.take(self.ms(100), at: self.ms(10))
        pace.take(self.ms(100), at: self.ms(20))
        #expect(pace.delay(at: self.ms(20)) == self.ms(190))
        #expect(pace.delay(at: self.ms(500)) == .zero)
        pace.take(self.ms(50), at: self.ms(500))
        #expect(pace.delay(at: self.ms(500)) == self.ms(50))
    }

    @Test("a clock that goes back does not undo elapsed time")
    func clockGoesBack() {
        var pace = SinkPace(capacity: self.ms(400))
        pace.take(self.ms(100), at: self.ms(1000))
        #expect(pace.delay(at: self.ms(900)) == self.ms(100))
        pace.take(self.ms(100), at: self.ms(900))
        #expect(pace.delay(at: self.ms(1050)) == self.ms(150))
    }

    @Test("during a pause the delay stays the same, however long and however often")
    func pausing() {
        var pace = SinkPace(capacity: self.ms(400))
        pace.take(self.ms(100), at: .zero)
        pace.pause(at: self.ms(30))
        pace.pause(at: self.ms(50))
        #expect(pace.delay(at: self.ms(9000)) == self.ms(70))
        #expect(pace.wait(untilLeft: .zero, at: self.ms(9000)) == .untilChanged)
        pace.resume(at: self.ms(9000))
        pace.resume(at: self.ms(9010))
        #expect(pace.delay(at: self.ms(9020)) == self.ms(50))
        #expect(pace.wait(untilLeft: .zero, at: self.ms(9020)) == .sleep(self.ms(50)))
        pace.discard()
        #expect(pace.delay(at: self.ms(9020)) == .zero)
    }

    @Test("a write waits until its sound fits, or until half of the buffer is free if it is longer")
    func room() {
        var pace = SinkPace(capacity: self.ms(400))
        #expect(pace.waitForRoom(self.ms(5000), at: .zero) == .none)
        pace.take(self.ms(300), at: .zero)
        #expect(pace.waitForRoom(self.ms(100), at: .zero) == .none)
        #expect(pace.waitForRoom(self.ms(101), at: .zero) == .sleep(self.ms(1)))
        #expect(pace.waitForRoom(self.ms(5000), at: .zero) == .sleep(self.ms(100)))
        #expect(pace.waitForRoom(self.ms(5000), at: self.ms(100)) == .none)
    }
}
