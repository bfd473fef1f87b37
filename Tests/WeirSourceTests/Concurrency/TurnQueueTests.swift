// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirSource

@Suite("Turns of clients that share a rate")
struct TurnQueueTests {
    private static let turn: Int64 = 64 << 10

    private static func client(_ number: Int) -> ClientID { ClientID(high: 1, low: UInt64(number)) }

    /// A queue with a clock, and turns by name.
    private struct Scene {
        var queue: TurnQueue
        var now = Duration.zero
        private var names: [TurnQueue.Turn: String] = [:]

        init(all: Int64? = nil, client: Int64? = nil) {
            self.queue = TurnQueue(TurnQueue.Rates(all: all, client: client))
        }

        @discardableResult
        mutating func ask(
            _ name: String,
            _ cost: Int64 = 1,
            by client: Int = 0,
            line: UInt64 = 0
        ) -> [String] {
            let client = TurnQueueTests.client(client)
            let turn = self.queue.asked(for: cost, by: client, line: line, at: self.now)
            self.names[turn] = name
            return self.granted()
        }

        mutating func granted() -> [String] {
            self.queue.grants(at: self.now).map { self.names[$0] ?? "?" }
        }

        mutating func leave(_ name: String) {
            if let turn = self.turn(name) { self.queue.left(turn) }
        }

        func turn(_ name: String) -> TurnQueue.Turn? {
            self.names.first { $0.value == name }?.key
        }

        /// The turns granted until a time, each with its time in milliseconds.
        mutating func pass(_ time: Duration) -> [String] {
            let end = self.now + time
            var lines: [String] = []
            while let deadline = self.queue.deadline, deadline <= end {
                self.now = max(self.now, deadline)
                let (seconds, attoseconds) = self.now.components
                let time = seconds * 1000 + attoseconds / 1_000_000_000_000_000
                lines += self.granted().map { "\(time) \($0)" }
            }
            self.now = end
            return lines
        }
    }

    // MARK: Small cases

    @Test("go round by client, then by line, then in the order of requests")
    func order() {
        var scene = Scene(all: 1)
        #expect(scene.ask("a") == ["a"])
        for name in ["b", "c"] { scene.ask(name, line: 1) }
        for name in ["d", "e"] { scene.ask(name, line: 2) }
        scene.ask("f", by: 1)
        scene.ask("g", by: 1)
        let order = ["1000 f", "2000 b", "3000 g", "4000 d", "5000 c", "6000 e"]
        #expect(scene.pass(.seconds(10)) == order)
        #expect(scene.queue.deadline == nil)
    }

    @Test("come at once after a pause, and the pause saves up nothing")
    func pause() {
        var scene = Scene(all: 2)
        #expect(scene.ask("a") == ["a"])
        #expect(scene.pass(.seconds(60)).isEmpty)
        #expect(scene.ask("b") == ["b"])
        #expect(scene.ask("c").isEmpty)
        #expect(scene.pass(.seconds(1)) == ["60500 c"])
    }

    @Test("that are given up cost nothing and delay no other turn")
    func left() {
        var scene = Scene(all: 1)
        for name in ["a", "b", "c"] { scene.ask(name) }
        scene.ask("d", by: 1)
        scene.leave("b")
        scene.leave("d")
        #expect(scene.pass(.seconds(9)) == ["1000 c"])
        #expect(scene.ask("e", by: 1) == ["e"])
    }

    @Test("that cost less give the time back, unless it has passed")
    func returned() throws {
        var scene = Scene(all: 10, client: 10)
        #expect(scene.ask("a", 10) == ["a"])
        let first = try #require(scene.turn("a"))
        scene.ask("b", 10)
        scene.queue.returned(5, of: first, at: scene.now)
        #expect(scene.pass(.milliseconds(500)) == ["500 b"])
        // The returned time now belongs to turn b.
        scene.ask("c", 10)
        scene.queue.returned(5, of: first, at: scene.now)
        #expect(scene.pass(.seconds(5)) == ["1500 c"])
        // Time that has passed is not saved up, even if a turn returns it.
        let last = try #require(scene.turn("c"))
        scene.queue.returned(10, of: last, at: scene.now)
        #expect(scene.ask("d", 10) == ["d"])
        #expect(scene.ask("e", 10).isEmpty)
    }

    @Test("wait for their client's own rate, and delay no other client")
    func own() {
        var scene = Scene(all: 10, client: 1)
        #expect(scene.ask("a") == ["a"])
        #expect(!scene.queue.isOverItsRate(Self.client(1), at: scene.now))
        #expect(scene.queue.isOverItsRate(Self.client(0), at: scene.now))
        scene.ask("b", line: 1)
        scene.ask("c", by: 1)
        #expect(scene.pass(.seconds(1)) == ["100 c", "1000 b"])
    }

