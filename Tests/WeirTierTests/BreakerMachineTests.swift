// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTier

@Suite("A failing store gets no requests", .timeLimit(.minutes(1)))
struct BreakerMachineTests {
    /// A breaker that has just opened after failures at 0 s.
    private static func opened() -> BreakerMachine {
        var machine = BreakerMachine()
        for _ in 0..<BreakerMachine.tolerance {
            #expect(machine.mayAsk(at: .zero) == true)
            _ = machine.failed(at: .zero)
        }
        #expect(machine.isOpen)
        return machine
    }

    @Test("after three failures in a row, and no fewer")
    func failures() {
        var machine = BreakerMachine()
        for _ in 0..<10 {
            #expect(machine.failed(at: .zero) == nil)
            #expect(machine.failed(at: .zero) == nil)
            machine.succeeded(asked: .zero)
        }
        _ = machine.failed(at: .zero)
        _ = machine.failed(at: .zero)
        #expect(machine.failed(at: .zero) == .seconds(1))
        #expect(machine.mayAsk(at: .milliseconds(999)) == false)
    }

    @Test("then one probe may ask, and no other request")
    func probe() {
        var machine = Self.opened()
        #expect(machine.mayAsk(at: .seconds(1)) == true)
        #expect(machine.mayAsk(at: .seconds(5)) == false)
        machine.succeeded(asked: .seconds(1))
        for _ in 0..<2 { #expect(machine.mayAsk(at: .seconds(5)) == true) }
    }

    @Test("for twice as long after each failed probe, a minute at most")
    func pauses() {
        var machine = Self.opened()
        var time = Duration.seconds(1)
        for expected in [2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(machine.mayAsk(at: time) == true)
            #expect(machine.failed(at: time) == .seconds(expected))
            #expect(machine.mayAsk(at: time + .seconds(expected) - .milliseconds(1)) == false)
            time += .seconds(expected)
        }
        #expect(machine.mayAsk(at: time) == true)
        machine.succeeded(asked: time)
        for _ in 0..<2 { #expect(machine.failed(at: time) == nil) }
        #expect(machine.failed(at: time) == .seconds(1))
    }

    @Test("after three late answers, of which ten timely ones cancel one")
    func lateness() {
        var machine = BreakerMachine()
        for _ in 0..<100 {
            #expect(machine.late(at: .zero) == nil)
            for _ in 0..<10 { machine.succeeded(asked: .zero) }
        }
        #expect(machine.late(at: .zero) == nil)
        for _ in 0..<9 { machine.succeeded(asked: .zero) }
        #expect(machine.late(at: .zero) == nil)
        #expect(machine.late(at: .zero) == nil)
        #expect(machine.late(at: .zero) == .seconds(1))
        #expect(machine.late(at: .zero) == nil)
        #expect(machine.isOpen && !machine.isDue(at: .zero) && machine.isDue(at: .seconds(1)))
        #expect(machine.mayAsk(at: .seconds(1)) == true)
        #expect(machine.late(at: .seconds(2)) == .seconds(2))
    }

    @Test("for the time that it asks for, ten minutes at most, and no shorter for a shorter wish")
    func refused() {
        var machine = BreakerMachine()
        #expect(machine.refused(at: .zero, for: .seconds(120)) == .seconds(120))
        #expect(machine.refused(at: .seconds(10), for: .seconds(5)) == nil)
        #expect(machine.mayAsk(at: .seconds(119)) == false)
        #expect(machine.mayAsk(at: .seconds(120)) == true)
        #expect(machine.refused(at: .seconds(120), for: .seconds(100_000)) == .seconds(600))
        #expect(machine.refused(at: .seconds(800), for: .seconds(-1)) == .seconds(1))
    }

    @Test("a probe whose asker has left passes to another")
    func left() {
        var machine = Self.opened()
        #expect(machine.mayAsk(at: .seconds(1)) == true)
        machine.left(asked: .seconds(1))
        #expect(machine.mayAsk(at: .seconds(1)) == true)
        machine.succeeded(asked: .seconds(1))
        machine.left(asked: .seconds(1))
        #expect(!machine.isOpen)
    }

    @Test("an answer to a request from before the pause neither ends it nor counts for the probe")
    func before() {
        var machine = Self.opened()
        machine.succeeded(asked: .zero)
        #expect(machine.isOpen && !machine.isDue(at: .milliseconds(999)))
        #expect(machine.mayAsk(at: .seconds(1)) == true)
        machine.succeeded(asked: .zero)
        machine.left(asked: .zero)
        #expect(machine.isOpen && machine.mayAsk(at: .seconds(1)) == false)
    }

    @Test("a failure from before the pause does not make it longer")
    func late() {
        var machine = Self.opened()
        #expect(machine.failed(at: .milliseconds(900)) == nil)
        #expect(machine.mayAsk(at: .seconds(1)) == true)
    }
}
