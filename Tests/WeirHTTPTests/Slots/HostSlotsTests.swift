// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The slots of a host")
struct HostSlotsTests {
    /// A machine with short names and a clock; it returns its effects as lines.
    private struct Scene {
        var machine: HostSlots
        var now = Duration.zero
        private(set) var names: [HostSlots.ID: String] = [:]

        init(slots: Int, waiters: Int = 100) {
            self.machine = HostSlots(HostSlots.Limits(slots: slots, waiters: waiters))
        }

        mutating func request(_ name: String, by client: UInt64 = 0, host: String = "h")
            -> [String]
        {
            let client = ClientID(high: 1, low: client)
            let (id, effects) = self.machine.requested(host, by: client, at: self.now)
            self.names[id] = name
            return self.lines(effects)
        }
        mutating func release(_ name: String) -> [String] {
            self.lines(self.machine.released(self.id(name), at: self.now))
        }
        mutating func yields(_ names: String...) {
            for name in names { self.machine.yields(self.id(name)) }
        }
        mutating func rest(_ name: String) -> [String] {
            self.lines(self.machine.rested(self.id(name), at: self.now))
        }
        mutating func resume(_ name: String) { self.machine.resumed(self.id(name)) }
        mutating func abandon(_ name: String) -> [String] {
            self.lines(self.machine.abandoned(self.id(name), at: self.now))
        }
        mutating func reclaim(_ name: String) { self.machine.reclaimed(self.id(name)) }
        mutating func decline(_ name: String) { self.machine.declined(self.id(name)) }
        /// Advances the clock from deadline to deadline.
        mutating func pass(_ time: Duration) -> [String] {
            let end = self.now + time
            var lines: [String] = []
            while let deadline = self.machine.deadline(after: self.now), deadline <= end {
                self.now = deadline
                lines += self.lines(self.machine.ticked(at: deadline))
            }
            self.now = end
            return lines
        }

        func id(_ name: String) -> HostSlots.ID {
            self.names.first { $0.value == name }?.key ?? HostSlots.ID(rawValue: 0)
        }

        private func lines(_ effects: [HostSlots.Effect]) -> [String] {
            effects.map { effect in
                switch effect {
                case .grant(let id): "grant \(self.names[id] ?? "?")"
                case .refuse(let id): "refuse \(self.names[id] ?? "?")"
                case .ask(let id, let isInUse):
                    "ask \(self.names[id] ?? "?")\(isInUse ? " in use" : "")"
                }
            }
        }
    }

    @Test("are granted while there are free ones, for each host separately")
    func grants() {
        var scene = Scene(slots: 2)
        #expect(scene.request("a") == ["grant a"])
        #expect(scene.request("b") == ["grant b"])
        #expect(scene.request("c").isEmpty)
        #expect(scene.request("d", host: "other") == ["grant d"])
        #expect(scene.release("a") == ["grant c"])
        #expect(scene.release("a").isEmpty)
    }

