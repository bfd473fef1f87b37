// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole
@testable import WeirProxy

@Suite("The feed for open pages", .timeLimit(.minutes(1)))
struct ConsoleFeedTests {
    /// A page: its first state, and the changes that it has applied.
    private final class Page {
        private let lines: AsyncStream<ByteMemory>
        /// The feed looks at the library as long as its owner keeps it.
        private let feed: ConsoleFeed
        private(set) var state: ConsoleState

        init(_ feed: ConsoleFeed) async throws {
            let lines = await feed.stream()
            var first = lines.makeAsyncIterator()
            self.state = try Self.decoded(try #require(await first.next()))
            self.lines = lines
            self.feed = feed
        }

        static func decoded<Value: Decodable>(_ line: ByteMemory) throws -> Value {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(Value.self, from: Data(line.array))
        }

        /// Receives the next line without applying it.
        func line() async throws -> ConsoleChange {
            var lines = self.lines.makeAsyncIterator()
            return try Self.decoded(try #require(await lines.next()))
        }

        /// Makes the feed look again, and applies its changes up to a new event.
        @discardableResult
        func look(_ scene: ConsoleScene) async throws -> ConsoleChange {
            let number = await ConsoleFeedTests.look(scene)
            while true {
                let change = try await self.line()
                #expect(self.state.apply(change) == true, "line \(change.sequence)")
                if change.events?.last?.number == number { return change }
            }
        }
    }

    private static func feed(_ scene: ConsoleScene) -> ConsoleFeed {
        ConsoleFeed(
            scene.subject,
            server: ConsoleState.Server(version: "1", started: Date(timeIntervalSince1970: 0)),
            events: scene.events,
            timeline: Timeline(scene.clock)
        ) { ConsoleState.Counts() }
    }

    /// Makes a watched feed look again and find a new event; returns the event's number after the
    /// look.
    @discardableResult
    private static func look(_ scene: ConsoleScene) async -> Int {
        await scene.clock.waitForSleepers(1)
        scene.events.note(.told)
        scene.clock.advance(by: .milliseconds(200))
        await scene.clock.waitForSleepers(1)
        return scene.events.events(after: 0).last?.number ?? 0
    }

    private static func snapshot(_ feed: ConsoleFeed) async throws -> ConsoleState {
        try Page.decoded(await feed.snapshot())
    }

    @Test("a page gets the state, then each change, with consecutive numbers")
    func changes() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            scene.events.note(.told)
            let page = try await Page(Self.feed(scene))
            #expect(page.state.type == "state")
            #expect(page.state.resources.map(\.id) == [Cache.identifier(1)])
            #expect(page.state.events.map(\.number) == [1])
            try await page.look(scene)
            for number in 3...30 {
                let last = page.state.sequence
                let change = try await page.look(scene)
                #expect(change.type == "change")
                #expect(change.sequence == last + 1)
                #expect(change.events?.map(\.number) == [number])
                #expect(change.resources == nil && change.removed == nil)
                #expect(change.stations == nil && change.readers == nil && change.fetches == nil)
            }
            #expect(page.state.events.map(\.number) == Array(1...30))
        }
    }

    @Test("only a pinned or removed resource is sent, and no other one")
    func resources() async throws {
        try await ConsoleScene.run((1...3).map { .kept($0, 100) }) { scene in
            let page = try await Page(Self.feed(scene))
            #expect(page.state.resources.count == 3)
            #expect(page.state.resources.allSatisfy { $0.pieces?.held == [[0, 100]] })
            #expect(page.state.cache.bytes == 300)
            try await page.look(scene)
            #expect(try await scene.library.pin(identifier: Cache.identifier(2)))
            let pinned = try await page.look(scene)
            #expect(pinned.resources?.map(\.id) == [Cache.identifier(2)])
            #expect(pinned.resources?.map(\.pinned) == [true])
            #expect(pinned.removed == nil)
            _ = try await scene.library.remove(identifier: Cache.identifier(1))
            let removed = try await page.look(scene)
            #expect(removed.removed == [Cache.identifier(1)])
            #expect(removed.resources == nil)
            #expect(removed.cache?.bytes == 200)
            #expect(removed.cache?.resources == 2)
        }
    }

