// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirPlayback

@Suite("Noticing a sink that hangs")
struct SinkWatchTests {
    private func look(
        _ watch: inout SinkWatch,
        _ delay: Duration,
        times: Int,
        isSounding: Bool = true
    ) -> [SinkWatch.Finding] {
        (0..<times).compactMap { _ in
            watch.looked(delay: delay, tick: .milliseconds(100), isSounding: isSounding)
        }
    }

    @Test("a sink that stands still for three seconds is stuck, which is reported once")
    func stuck() {
        var watch = SinkWatch()
        watch.asked()
        #expect(self.look(&watch, .seconds(1), times: 30) == [])
        // A small change up and down does not count as progress.
        #expect(self.look(&watch, .milliseconds(990), times: 60) == [.stuck])
        #expect(watch.answered() == .movesAgain)
        #expect(watch.answered() == nil)
    }

    @Test("a sink that plays on is not stuck, however long its write takes")
    func longWrite() {
        var watch = SinkWatch()
        watch.asked()
        for tick in 0..<100 {
            #expect(self.look(&watch, .milliseconds(20_000 - tick * 100), times: 1) == [])
        }
        #expect(self.look(&watch, .seconds(1), times: 40) == [.stuck])
        #expect(self.look(&watch, .milliseconds(700), times: 1) == [.movesAgain])
        #expect(watch.answered() == nil)
    }

    @Test("a sink that is paused, or has nothing to do, may stand still")
    func paused() {
        var watch = SinkWatch()
        #expect(self.look(&watch, .zero, times: 100) == [])
        watch.asked()
        #expect(self.look(&watch, .zero, times: 100, isSounding: false) == [])
        #expect(self.look(&watch, .zero, times: 29) == [])
        #expect(self.look(&watch, .zero, times: 100, isSounding: false) == [])
        #expect(self.look(&watch, .zero, times: 100) == [.stuck])
        #expect(self.look(&watch, .zero, times: 100, isSounding: false) == [])
        #expect(self.look(&watch, .zero, times: 100) == [])
    }
}