    @Test("go in turn to the newest request and to the one that has waited longest")
    func order() {
        var scene = Scene(slots: 1)
        _ = scene.request("a")
        for name in ["b", "c", "d", "e"] { #expect(scene.request(name).isEmpty) }
        #expect(scene.release("a") == ["grant e"])
        #expect(scene.release("e") == ["grant b"])
        #expect(scene.release("b") == ["grant d"])
        #expect(scene.release("d") == ["grant c"])
    }

    @Test("are no longer reserved for a withdrawn request")
    func withdrawal() {
        var scene = Scene(slots: 1)
        _ = scene.request("a")
        _ = scene.request("b")
        _ = scene.request("c")
        #expect(scene.release("b").isEmpty)
        #expect(scene.release("a") == ["grant c"])
        #expect(scene.release("c").isEmpty)
        #expect(scene.machine.deadline(after: scene.now) == nil)
    }

    @Test("have a limited number of waiting requests")
    func isBounded() {
        var scene = Scene(slots: 1, waiters: 2)
        for name in ["a", "b", "c"] { _ = scene.request(name) }
        #expect(scene.request("d") == ["refuse d"])
    }

    @Test(
        "are requested back from holders that have rested for a second, the longest first, when a request waits"
    )
    func asksResting() {
        var scene = Scene(slots: 2)
        _ = scene.request("a")
        _ = scene.request("b")
        scene.yields("a", "b")
        #expect(scene.rest("b").isEmpty)
        #expect(scene.pass(.milliseconds(300)).isEmpty)
        #expect(scene.rest("a").isEmpty)
        #expect(scene.pass(.milliseconds(200)).isEmpty)
        #expect(scene.request("c").isEmpty)
        #expect(scene.pass(.milliseconds(499)).isEmpty)
        #expect(scene.pass(.milliseconds(1)) == ["ask b"])
        // The machine asks only one holder for each waiting request.
        #expect(scene.pass(.milliseconds(900)).isEmpty)
        #expect(scene.release("b") == ["grant c"])
    }

    @Test("are not requested back from a reading that cannot continue at a byte")
    func sparesWithoutRanges() {
        var scene = Scene(slots: 1)
        _ = scene.request("a")
        _ = scene.rest("a")
        _ = scene.request("b")
        #expect(scene.pass(.seconds(100)).isEmpty)
    }

    @Test(
        "are requested back from any resting holder, when a request has waited for two seconds"
    )
    func asksShortlyResting() {
        var scene = Scene(slots: 1)
        _ = scene.request("a")
        scene.yields("a")
        _ = scene.request("b")
        for _ in 0..<3 {
            #expect(scene.pass(.milliseconds(600)).isEmpty)
            #expect(scene.rest("a").isEmpty)
            scene.resume("a")
        }
        #expect(scene.pass(.milliseconds(200)).isEmpty)
        #expect(scene.rest("a") == ["ask a"])
    }

    @Test("are requested back from a working holder after ten seconds, one at a time")
    func asksInUse() {
        var scene = Scene(slots: 2)
        _ = scene.request("a")
        _ = scene.pass(.seconds(1))
        _ = scene.request("b")
        scene.yields("a", "b")
        _ = scene.request("c")
        _ = scene.request("d")
        #expect(scene.pass(.seconds(9)).isEmpty)
        #expect(scene.pass(.seconds(1)) == ["ask a in use"])
        #expect(scene.release("a") == ["grant d", "ask b in use"])
        #expect(scene.release("b") == ["grant c"])
    }

    @Test("are requested back after ten seconds of rest, even without a waiting request")
    func parks() {
        var scene = Scene(slots: 4)
        _ = scene.request("a")
        scene.yields("a")
        _ = scene.rest("a")
        #expect(scene.pass(.seconds(9)).isEmpty)
        #expect(scene.pass(.seconds(1)) == ["ask a"])
        #expect(scene.pass(.seconds(100)).isEmpty)
    }

    @Test("that are abandoned are requested back for every new request, though others are free")
    func asksAbandoned() {
        var scene = Scene(slots: 4)
        _ = scene.request("a")
        #expect(scene.abandon("a").isEmpty)
        #expect(scene.request("b", host: "other") == ["grant b"])
        #expect(scene.request("c") == ["ask a", "grant c"])
        // The holder reclaims its slot before it gives the slot back. It keeps the slot, and may be asked again.
        scene.reclaim("a")
        #expect(scene.request("d") == ["grant d"])
        _ = scene.abandon("a")
        #expect(scene.request("e") == ["ask a", "grant e"])
    }

    @Test("that a holder keeps stay, and are requested back again")
    func declines() {
        var scene = Scene(slots: 1)
        _ = scene.request("a")
        scene.yields("a")
        _ = scene.rest("a")
        _ = scene.request("b")
        #expect(scene.pass(.seconds(1)) == ["ask a"])
        scene.resume("a")
        scene.decline("a")
        #expect(scene.pass(.seconds(1)).isEmpty)
        #expect(scene.rest("a") == ["ask a"])
    }

    @Test("go to the client with the fewest, and among equals to the one without any for longest")
    func clients() {
        var scene = Scene(slots: 2)
        _ = scene.request("a1", by: 1)
        _ = scene.request("a2", by: 1)
        for name in ["a3", "a4", "a5"] { _ = scene.request(name, by: 1) }
        _ = scene.request("b1", by: 2)
        _ = scene.request("c1", by: 3)
        _ = scene.request("b2", by: 2)
        #expect(scene.release("a1") == ["grant b2"])
        #expect(scene.release("a2") == ["grant c1"])
        // At each release, another request still holds the other slot.
        #expect(scene.release("c1") == ["grant a5"])
        #expect(scene.release("b2") == ["grant b1"])
        #expect(scene.release("b1") == ["grant a3"])
        #expect(scene.release("a5") == ["grant a4"])
    }

    @Test("are requested back, in use, from a client that has two more than a waiting one")
    func surplus() {
        var scene = Scene(slots: 3)
        for name in ["a1", "a2", "a3"] { _ = scene.request(name, by: 1) }
        scene.yields("a1", "a2", "a3")
        _ = scene.request("a4", by: 1)
        #expect(scene.pass(.milliseconds(500)).isEmpty)
        #expect(scene.request("b1", by: 2).isEmpty)
        #expect(scene.pass(.milliseconds(499)).isEmpty)
        #expect(scene.pass(.milliseconds(1)) == ["ask a1 in use"])
        #expect(scene.release("a1") == ["grant b1"])
        // With three slots, two and one are the fairest shares.
        #expect(scene.request("b2", by: 2).isEmpty)
        #expect(scene.pass(.seconds(8)).isEmpty)
        #expect(scene.release("a2") == ["grant a4"])
    }

    @Test(
        "have a limited queue: another client's request displaces the newest of the client with the most"
    )
    func isBoundedByClient() {
        var scene = Scene(slots: 1, waiters: 3)
        for name in ["a1", "a2", "a3", "a4"] { _ = scene.request(name, by: 1) }
        #expect(scene.request("a5", by: 1) == ["refuse a5"])
        #expect(scene.request("b1", by: 2) == ["refuse a4"])
        #expect(scene.machine.waitingCount == 3)
        #expect(scene.release("a4").isEmpty)
        #expect(scene.release("a1") == ["grant b1"])
    }

    @Test(
        "a modest client waits for at most one slot, beside any number of greedy clients",
        arguments: 1...16,
        UInt64(1)...10
    )
    func modest(_ greedy: Int, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 100 &+ UInt64(greedy))
        let slots = Int.random(in: greedy...(greedy + 16), using: &generator)
        var machine = HostSlots(HostSlots.Limits(slots: slots))
        var (now, holders) = (Duration.zero, [HostSlots.ID]())
        var clients: [HostSlots.ID: UInt64] = [:]
        var asked: [HostSlots.ID] = []
        func apply(_ effects: [HostSlots.Effect]) {
            for effect in effects {
                switch effect {
                case .grant(let id):
                    holders.append(id)
                    machine.yields(id)
                case .ask(let id, _): asked.append(id)
                case .refuse: break
                }
            }
        }
        func request(by client: UInt64) -> HostSlots.ID {
            let client = ClientID(high: 1, low: client)
            let (id, effects) = machine.requested("h", by: client, at: now)
            apply(effects)
            return id
        }
        for client in 1...UInt64(greedy) {
            for _ in 0..<Int.random(in: 1...50, using: &generator) {
                let id = request(by: client)
                clients[id] = client
            }
        }
        // Each client that gives a slot back requests another one at once.
        func settle() {
            while let id = asked.popLast() {
                holders.removeAll { $0 == id }
                apply(machine.released(id, at: now))
                if let client = clients[id] { clients[request(by: client)] = client }
            }
        }
        now += .milliseconds(Int.random(in: 0...2_000, using: &generator))
        apply(machine.ticked(at: now))
        settle()
        let id = request(by: 0)
        settle()
        let began = now
        // A holder gives its slot back only when it is asked.
        while !holders.contains(id), let deadline = machine.deadline(after: now) {
            now = deadline
            apply(machine.ticked(at: now))
            settle()
        }
        #expect(holders.contains(id), "seed \(seed)")
        // With more slots than clients, one client holds two slots. Otherwise a client's turn ends after ten
        // seconds.
        let patience: Duration = slots > greedy ? .seconds(1) : .seconds(10)
        #expect(now - began <= patience, "seed \(seed): \(now - began) of \(slots)")
    }

