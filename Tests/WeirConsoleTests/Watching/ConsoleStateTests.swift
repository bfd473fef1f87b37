// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource

@testable import WeirConsole

@Suite("The state of a page, and its changes")
struct ConsoleStateTests {
    /// A state in which every optional value is missing.
    private static let bare = ConsoleState(
        sequence: 4,
        server: ConsoleState.Server(version: "1.2.3", started: Date(timeIntervalSince1970: 100)),
        cache: ConsoleState.Cache(),
        places: [],
        resources: [Self.resource("a", used: 30), Self.resource("b", used: 20)],
        stations: [
            ConsoleState.Station(
                name: "groove",
                state: "idle",
                reason: nil,
                title: nil,
                type: nil,
                buffered: 0,
                timeShift: 1800,
                listeners: 0,
                reconnects: 0,
                url: "/s/groove/stream"
            )
        ],
        readers: [ConsoleState.Reader(resource: nil, station: nil, from: 0, at: 0, to: nil)],
        fetches: [ConsoleState.Fetch(resource: "a", at: nil, to: nil, state: "x", reason: "y")],
        traffic: [[1, 2], [3, 4]],
        events: [Self.event(nil)],
        counts: ConsoleState.Counts()
    )

    private static func resource(_ id: String, used: TimeInterval) -> ConsoleState.Resource {
        ConsoleState.Resource(
            id: id,
            name: nil,
            source: "https://example.org/\(id)",
            account: "",
            length: nil,
            held: 5,
            type: nil,
            generation: "g",
            pinned: false,
            used: Date(timeIntervalSince1970: used),
            created: Date(timeIntervalSince1970: 1),
            open: false,
            pieces: nil
        )
    }

    private static func event(_ subject: String?) -> ConsoleEvent {
        ConsoleEvent(
            time: Date(timeIntervalSince1970: 7),
            kind: "told",
            subject: subject,
            text: "Told.",
            isTrouble: false
        )
    }