    @Test("damaged bytes are sent as a hole")
    func damage() async throws {
        try await ConsoleScene.run([.kept(1, 300_000)]) { scene in
            let page = try await Page(Self.feed(scene))
            #expect(page.state.resources.first?.held == 300_000)
            try await page.look(scene)
            try scene.rot(at: 299_999)
            _ = try await scene.library.verify(identifier: Cache.identifier(1))
            let resource = try #require(try await page.look(scene).resources?.first)
            #expect(resource.held == 262_144)
            #expect(resource.pieces?.held == [[0, 262_144]])
        }
    }

    @Test("readers are sent while there are any, with their resource")
    func readers() async throws {
        try await ConsoleScene.run { scene in
            let page = try await Page(Self.feed(scene))
            func response(_ body: Range<Int64>, _ sent: Int64) -> ActiveResponse {
                ActiveResponse(
                    id: ConnectionRequestID(connection: 1, request: 1),
                    source: NamedSource(identifier: "x"),
                    body: body,
                    sentByteCount: sent
                )
            }
            try await page.look(scene)
            scene.responses.update { $0 = [response(100..<900, 50), response(0..<0, 70)] }
            #expect(
                try await page.look(scene).readers == [
                    ConsoleState.Reader(resource: "x", station: nil, from: 100, at: 150, to: 900),
                    ConsoleState.Reader(resource: "x", station: nil, from: 0, at: 70, to: nil),
                ]
            )
            #expect(try await page.look(scene).readers == nil)
            scene.responses.update { $0 = [] }
            #expect(try await page.look(scene).readers == [])
        }
    }

    @Test("a change of the served sources is sent")
    func places() async throws {
        try await ConsoleScene.run { scene in
            let page = try await Page(Self.feed(scene))
            #expect(page.state.places.isEmpty)
            try await page.look(scene)
            let place = ConsoleState.Place(name: "origin", source: "h.example/", url: "/s/origin/")
            scene.places.update { $0 = [place] }
            #expect(try await page.look(scene).places == [place])
            #expect(try await page.look(scene).places == nil)
            #expect(page.state.places == [place])
        }
    }

    @Test("a disk with less free room than the reserve is the reason why nothing is kept")
    func reserve() async throws {
        try await ConsoleScene.run { scene in
            let page = try await Page(Self.feed(scene))
            try await page.look(scene)
            scene.library.cacheLimits.reserve = .max
            let cache = try #require(try await page.look(scene).cache)
            #expect(cache.trouble?.contains("less free space than cache-reserve") == true)
            scene.library.cacheLimits.reserve = nil
            #expect(try await page.look(scene).cache?.trouble == nil)
        }
    }

    @Test("the reason why the cache can keep nothing is sent, and so is the recovery")
    func trouble() async throws {
        try await ConsoleScene.run { scene in
            let page = try await Page(Self.feed(scene))
            #expect(page.state.cache.trouble == nil)
            try await page.look(scene)
            scene.trouble.update { $0 = "The disk is full." }
            #expect(try await page.look(scene).cache?.trouble == "The disk is full.")
            scene.trouble.update { $0 = nil }
            let cache = try #require(try await page.look(scene).cache)
            #expect(cache.trouble == nil)
        }
    }

    @Test("nothing is examined without a listener")
    func listeners() async throws {
        try await ConsoleScene.run { scene in
            let feed = Self.feed(scene)
            scene.events.note(.told)
            for _ in 0..<100 { await Task.yield() }
            #expect(scene.looks.value == 0 && scene.clock.sleeperCount == 0)
            do {
                let page = try await Page(feed)
                for _ in 0..<3 { try await page.look(scene) }
                #expect(scene.looks.value >= 4)
                withExtendedLifetime(page) {}
            }
            let looks = scene.looks.value
            scene.clock.advance(by: .milliseconds(200))
            while await feed.isWatching { await Task.yield() }
            #expect(scene.looks.value == looks)
            #expect(scene.clock.sleeperCount == 0)
            // A later page gets the state at that time.
            scene.events.note(.told)
            let page = try await Page(feed)
            #expect(page.state.events.count == 5)
            #expect(scene.looks.value > looks)
        }
    }

    @Test("a page gets a line every five seconds at least, though nothing happens")
    func silence() async throws {
        try await ConsoleScene.run { scene in
            let page = try await Page(Self.feed(scene))
            for round in 1...3 {
                let last = page.state.sequence
                for _ in 0..<25 { await scene.nextLook() }
                let change = try await page.look(scene)
                // The feed has sent at least one line, and then the line with the event.
                #expect(change.sequence >= last + 2, "round \(round)")
            }
            #expect(page.state.traffic.count >= 15)
            #expect(page.state.traffic.allSatisfy { $0 == [0, 0] })
        }
    }

    @Test("a later page gets a state that fits the following changes")
    func secondPage() async throws {
        try await ConsoleScene.run((1...3).map { .kept($0, 100) }) { scene in
            let feed = Self.feed(scene)
            let first = try await Page(feed)
            for _ in 0..<3 { await Self.look(scene) }
            let second = try await Page(feed)
            #expect(second.state.sequence > first.state.sequence)
            try await second.look(scene)
            _ = try await scene.library.remove(identifier: Cache.identifier(1))
            #expect(try await second.look(scene).removed != nil)
            #expect(try await scene.library.pin(identifier: Cache.identifier(2)))
            #expect(try await second.look(scene).resources != nil)
            var states = [first.state, second.state]
            while states[0].sequence < states[1].sequence {
                let change = try await first.line()
                #expect(states[0].apply(change) == true)
            }
            for index in 0...1 { states[index].resources.sort { $0.id < $1.id } }
            #expect(states[0].resources.count == 2)
            #expect(ConsoleFeed.json(states[0]) == ConsoleFeed.json(states[1]))
        }
    }

    @Test("a slow page can see from the numbers that lines are missing")
    func slowPage() async throws {
        try await ConsoleScene.run { scene in
            let feed = Self.feed(scene)
            let slow = try await Page(feed)
            var last = 0
            for _ in 0..<50 { last = await Self.look(scene) }
            var change = try await slow.line()
            var state = slow.state
            #expect(change.sequence > state.sequence + 1)
            #expect(state.apply(change) == false)
            #expect(state.sequence == slow.state.sequence && state.events.isEmpty)
            // The feed keeps a bounded number of lines for a slow page.
            var count = 1
            while change.events?.last?.number != last {
                change = try await slow.line()
                count += 1
            }
            #expect(count < 50)
            // The page asks again, and continues with the new state.
            let again = try await Page(feed)
            try await again.look(scene)
            #expect(again.state.events.count == 51)
        }
    }

    @Test("a snapshot is the present state, with or without an open page")
    func snapshot() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let feed = Self.feed(scene)
            let first = try await Self.snapshot(feed)
            #expect(first.resources.count == 1 && first.events.isEmpty)
            _ = try await scene.library.remove(identifier: Cache.identifier(1))
            scene.events.note(.told)
            let second = try await Self.snapshot(feed)
            #expect(second.resources.isEmpty && second.events.count == 1)
            #expect(second.sequence > first.sequence)
            #expect(scene.clock.sleeperCount == 0, "nothing goes on behind it")
            // While a page is open, the snapshot equals the page's last state.
            let page = try await Page(feed)
            try await page.look(scene)
            scene.events.note(.told)
            let looks = scene.looks.value
            let third = await feed.snapshot()
            #expect(third.array == ConsoleFeed.line(page.state).array)
            #expect(await feed.snapshot() == third)
            #expect(scene.looks.value == looks)
        }
    }

    @Test("the details of a resource come from the last look")
    func details() async throws {
        try await ConsoleScene.run([.kept(1, 100, name: "a.mp3")]) { scene in
            let feed = Self.feed(scene)
            #expect(await feed.details(of: Cache.identifier(1)) == nil)
            _ = await feed.snapshot()
            #expect(await feed.details(of: Cache.identifier(1))?.name == "a.mp3")
            #expect(await feed.details(of: Cache.identifier(2)) == nil)
            #expect(await feed.details(of: "nonsense") == nil)
        }
    }
}

extension ConsoleEvent {
    /// An event that a look finds.
    fileprivate static var told: ConsoleEvent {
        ConsoleEvent(
            time: Date(timeIntervalSince1970: 1000),
            kind: "told",
            subject: nil,
            text: "Something happened.",
            isTrouble: false
        )
    }
}
