// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand
@testable import WeirConsole

@Suite("The figures of a server")
struct ServerFiguresTests {
    /// The texts by name; of several figures with one name, the first one.
    private static func figures(_ state: ConsoleState) -> [String: String] {
        Dictionary(ServerFigures(state).lines.map { ($0.name, $0.text) }) { first, _ in first }
    }

    @Test("an idle server has figures without the missing parts")
    func nothing() {
        #expect(
            ServerFigures(.made()).lines.map { "\($0.name): \($0.text)" } == [
                "cache: \(ByteSize.format(0)) in 0 resources",
                "players: 0 reading now; 0 requests, \(ByteSize.format(0)) served",
                "origins: 0 fetching now; 0 requests, \(ByteSize.format(0)) received",
            ]
        )
    }

    @Test("in a narrow window no figure is cut, and the least important parts are left out")
    func brief() {
        let state = ConsoleState.made { state in
            state.resources = (0..<30).map { .made($0) }
            state.cache.resources = 30
            state.cache.bytes = 150_000
            state.cache.limits.bytes = 2_000_000_000
            state.cache.free = 70_000_000_000
            state.counts.requests = 30
            state.counts.served = 150_000
            state.counts.originRequests = 31
            state.counts.origin = 150_000
            state.traffic = Array(repeating: [12_300_000, 12_300_000], count: 5)
        }
        let lines = TopScreen(columns: 40, rows: 10).lines(state).map(\.plain)
        #expect(lines[0] == "cache    30 held, 150.0 kB of 2.0 GB")
        #expect(lines[1] == "players  0 reading, 12.3 MB/s, 150.0 kB")
        #expect(lines[2] == "origins  0 fetching, 12.3 MB/s")
        for columns in 30...120 {
            let figures = TopScreen(columns: columns, rows: 10).lines(state).prefix(3)
            #expect(!figures.contains { $0.plain.contains("…") }, "\(columns)")
        }
    }

    @Test("the cache is shown with its limit, and the disk")
    func cache() {
        let figures = Self.figures(
            .made { state in
                state.cache.bytes = 5_000_000
                state.cache.resources = 1
                state.cache.limits.bytes = 9_000_000
                state.cache.free = 70_000_000
                state.cache.trouble = "The disk\nis full."
            }
        )
        #expect(
            figures["cache"]
                == "\(ByteSize.format(5_000_000)) of \(ByteSize.format(9_000_000)) in 1 resource, "
                + "\(ByteSize.format(70_000_000)) free on the disk"
        )
        #expect(figures["trouble"] == "The disk is full.")
    }

    @Test("players and origins have totals, and rates of the last five seconds")
    func traffic() {
        let figures = Self.figures(
            .made { state in
                state.counts.requests = 1
                state.counts.failures = 2
                state.counts.refused = 6
                state.counts.served = 1000
                state.counts.origin = 250
                state.counts.originRequests = 3
                state.counts.retries = 4
                state.readers = [.init(resource: "1", station: nil, from: 0, at: 0, to: nil)]
                state.traffic = [[9000, 9000]] + Array(repeating: [10, 20], count: 5)
            }
        )
        #expect(
            figures["players"]
                == "1 reading now; 1 request, 2 failed, 6 refused, \(ByteSize.format(1000)) served, "
                + "\(ByteSize.format(20))/s"
        )
        #expect(
            figures["origins"]
                == "0 fetching now; 3 requests, 4 repeated, \(ByteSize.format(250)) received, "
                + "\(ByteSize.format(10))/s"
        )
    }

    @Test("a station is a line, whatever its title is")
    func stations() {
        var second = ConsoleState.Station.made("night", title: "A\nB\u{1B}[2J")
        second.state = "waiting"
        second.reason = "The station answered 503."
        second.listeners = 2
        second.buffered = 120
        second.reconnects = 3
        let lines = ServerFigures(
            .made { $0.stations = [.made("groove", title: "One"), second] }
        ).lines.filter { $0.name == "station" }.map(\.text)
        #expect(lines.first == "groove live · “One” · 1 listener · 59 s of 30 min kept")
        #expect(
            lines.last
                == "night waiting · “A B?[2J” · The station answered 503. · 2 listeners · "
                + "2 min of 30 min kept · 3 × reconnected"
        )
    }

    @Test("traffic without a column gives no rate")
    func shortTraffic() {
        for traffic in [[], [[]], [[1]]] as [[[Int64]]] {
            let figures = Self.figures(.made { $0.traffic = traffic })
            #expect(figures["players"]?.contains("/s") == false)
        }
    }

    @Test("impossible numbers from a server do not trap")
    func hostileServer() {
        for number in OutsideNumbers.all {
            for other in OutsideNumbers.all {
                let lines = ServerFigures(
                    .made { state in
                        state.counts.served = number
                        state.counts.origin = other
                        state.traffic = [[number, other], [number, other]]
                        state.cache.bytes = number
                        state.cache.free = other
                    }
                ).lines
                #expect(lines.count == 3)
            }
        }
    }
}
