// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTier

@Suite("When the origin is asked in addition to a store", .timeLimit(.minutes(1)))
struct HedgeMachineTests {
    private static func pace(_ times: Duration...) -> OriginPace {
        var pace = OriginPace()
        for time in times { pace.answered(after: time) }
        return pace
    }

    // MARK: When a store is late

    @Test("the store is late when the origin would have answered, judged by its last answers")
    func delay() {
        #expect(OriginPace().delay == .milliseconds(500))
        #expect(Self.pace(.milliseconds(5), .milliseconds(6)).delay == .milliseconds(250))
        #expect(Self.pace(.milliseconds(200)).delay == .milliseconds(600))
        #expect(Self.pace(.seconds(30)).delay == .seconds(2))
        var pace = Self.pace(.seconds(1))
        for _ in 0..<100 { pace.answered(after: .milliseconds(300)) }
        #expect(pace.delay > .milliseconds(290) && pace.delay < .milliseconds(320))
    }

    @Test("the more bytes, the longer the origin would need")
    func time() {
        var pace = Self.pace(.milliseconds(10))
        #expect(pace.time(for: 4_000_000) == .milliseconds(1250))
        pace.delivered(10_000_000, in: .seconds(1))
        #expect(pace.time(for: 4_000_000) == .milliseconds(650))
        // A delivery without a duration says nothing about the pace.
        pace.delivered(10_000_000, in: .zero)
        #expect(pace.time(for: 4_000_000) == .milliseconds(650))
        #expect(Self.pace(.seconds(Int64.max)).time(for: .max) == .seconds(3602))
    }

    // MARK: The machine's steps

    @Test("a reader waits, then asks the origin too while credit is left, and then waits longer")
    func steps() {
        let pace = Self.pace(.milliseconds(10))
        var machine = HedgeMachine(mostCredit: 10_000_000)
        func step(_ milliseconds: Int, _ byteCount: Int64) -> HedgeMachine.Step {
            machine.step(after: .milliseconds(milliseconds), for: byteCount, pace)
        }
        #expect(step(0, 6_000_000) == .wait(until: .milliseconds(250)))
        #expect(step(249, 6_000_000) == .wait(until: .milliseconds(250)))
        #expect(step(250, 6_000_000) == .ask)
        #expect(machine.credit == 4_000_000)
        #expect(step(250, 6_000_000) == .wait(until: .milliseconds(1750)))
        #expect(step(1750, 6_000_000) == .leaveAlone)
        #expect(step(250, 4_000_000) == .ask)
        #expect(step(250, 0) == .ask)
    }

    @Test("the store earns a tenth of the bytes that it gives, and the credit is bounded")
    func credit() {
        var machine = HedgeMachine(mostCredit: 100)
        #expect(machine.take(100) == true)
        #expect(machine.take(1) == false)
        for _ in 0..<19 { machine.storeGave(1) }
        #expect(machine.credit == 1)
        machine.storeGave(1)
        #expect(machine.credit == 2)
        machine.storeGave(1_000_000)
        #expect(machine.credit == 100)
    }

    @Test(
        "however late the store is, the origin gives a tenth more at most, and the bytes of the credit",
        arguments: 0..<40
    )
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let most = Int64.random(in: 0..<10_000, using: &random)
        var machine = HedgeMachine(mostCredit: most)
        var pace = OriginPace()
        var (given, hedged): (Int64, Int64) = (0, 0)
        for _ in 0..<2000 {
            let byteCount = Int64.random(in: 0..<3000, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                machine.storeGave(byteCount)
                given += byteCount
            case 1:
                pace.answered(after: .milliseconds(Int.random(in: 0..<3000, using: &random)))
            case 2:
                if machine.take(byteCount) { hedged += byteCount }
            default:
                let waited = Duration.milliseconds(Int.random(in: 0..<5000, using: &random))
                switch machine.step(after: waited, for: byteCount, pace) {
                case .wait(let limit): #expect(limit > waited, "seed \(seed)")
                case .ask:
                    #expect(waited >= pace.delay, "seed \(seed)")
                    hedged += byteCount
                case .leaveAlone: #expect(waited >= pace.time(for: byteCount), "seed \(seed)")
                }
            }
            #expect(hedged <= most + given / 10, "seed \(seed)")
        }
    }
}
