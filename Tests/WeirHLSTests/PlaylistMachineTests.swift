// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHLS

@Suite("When a playlist is loaded, and what its viewers get")
struct PlaylistMachineTests {
    private typealias Effects = PlaylistMachine.Effects

    private static func loaded(
        _ life: Playlist.Life,
        target: Int = 4,
        isChanged: Bool = true
    ) -> PlaylistMachine.Loaded {
        .init(life: life, targetDuration: .seconds(target), isChanged: isChanged)
    }

    /// A machine whose first load began at 0 and ended at 1 s.
    private static func machine(_ life: Playlist.Life, freshness: Duration? = .seconds(60))
        -> PlaylistMachine
    {
        var machine = PlaylistMachine(freshness: freshness)
        _ = machine.requested(at: .zero)
        _ = machine.loaded(Self.loaded(life), at: .seconds(1))
        return machine
    }

    @Test("the first viewer loads the playlist, and others wait for the same load")
    func first() {
        var machine = PlaylistMachine(freshness: .seconds(60))
        #expect(machine.requested(at: .zero) == Effects(reply: .loaded(within: nil), loads: true))
        #expect(machine.requested(at: .seconds(1)) == Effects(reply: .loaded(within: nil)))
        #expect(machine.failed(at: .seconds(2)) == Effects())
        #expect(machine.reply(withoutLoadAt: .seconds(2)) == nil)
        #expect(machine.requested(at: .seconds(2)).loads)
    }