    private static func object(_ value: some Encodable) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(ConsoleFeed.json(value)))
        return try #require(json as? [String: Any])
    }

    private static func decoded<Value: Decodable>(_ bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: Data(bytes))
    }

    // MARK: JSON

    @Test("every object has all its members, and those without a value are null")
    func nulls() throws {
        let state = try Self.object(Self.bare)
        #expect(
            Set(state.keys) == [
                "type", "sequence", "server", "cache", "places", "resources", "stations", "readers",
                "fetches", "traffic", "events", "counts",
            ]
        )
        func members(_ path: String) throws -> [String: Any] {
            let list = try #require(state[path] as? [[String: Any]])
            return try #require(list.first)
        }
        func nullNames(_ object: [String: Any]) -> Set<String> {
            Set(object.filter { $0.value is NSNull }.keys)
        }
        let cache = try #require(state["cache"] as? [String: Any])
        #expect(nullNames(cache) == ["free", "trouble"])
        let limits = try #require(cache["limits"] as? [String: Any])
        #expect(nullNames(limits) == ["bytes", "resources", "age", "reserve"])
        #expect(try nullNames(members("resources")) == ["name", "length", "type", "pieces"])
        #expect(try nullNames(members("stations")) == ["reason", "title", "type"])
        #expect(try nullNames(members("readers")) == ["resource", "station", "to"])
        #expect(try nullNames(members("fetches")) == ["at", "to"])
        #expect(try nullNames(members("events")) == ["subject"])
        #expect(try members("events")["number"] as? Int == 0)
    }

    @Test("a change has only the changed members")
    func changeMembers() throws {
        var change = ConsoleChange(sequence: 5)
        #expect(change.isEmpty)
        #expect(try Set(Self.object(change).keys) == ["type", "sequence"])
        change.removed = ["a"]
        #expect(!change.isEmpty)
        #expect(try Set(Self.object(change).keys) == ["type", "sequence", "removed"])
    }

    @Test("each member makes a change worth sending")
    func isEmpty() {
        let changes: [(inout ConsoleChange) -> Void] = [
            { $0.cache = .init() }, { $0.resources = [] }, { $0.removed = [] },
            { $0.stations = [] }, { $0.readers = [] }, { $0.fetches = [] }, { $0.traffic = [] },
            { $0.events = [] }, { $0.counts = .init() },
        ]
        for change in changes {
            var made = ConsoleChange(sequence: 1)
            change(&made)
            #expect(!made.isEmpty)
        }
    }

    @Test("encoded states decode the same, with values and without")
    func roundTrip() throws {
        var full = Self.bare
        full.cache = ConsoleState.Cache(
            bytes: .max,
            resources: 3,
            free: 1 << 40,
            limits: .init(bytes: 1, resources: 2, age: 3, reserve: 4),
            trouble: "Full: “é” \u{2028}\n\"\\ / \u{1F3B5}"
        )
        full.resources[0].name = "日本.mp3"
        full.resources[0].length = .max
        full.resources[0].pieces = .init(held: [[0, 5], [7, .max]], verified: [], bad: [[5, 7]])
        full.events = [Self.event("a.mp3")]
        for state in [Self.bare, full] {
            let bytes = ConsoleFeed.json(state)
            let again: ConsoleState = try Self.decoded(bytes)
            #expect(ConsoleFeed.json(again) == bytes)
            #expect(again.resources == state.resources && again.cache == state.cache)
            #expect(again.events == state.events && again.stations == state.stations)
        }
    }

    @Test("a line has one end, whatever its content")
    func lines() throws {
        var state = Self.bare
        state.cache.trouble = "a\nb\r\nc\u{2028}\u{85}"
        let line = ConsoleFeed.line(state).array
        #expect(line.last == UInt8(ascii: "\n"))
        #expect(line.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    @Test("the state for a script is one line with the event's name")
    func jsonLine() throws {
        let line = Self.bare.jsonLine(as: "stats")
        #expect(!line.contains { $0.isNewline })
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
        let object = try #require(json as? [String: Any])
        #expect(object["event"] as? String == "stats")
        #expect(object["sequence"] as? Int == 4)
        #expect((object["resources"] as? [Any])?.count == 2)
        let again: ConsoleState = try Self.decoded(Array(line.utf8))
        #expect(ConsoleFeed.json(again) == ConsoleFeed.json(Self.bare))
    }

    // MARK: Changes

    @Test("a change with a wrong number is not applied", arguments: [3, 4, 6, .max])
    func gaps(sequence: Int) {
        var state = Self.bare
        var change = ConsoleChange(sequence: sequence)
        change.removed = ["a"]
        let before = ConsoleFeed.json(state)
        #expect(state.apply(change) == false)
        #expect(ConsoleFeed.json(state) == before)
    }

    @Test("an empty change only advances the number")
    func emptyChange() {
        var state = Self.bare
        #expect(state.apply(ConsoleChange(sequence: 5)) == true)
        #expect(state.sequence == 5)
        state.sequence = 4
        #expect(ConsoleFeed.json(state) == ConsoleFeed.json(Self.bare))
    }

    @Test("new resources replace earlier ones, in the order of use")
    func resources() {
        var state = Self.bare
        var change = ConsoleChange(sequence: 5)
        change.resources = [Self.resource("b", used: 40), Self.resource("c", used: 35)]
        #expect(state.apply(change) == true)
        #expect(state.resources.map(\.id) == ["b", "c", "a"])
        change = ConsoleChange(sequence: 6)
        change.removed = ["c", "x"]
        #expect(state.apply(change) == true)
        #expect(state.resources.map(\.id) == ["b", "a"])
    }

    @Test("members that are sent whole replace the earlier ones")
    func wholes() {
        var state = Self.bare
        var change = ConsoleChange(sequence: 5)
        change.cache = .init(bytes: 9)
        change.stations = []
        change.readers = []
        change.fetches = []
        change.counts = .init(requests: 8)
        #expect(state.apply(change) == true)
        #expect(state.cache.bytes == 9 && state.counts.requests == 8)
        #expect(state.stations.isEmpty && state.readers.isEmpty && state.fetches.isEmpty)
        #expect(state.resources.count == 2 && state.traffic.count == 2)
    }

    @Test("traffic and events are added, and the oldest surplus ones are dropped")
    func added() {
        var state = Self.bare
        var change = ConsoleChange(sequence: 5)
        change.traffic = [[5, 6]]
        change.events = [Self.event("b")]
        #expect(state.apply(change) == true)
        #expect(state.traffic == [[1, 2], [3, 4], [5, 6]])
        #expect(state.events.map(\.subject) == [nil, "b"])
        change = ConsoleChange(sequence: 6)
        change.traffic = (0..<299).map { [Int64($0), 0] }
        change.events = (0..<199).map { _ in Self.event("c") }
        #expect(state.apply(change) == true)
        #expect(state.traffic.count == 300 && state.traffic.first == [5, 6])
        #expect(state.events.count == 200 && state.events.first?.subject == "b")
    }
}
