// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("How far behind the live end a station may play")
struct LiveLagTests {
    private static func begun(behind: Duration = .seconds(2)) -> LiveLag {
        var lag = LiveLag(after: .zero, allowed: .seconds(10))
        lag.passed(.milliseconds(100), .heard, behind: behind, heard: .milliseconds(100))
        return lag
    }

    @Test("by any lag that the server causes by sending ahead")
    func ahead() {
        var lag = Self.begun()
        for second in 1...1000 {
            let behind = Duration.seconds(2 + 9 * second)
            lag.passed(.seconds(1), .heard, behind: behind, heard: .seconds(second))
            #expect(lag.excess(behind: behind) == nil)
        }
        #expect(lag.own == .zero)
    }

    @Test("by any lag that the listener chose with a pause or a seek")
    func chosen() {
        var lag = Self.begun()
        lag.passed(.seconds(300), .paused, behind: .seconds(302), heard: .seconds(5))
        lag.passed(.seconds(1), .heard, behind: .seconds(302), heard: .seconds(6))
        #expect(lag.excess(behind: .seconds(302)) == nil)
        #expect(lag.chosen == .seconds(302))
    }

    @Test("by ten seconds after a halt of the player; the received rest is skipped")
    func stalled() {
        var lag = Self.begun()
        lag.passed(.seconds(40), .stalled, behind: .zero, heard: .seconds(60))
        #expect(lag.excess(behind: .seconds(2)) == nil)
        // More sound may still arrive.
        lag.passed(.seconds(1), .heard, behind: .seconds(20), heard: .seconds(61))
        #expect(lag.excess(behind: .seconds(20)) == nil)
        lag.passed(.seconds(2), .heard, behind: .seconds(20), heard: .seconds(63))
        #expect(lag.excess(behind: .seconds(20)) == .seconds(8))
        #expect(lag.excess(behind: .seconds(42)) == .seconds(30))
        // More sound has arrived than the halt can explain.
        #expect(lag.excess(behind: .seconds(500)) == .seconds(30))
        let left = lag.givenUp(.seconds(30), after: .zero)
        #expect(left.own == .seconds(10))
        #expect(left.chosen == .seconds(2))
        #expect(left.excess(behind: .seconds(500)) == nil)
    }

    @Test("a wait for the server counts only if its connection turns out to be lost")
    func starved() {
        var slow = Self.begun()
        for second in 1...100 {
            slow.passed(.seconds(1), .starved, behind: .zero, heard: .seconds(second))
            slow.passed(.seconds(1), .heard, behind: .zero, heard: .seconds(second + 1))
        }
        #expect(slow.own == .zero)
        var lost = Self.begun()
        lost.passed(.seconds(9), .starved, behind: .zero, heard: .seconds(60))
        lost.passed(.seconds(20), .stalled, behind: .zero, heard: .seconds(60))
        #expect(lost.own == .seconds(29))
    }

    @Test("a halt is forgotten if the missed sound never arrives")
    func settled() {
        var lag = Self.begun()
        lag.passed(.seconds(40), .stalled, behind: .zero, heard: .seconds(60))
        lag.passed(.seconds(9), .heard, behind: .seconds(3), heard: .seconds(69))
        #expect(lag.own == .seconds(40))
        lag.passed(.seconds(1), .heard, behind: .seconds(3), heard: .seconds(70))
        #expect(lag.own == .seconds(1))
    }

    @Test(
        "the lag of a halt is skipped once, however fast the missed sound comes",
        arguments: 1...40
    )
    func once(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let halt = Double.random(in: 16...90, using: &random)
            let pace = Double.random(in: 1.05...8, using: &random)
            var lag = Self.begun()
            lag.passed(.seconds(30), .heard, behind: .seconds(2), heard: .seconds(30))
            lag.passed(.seconds(halt), .stalled, behind: .seconds(2), heard: .seconds(30))
            var (heard, behind, missing) = (30.0, 2.0, halt)
            var skips: [Double] = []
            for _ in 0..<1000 {
                let came = min(missing, (pace - 1) * 0.1)
                (heard, behind, missing) = (heard + 0.1, behind + came, missing - came)
                lag.passed(
                    .seconds(0.1),
                    .heard,
                    behind: .seconds(behind),
                    heard: .seconds(heard)
                )
                guard let excess = lag.excess(behind: .seconds(behind)) else { continue }
                skips.append(excess / .seconds(1))
                (heard, behind) = (0, behind - excess / .seconds(1))
                lag = lag.givenUp(excess, after: .zero)
            }
            #expect(skips.count <= 1, "\(seed): \(halt) s, \(pace) times: \(skips)")
            // If the missing sound arrives within ten seconds after the halt, the player catches
            // up.
            if halt / (pace - 1) < 7.5 { #expect(behind <= 17.1, "\(seed): \(halt) s, \(pace)") }
        }
    }
}