    @Test(
        "a complete playlist is confirmed once in a while, never polled, and held while the origin is away"
    )
    func complete() {
        var machine = Self.machine(.complete)
        #expect(machine.requested(at: .seconds(60)) == Effects(reply: .current))
        #expect(
            machine.requested(at: .seconds(61))
                == Effects(reply: .loaded(within: .seconds(2)), loads: true)
        )
        #expect(machine.reply(withoutLoadAt: .seconds(63)) == .current)
        #expect(machine.failed(at: .seconds(64)) == Effects())
        #expect(machine.reply(withoutLoadAt: .seconds(1000)) == .current)
        #expect(machine.timePassed(at: .seconds(1000)) == Effects())
        var forEver = Self.machine(.complete, freshness: nil)
        #expect(forEver.requested(at: .seconds(99_999)) == Effects(reply: .current))
    }

    @Test(
        "a live playlist is polled a target duration after the start of the last load, for all viewers"
    )
    func live() {
        var machine = PlaylistMachine(freshness: .seconds(60))
        _ = machine.requested(at: .zero)
        #expect(machine.loaded(Self.loaded(.live), at: .seconds(1)) == Effects(wakes: .seconds(4)))
        #expect(machine.requested(at: .seconds(2)) == Effects(reply: .current, wakes: .seconds(4)))
        // Shortly before the poll, a viewer waits for it.
        #expect(
            machine.requested(at: .milliseconds(3700))
                == Effects(reply: .loaded(within: .seconds(2)), wakes: .seconds(4))
        )
        #expect(machine.timePassed(at: .milliseconds(3999)) == Effects(wakes: .seconds(4)))
        #expect(machine.timePassed(at: .seconds(4)) == Effects(loads: true))
        #expect(machine.timePassed(at: .seconds(4)) == Effects())
        #expect(
            machine.requested(at: .milliseconds(4500))
                == Effects(reply: .loaded(within: .seconds(2)))
        )
        #expect(machine.loaded(Self.loaded(.live), at: .seconds(5)) == Effects(wakes: .seconds(8)))
    }

    @Test("after a load without news the next poll comes after half a target duration")
    func unchanged() {
        var machine = Self.machine(.live)
        _ = machine.requested(at: .seconds(3))
        _ = machine.timePassed(at: .seconds(4))
        let effects = machine.loaded(Self.loaded(.live, isChanged: false), at: .milliseconds(4100))
        #expect(effects == Effects(wakes: .seconds(6)))
        #expect(machine.requested(at: .seconds(5)).reply == .current)
    }

    @Test(
        "without a viewer for three target durations there is no poll, and the next viewer loads at once"
    )
    func leaves() {
        var machine = Self.machine(.live)
        for time in [4, 8] {
            #expect(machine.timePassed(at: .seconds(time)).loads)
            _ = machine.loaded(Self.loaded(.live), at: .seconds(time))
        }
        // The only viewer came at 0.
        #expect(machine.timePassed(at: .seconds(12)) == Effects())
        let effects = machine.requested(at: .seconds(100))
        #expect(effects == Effects(reply: .loaded(within: .seconds(4)), loads: true))
    }

    @Test(
        "while the origin is away viewers get the last text for 1.5 target durations, then a time to wait"
    )
    func away() {
        var machine = Self.machine(.live)
        _ = machine.timePassed(at: .seconds(4))
        #expect(machine.failed(at: .seconds(5)) == Effects(wakes: .seconds(6)))
        #expect(machine.reply(withoutLoadAt: .seconds(5)) == .current)
        #expect(machine.requested(at: .milliseconds(5100)).reply == .current)
        #expect(machine.timePassed(at: .seconds(6)).loads)
        #expect(machine.failed(at: .milliseconds(7500)).wakes == .seconds(8))
        #expect(
            machine.requested(at: .milliseconds(7550)).reply
                == .unavailable(retryAfter: .seconds(4))
        )
        _ = machine.timePassed(at: .seconds(8))
        _ = machine.loaded(Self.loaded(.live), at: .seconds(9))
        #expect(machine.requested(at: .seconds(10)).reply == .current)
    }

    @Test("a text that another process loaded is as old as that load")
    func loadedElsewhere() {
        var machine = PlaylistMachine(freshness: nil)
        _ = machine.requested(at: .seconds(3))
        let text = PlaylistMachine.Loaded(
            life: .live,
            targetDuration: .seconds(4),
            isChanged: true,
            age: .seconds(3)
        )
        // The other process began its load at 1 s.
        #expect(machine.loaded(text, at: .seconds(4)) == Effects(wakes: .seconds(5)))
        #expect(machine.timePassed(at: .seconds(5)) == Effects(loads: true))
        _ = machine.failed(at: .seconds(6))
        #expect(machine.reply(withoutLoadAt: .seconds(7)) == .current)
        #expect(
            machine.reply(withoutLoadAt: .seconds(8)) == .unavailable(retryAfter: .seconds(4))
        )
    }

    @Test("viewers get an unchanged playlist for as long as the origin answers")
    func standing() {
        var machine = Self.machine(.growing)
        var now = Duration.seconds(4)
        for _ in 0..<10 {
            _ = machine.requested(at: now)
            _ = machine.loaded(Self.loaded(.growing, isChanged: false), at: now)
            #expect(machine.requested(at: now + .milliseconds(100)).reply == .current)
            now += .seconds(2)
        }
    }

    @Test("a growing playlist is polled until it is complete")
    func growing() {
        var machine = Self.machine(.growing)
        #expect(machine.requested(at: .seconds(2)) == Effects(reply: .current, wakes: .seconds(4)))
        _ = machine.timePassed(at: .seconds(4))
        #expect(machine.loaded(Self.loaded(.complete), at: .seconds(5)) == Effects())
        #expect(machine.timePassed(at: .seconds(9)) == Effects())
        #expect(machine.requested(at: .seconds(50)) == Effects(reply: .current))
    }

    @Test(
        "viewers in any number and order cost as many loads as one, and no text is older than the rhythm"
    )
    func crowd() {
        for seed in 1...UInt64(TestLength.short(20, long: 2000)) {
            var generator = SeededGenerator(seed: seed)
            let viewers = Int.random(in: 1...8, using: &generator)
            var machine = PlaylistMachine(freshness: .seconds(60))
            // In milliseconds: the next request of each viewer, the end of the running load, the
            // wake-up.
            var next = (0..<viewers).map { _ in Int.random(in: 0..<2000, using: &generator) }
            var loadEnd: Int?
            var wake: Int?
            var loads = 0
            var lastSuccess = 0
            for now in 0..<60_000 {
                func take(_ effects: PlaylistMachine.Effects) {
                    if effects.loads {
                        loads += 1
                        loadEnd = now + Int.random(in: 1...200, using: &generator)
                    }
                    if let wakes = effects.wakes { wake = Int(wakes / .milliseconds(1)) }
                }
                if loadEnd == now {
                    loadEnd = nil
                    lastSuccess = now
                    take(machine.loaded(Self.loaded(.live, target: 2), at: .milliseconds(now)))
                }
                if wake == now { take(machine.timePassed(at: .milliseconds(now))) }
                for index in next.indices where next[index] == now {
                    let effects = machine.requested(at: .milliseconds(now))
                    take(effects)
                    next[index] = now + 2000
                    if effects.reply == .current {
                        #expect(now - lastSuccess <= 2200, "seed \(seed)")
                    }
                }
            }
            #expect((29...31).contains(loads), "seed \(seed): \(loads) loads")
        }
    }
}
