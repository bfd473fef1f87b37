// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAVFoundation

@Suite("The decision when a player plays on after a stall")
struct StallMachineTests {
    @Test(
        "with enough bytes a stalled player plays on, only once, at its earlier rate",
        arguments: [1, 1.5, -1]
    )
    func stall(_ rate: Float) {
        var machine = StallMachine()
        #expect(machine.handle(.rateChanged(to: rate, .application)) == nil)
        #expect(machine.handle(.rateChanged(to: 0, .player)) == nil)
        #expect(machine.handle(.stalled(canKeepUp: false)) == nil)
        #expect(machine.handle(.supplyChanged(canKeepUp: false)) == nil)
        #expect(machine.handle(.supplyChanged(canKeepUp: true)) == rate)
        #expect(machine.handle(.supplyChanged(canKeepUp: true)) == nil)
    }

    @Test("a stall and its rate may be reported in any order")
    func order() {
        var machine = StallMachine(rate: 1)
        #expect(machine.handle(.stalled(canKeepUp: false)) == nil)
        #expect(machine.handle(.rateChanged(to: 0, .player)) == nil)
        #expect(machine.handle(.supplyChanged(canKeepUp: true)) == 1)
        #expect(machine.handle(.stalled(canKeepUp: true)) == 1)
    }

    @Test(
        "a pause by the application or the system stays, before a stall and during one",
        arguments: [StallMachine.Cause.application, .system],
        [false, true]
    )
    func paused(_ cause: StallMachine.Cause, _ isStalled: Bool) {
        var machine = StallMachine(rate: 1)
        if isStalled { _ = machine.handle(.stalled(canKeepUp: false)) }
        #expect(machine.handle(.rateChanged(to: 0, cause)) == nil)
        #expect(machine.handle(.stalled(canKeepUp: true)) == nil)
        #expect(machine.handle(.supplyChanged(canKeepUp: true)) == nil)
        #expect(machine.wanted == nil)
    }

    @Test("a player that never played, or reached its end, is not made to play")
    func ended() {
        var idle = StallMachine()
        #expect(idle.handle(.stalled(canKeepUp: true)) == nil)
        #expect(idle.handle(.supplyChanged(canKeepUp: true)) == nil)
        var ended = StallMachine(rate: 1)
        #expect(ended.handle(.rateChanged(to: 0, .player)) == nil)
        #expect(ended.handle(.supplyChanged(canKeepUp: true)) == nil)
    }

    @Test(
        "in every sequence of six events the player plays only if that is wanted, and only after a stall"
    )
    func neverAgainstAWish() {
        let events: [StallMachine.Event] = [
            .rateChanged(to: 1, .application), .rateChanged(to: 0, .application),
            .rateChanged(to: 0, .system), .rateChanged(to: 0, .player),
            .stalled(canKeepUp: false), .stalled(canKeepUp: true),
            .supplyChanged(canKeepUp: false), .supplyChanged(canKeepUp: true),
        ]
        for number in 0..<262_144 {
            var machine = StallMachine()
            var (isWanted, isStalled, isRight, rest) = (false, false, true, number)
            for _ in 0..<6 {
                let event = events[rest % 8]
                rest /= 8
                switch event {
                case .rateChanged(let rate, let cause):
                    if rate != 0 { (isWanted, isStalled) = (true, false) }
                    if rate == 0, cause != .player { (isWanted, isStalled) = (false, false) }
                case .stalled: isStalled = isWanted
                case .supplyChanged: break
                }
                let plays = machine.handle(event) != nil
                isRight = isRight && (!plays || isWanted && isStalled)
                if plays { isStalled = false }
            }
            guard isRight else {
                Issue.record("way \(number)")
                return
            }
        }
    }
}