    @Test(
        "are never more than the limit, and every request gets one, in any sequence of events",
        arguments: UInt64(1)...20
    )
    func property(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = HostSlots(HostSlots.Limits(slots: 3, waiters: 50))
        var (now, holders, waiters) = (Duration.zero, Set<HostSlots.ID>(), Set<HostSlots.ID>())
        var asked: [HostSlots.ID] = []
        func apply(_ effects: [HostSlots.Effect]) {
            for effect in effects {
                switch effect {
                case .grant(let id):
                    waiters.remove(id)
                    holders.insert(id)
                    machine.yields(id)
                case .ask(let id, _): asked.append(id)
                case .refuse(let id): waiters.remove(id)
                }
            }
        }
        for _ in 0..<2_000 {
            now += .milliseconds(Int.random(in: 0...400, using: &generator))
            let holder = holders.sorted { $0.rawValue < $1.rawValue }.randomElement(
                using: &generator
            )
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where waiters.count < 10:
                let (id, effects) = machine.requested("h", by: .program, at: now)
                waiters.insert(id)
                apply(effects)
            case 1: if let holder { apply(machine.rested(holder, at: now)) }
            case 2: if let holder { machine.resumed(holder) }
            case 3: if let holder { apply(machine.abandoned(holder, at: now)) }
            case 4: if let holder { machine.reclaimed(holder) }
            default: apply(machine.ticked(at: now))
            }
            while let id = asked.popLast() {
                holders.remove(id)
                apply(machine.released(id, at: now))
            }
            #expect(holders.count <= 3, "seed \(seed)")
            #expect(waiters.isEmpty || holders.count == 3, "seed \(seed)")
        }
        // No holder releases its slot unasked, but the waiting requests still get theirs.
        for _ in 0..<200 where !waiters.isEmpty {
            guard let deadline = machine.deadline(after: now) else { break }
            now = deadline
            apply(machine.ticked(at: now))
            while let id = asked.popLast() {
                holders.remove(id)
                apply(machine.released(id, at: now))
            }
        }
        #expect(waiters.isEmpty, "seed \(seed)")
    }
}