    @Test("lose no rate to a late timer, and few come at once after a long sleep")
    func late() {
        var scene = Scene(all: 100)
        for number in 0..<50 { scene.ask("\(number)") }
        scene.now = .milliseconds(35)
        #expect(scene.granted() == ["1", "2", "3"])
        scene.now = .seconds(10)
        #expect(scene.granted().count == 6)
    }

    @Test("keep clients that wait or owe, and forget clients that have paid")
    func bounded() {
        var scene = Scene(client: 1000)
        #expect(scene.ask("debtor", 1_000_000, by: 0) == ["debtor"])
        for number in 1..<10_000 {
            #expect(scene.ask("a", 1, by: number) == ["a"])
            scene.now += .milliseconds(1)
        }
        #expect(scene.queue.clientCount <= 2048)
        #expect(scene.queue.isOverItsRate(Self.client(0), at: scene.now))
        // The count of clients is bounded even if all of them owe bytes.
        var queue = TurnQueue(TurnQueue.Rates(client: 1))
        for number in 0..<100_000 {
            _ = queue.asked(for: 1_000_000, by: Self.client(number), line: 0, at: .zero)
            #expect(queue.grants(at: .zero).count == 1)
        }
        #expect(queue.clientCount <= 32_768)
    }

    @Test("may cost any number of units, at any rate")
    func outside() {
        for rate in OutsideNumbers.all {
            var scene = Scene(all: rate, client: rate)
            for cost in OutsideNumbers.all {
                scene.ask("\(cost)", cost, by: 1)
                scene.ask("\(cost)", cost, by: 2)
                scene.now = scene.queue.deadline ?? scene.now
                _ = scene.granted()
                if let turn = scene.turn("\(cost)") {
                    scene.queue.returned(cost, of: turn, at: scene.now)
                }
            }
        }
    }

    // MARK: Fairness

    /// The behaviour of a connection.
    private enum Habit: CaseIterable {
        /// It takes every turn that it can get.
        case greedy
        /// It is open and requests nothing.
        case silent
        /// It reads a byte a second: its one turn lasts for the rest of the day.
        case slow
        /// Its responses are short, of any length.
        case brief
        /// It gives up waiting, and requests again.
        case fickle
        /// It uses only a part of its turns.
        case wasteful
    }

    /// A pure model of clients, each with any number of connections, and of the bytes sent to each.
    private struct Crowd {
        let rates: TurnQueue.Rates
        var queue: TurnQueue
        var generator: SeededGenerator
        var now = Duration.zero
        /// The connections, and the connection that waits for each turn.
        var connections: [(client: Int, habit: Habit)] = []
        var waiting: [TurnQueue.Turn: (connection: Int, cost: Int64)] = [:]
        /// How many bytes each client has received, and when the first came.
        var sent: [Int: Int64] = [:]
        var began: [Int: Duration] = [:]
        /// The largest number of bytes sent ahead of a rate: more than a turn is a burst.
        var worstBurst = 0.0
        private var level: [Int: (bytes: Double, at: Duration)] = [:]

        init(rates: TurnQueue.Rates, seed: UInt64) {
            self.rates = rates
            self.queue = TurnQueue(rates)
            self.generator = SeededGenerator(seed: seed)
        }

        mutating func connect(_ client: Int, _ habit: Habit) {
            self.connections.append((client, habit))
            if habit != .silent { self.ask(self.connections.count - 1) }
        }

        private mutating func ask(_ connection: Int) {
            let (client, habit) = self.connections[connection]
            let turn = TurnQueueTests.turn
            let cost = habit == .brief ? Int64.random(in: 1...turn, using: &self.generator) : turn
            func asked(_ queue: inout TurnQueue) -> TurnQueue.Turn {
                queue.asked(
                    for: cost,
                    by: TurnQueueTests.client(client),
                    line: UInt64(connection),
                    at: self.now
                )
            }
            if habit == .fickle, Bool.random(using: &self.generator) {
                let first = asked(&self.queue)
                self.queue.left(first)
            }
            let name = asked(&self.queue)
            self.waiting[name] = (connection, cost)
        }

        /// Advances the time until a client has received a number of bytes, or nothing more can
        /// happen.
        mutating func run(until client: Int, has bytes: Int64) {
            while self.sent[client, default: 0] < bytes, let deadline = self.queue.deadline {
                self.now = max(self.now, deadline)
                for turn in self.queue.grants(at: self.now) { self.granted(turn) }
            }
        }

