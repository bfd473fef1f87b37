// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirPlayback

@Suite("When the player prefetches the next item")
struct PrefetchMachineTests {
    private typealias Situation = PrefetchMachine.Situation
    private static let one = ItemID(number: 1)
    private static let two = ItemID(number: 2)

    private static func situation(
        isPlaying: Bool = true,
        isWellBuffered: Bool = true,
        remaining: Duration? = .seconds(50),
        next: ItemID? = one
    ) -> Situation {
        Situation(
            isPlaying: isPlaying,
            isWellBuffered: isWellBuffered,
            remaining: remaining,
            next: next
        )
    }

    @Test("a prefetch begins once, near the end of the current item")
    func once() {
        var machine = PrefetchMachine(lead: .seconds(60))
        #expect(machine.observed(Self.situation(remaining: .seconds(61))) == nil)
        #expect(machine.observed(Self.situation(remaining: .seconds(60))) == .begin(Self.one))
        #expect(machine.observed(Self.situation()) == nil)
        machine.ended(Self.one)
        #expect(machine.current == nil)
        #expect(machine.observed(Self.situation(remaining: .seconds(10))) == nil)
        #expect(machine.observed(Self.situation(next: Self.two)) == .begin(Self.two))
    }

    @Test("no prefetch begins unless all conditions hold")
    func notYet() {
        let situations = [
            Self.situation(isPlaying: false), Self.situation(isWellBuffered: false),
            Self.situation(remaining: nil), Self.situation(next: nil),
        ]
        for situation in situations {
            var machine = PrefetchMachine(lead: .seconds(60))
            #expect(machine.observed(situation) == nil)
        }
        var never = PrefetchMachine(lead: nil)
        #expect(never.observed(Self.situation()) == nil)
    }

    @Test("a prefetch ends when the sound stops, or when another item or no item is next")
    func cancelled() {
        let situations = [
            Self.situation(isPlaying: false), Self.situation(next: nil),
            Self.situation(next: Self.two),
        ]
        for situation in situations {
            var machine = PrefetchMachine(lead: .seconds(60))
            _ = machine.observed(Self.situation())
            #expect(machine.observed(situation) == .cancel)
            #expect(machine.current == nil)
            // An unfinished prefetch may begin again.
            #expect(machine.observed(Self.situation()) == .begin(Self.one))
        }
    }

    @Test("a small buffer alone does not end a prefetch")
    func goesOn() {
        var machine = PrefetchMachine(lead: .seconds(60))
        _ = machine.observed(Self.situation())
        #expect(machine.observed(Self.situation(isWellBuffered: false)) == nil)
        #expect(machine.current == Self.one)
    }

    @Test("a seek, a stop and an edit end a prefetch, once")
    func interrupted() {
        var machine = PrefetchMachine(lead: .seconds(60))
        #expect(machine.interrupted() == nil)
        _ = machine.observed(Self.situation())
        #expect(machine.interrupted() == .cancel)
        #expect(machine.interrupted() == nil)
        // The machine ignores the end of a cancelled prefetch.
        machine.ended(Self.one)
        #expect(machine.observed(Self.situation()) == .begin(Self.one))
    }
}