        private mutating func granted(_ turn: TurnQueue.Turn) {
            guard let (connection, cost) = self.waiting.removeValue(forKey: turn) else {
                Issue.record("a turn was granted for which no task waits")
                return
            }
            let (client, habit) = self.connections[connection]
            var used = cost
            if habit == .wasteful {
                used = Int64.random(in: 0...cost, using: &self.generator)
                self.queue.returned(cost - used, of: turn, at: self.now)
            }
            self.note(used, of: client)
            if habit != .slow { self.ask(connection) }
        }

        private mutating func note(_ bytes: Int64, of client: Int) {
            self.began[client] = self.began[client] ?? self.now
            self.sent[client, default: 0] += bytes
            for (key, rate) in [(client, self.rates.client), (-1, self.rates.all)] {
                guard let rate else { continue }
                let last = self.level[key] ?? (0, self.now)
                let passed = (self.now - last.at) / .seconds(1)
                let level = max(0, last.bytes - passed * Double(rate)) + Double(bytes)
                self.level[key] = (level, self.now)
                self.worstBurst = max(self.worstBurst, level)
            }
        }
    }

    @Test(
        "give a modest client its share beside greedy ones, and its first byte after one turn of each",
        arguments: 1...16,
        UInt64(1)...12
    )
    func fairness(_ greedy: Int, _ seed: UInt64) {
        let seed = seed &* 1000 &+ UInt64(greedy)
        var generator = SeededGenerator(seed: seed)
        let rate = Int64.random(in: 10_000...200_000_000, using: &generator)
        var crowd = Crowd(rates: TurnQueue.Rates(all: rate), seed: seed)
        for client in 1...greedy {
            // At least one of its connections takes every turn that it can get.
            crowd.connect(client, .greedy)
            let mixed = Bool.random(using: &generator)
            for _ in 1..<Int.random(in: 2...200, using: &generator) {
                let habit = mixed ? Habit.allCases.randomElement(using: &generator) : nil
                crowd.connect(client, habit ?? .greedy)
            }
        }
        let before = Int64.random(in: 0...(20 * Self.turn), using: &generator)
        crowd.run(until: 1, has: before)
        crowd.now +=
            (crowd.queue.deadline.map { $0 - crowd.now } ?? .zero)
            * Double.random(in: 0..<1, using: &generator)
        let (start, total) = (crowd.now, crowd.sent.values.reduce(0, +))
        // The new client takes every turn, as for a film, or short responses one after the other.
        crowd.connect(0, Bool.random(using: &generator) ? .greedy : .brief)
        let wanted = 100 * Self.turn
        crowd.run(until: 0, has: 1)
        let round = Duration.seconds(Double(Int64(greedy + 1) * Self.turn) / Double(rate))
        let wait = crowd.now - start
        #expect(wait <= round + .nanoseconds(1), "seed \(seed): \(wait) of \(round)")
        crowd.run(until: 0, has: wanted)
        let all = crowd.sent.values.reduce(0, +) - total
        let share = Double(crowd.sent[0, default: 0]) / Double(all)
        #expect(share >= 0.95 / Double(greedy + 1), "seed \(seed): \(share) of \(greedy + 1)")
        #expect(crowd.worstBurst <= Double(Self.turn) + 1, "seed \(seed)")
        // The greedy clients have their share too: all bytes that could be sent were sent.
        let time = (crowd.now - start) / .seconds(1)
        #expect(Double(all) >= 0.9 * time * Double(rate) - Double(2 * Self.turn), "seed \(seed)")
    }

    @Test(
        "limit a client's burst to one turn, whatever the client opens, and give it its rate",
        arguments: UInt64(1)...64
    )
    func burst(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let own = Int64.random(in: 1_000...10_000_000, using: &generator)
        let all = Bool.random(using: &generator) ? own * 8 : nil
        var crowd = Crowd(rates: TurnQueue.Rates(all: all, client: own), seed: seed)
        let clients = Int.random(in: 1...4, using: &generator)
        for client in 0..<clients {
            for _ in 0..<Int.random(in: 1...200, using: &generator) {
                crowd.connect(client, .greedy)
            }
        }
        crowd.run(until: 0, has: 100 * Self.turn)
        #expect(crowd.worstBurst <= Double(Self.turn) + 1, "seed \(seed)")
        let time = crowd.now / .seconds(1)
        for client in 0..<clients {
            let sent = Double(crowd.sent[client, default: 0])
            #expect(sent >= time * Double(own) - Double(Self.turn), "seed \(seed)")
        }
    }
}
