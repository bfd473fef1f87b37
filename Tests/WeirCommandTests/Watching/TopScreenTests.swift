// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand
@testable import WeirConsole

@Suite("The screen of weir top")
struct TopScreenTests {
    private static func plain(
        _ state: ConsoleState,
        columns: Int = 100,
        rows: Int = 24
    ) -> [String] {
        TopScreen(columns: columns, rows: rows).lines(state).map(\.plain)
    }

    /// The line of a state's only resource.
    private static func line(
        _ resource: ConsoleState.Resource,
        _ change: (inout ConsoleState) -> Void = { _ in }
    ) -> String {
        let state = ConsoleState.made { state in
            state.resources = [resource]
            change(&state)
        }
        return Self.plain(state, columns: 200)[4]
    }

    /// The bar: the first cells of a line.
    private static func bar(_ line: String) -> String { String(line.prefix(24)) }

    private static func reader(_ resource: Int, at offset: Int64) -> ConsoleState.Reader {
        ConsoleState.Reader(resource: "\(resource)", station: nil, from: 0, at: offset, to: nil)
    }

    private static func fetch(_ resource: Int, at offset: Int64?) -> ConsoleState.Fetch {
        ConsoleState.Fetch(
            resource: "\(resource)",
            at: offset,
            to: nil,
            state: "running",
            reason: "reader"
        )
    }

    private static func event(_ number: Int, _ text: String) -> ConsoleEvent {
        ConsoleEvent(kind: "told", subject: "s\(number)", text: text, isTrouble: number % 2 == 0)
    }

    /// A server with many resources, stations and events, all with an unusual name.
    private static func crowded(_ name: String) -> ConsoleState {
        .made { state in
            state.cache.trouble = name
            state.stations = (0..<3).map { _ in .made(name, title: name) }
            state.resources = (0..<60).map {
                .made($0, name: name, length: $0 % 3 == 0 ? nil : Int64($0) * 1000)
            }
            state.readers = (0..<30).map { Self.reader($0, at: 500) }
            state.fetches = (0..<30).map { Self.fetch($0 * 2, at: $0 % 2 == 0 ? nil : 900) }
            state.events = (0..<200).map { Self.event($0, name) }
        }
    }

    // MARK: Room

    @Test(
        "no line is wider than the terminal, and there are no more lines than rows",
        arguments: [
            "a.mp3", "日本語のとても長い名前の曲.flac", "e\u{301}\u{301}\u{301}", "👨‍👩‍👧🎵",
            String(repeating: "x", count: 3000), "\u{1B}[31mred\u{1B}]0;t\u{7}", "a\nb\r\tc",
            "\u{202E}gpj.exe", "\u{0}\u{9B}2J\u{85}\u{2028}", "", " ",
        ]
    )
    func room(name: String) {
        let state = Self.crowded(name)
        for columns in [20, 21, 33, 34, 40, 79, 80, 81, 132, 999, 5000] {
            for rows in [5, 6, 8, 12, 24, 100] {
                let lines = TopScreen(columns: columns, rows: rows).lines(state)
                #expect(lines.count < rows, "\(columns) × \(rows)")
                for line in lines {
                    #expect(line.width < columns, "\(columns) × \(rows): \(line.plain)")
                    #expect(line.plain.cellCount == line.width)
                    #expect(
                        line.plain.unicodeScalars.allSatisfy {
                            switch $0.properties.generalCategory {
                            case .control, .format, .lineSeparator, .paragraphSeparator: false
                            default: true
                            }
                        },
                        "\(line.plain.debugDescription)"
                    )
                }
            }
        }
    }

    @Test(
        "a window below the least size gets the screen of the least size",
        arguments: [-5, 0, 1, 4, 19]
    )
    func tiny(size: Int) {
        let state = Self.crowded("a.mp3")
        for columns in 20..<34 {
            for line in TopScreen(columns: columns, rows: 24).lines(state) {
                #expect(line.width < columns)
            }
        }
        let least = TopScreen(columns: 20, rows: 5).lines(state)
        #expect(TopScreen(columns: size, rows: min(size, 5)).lines(state) == least)
    }

    @Test("the last line shows how to quit, or the current trouble")
    func end() {
        let screen = TopScreen(columns: 80, rows: 24)
        #expect(screen.lines(.made()).last?.plain == "q quits  ? keys")
        #expect(screen.lines(.made(), notice: "Lost.").last?.plain == "Lost.")
        #expect(screen.lines(Self.crowded("a"), notice: "Lost.").last?.plain == "Lost.")
    }

    @Test("figures come first, then resources, then the last events")
    func order() {
        let state = ConsoleState.made { state in
            state.resources = [.made(1), .made(2)]
            state.events = (1...9).map { Self.event($0, "E\($0)") }
        }
        let lines = Self.plain(state)
        #expect(lines[0].hasPrefix("cache    "))
        #expect(lines[1].hasPrefix("players  "))
        #expect(lines[2].hasPrefix("origins  "))
        #expect(lines[3].isEmpty)
        #expect(lines[4].hasSuffix("https://h.example/1.mp3"))
        #expect(lines[5].hasSuffix("https://h.example/2.mp3"))
        #expect(lines[6].isEmpty)
        #expect(lines[7...].dropLast() == ["s9: E9", "s8: E8", "s7: E7", "s6: E6", "s5: E5"])
    }

    @Test(
        "resources that are read or fetched come before the last used ones, where not all fit"
    )
    func busy() {
        let state = ConsoleState.made { state in
            state.resources = (1...50).map { .made($0, name: "n\($0)") }
            state.readers = [Self.reader(49, at: 0)]
            state.fetches = [Self.fetch(50, at: 0)]
        }
        let lines = Self.plain(state, rows: 10)
        #expect(lines[4].contains(" n49") && lines[5].contains(" n50") && lines[6].contains(" n1"))
        #expect(lines.count == 9)
    }

    @Test(
        "if the list does not fit, the last line shows the visible part and the keys for scrolling"
    )
    func scrolled() {
        let state = ConsoleState.made { state in
            state.resources = (1...50).map { .made($0, name: "n\($0)") }
        }
        let screen = TopScreen(columns: 60, rows: 10)
        let first = screen.lines(state).map(\.plain)
        #expect(first[4].contains(" n1") && first[7].contains(" n4"))
        #expect(first.last?.hasPrefix("q quits  ? keys  ↑↓ ") == true)
        #expect(first.last?.hasSuffix(" 1 to 4 of 50") == true)
        let later = screen.lines(state, from: 10).map(\.plain)
        #expect(later[4].contains(" n11") && later.last?.hasSuffix(" 11 to 14 of 50") == true)
        // An offset behind the end shows the end.
        let last = screen.lines(state, from: 4000).map(\.plain)
        #expect(last[7].contains(" n50") && last.last?.hasSuffix(" 47 to 50 of 50") == true)
        #expect(screen.lines(state, from: -3).map(\.plain) == first)
    }

    @Test("resources are shown in every window, however long the figures are", arguments: 1...7)
    func leastRoom(count: Int) {
        for long in [false, true] {
            let state = ConsoleState.made { state in
                state.resources = (1...count).map { .made($0, name: "n\($0)") }
                state.events = (1...9).map { Self.event($0, "E\($0)") }
                guard long else { return }
                state.cache.trouble = String(repeating: "The disk is full. ", count: 20)
                state.stations = (1...9).map { .made("station \($0)", title: "A long title") }
            }
            for columns in [20, 40, 80, 132] {
                for rows in [5, 6, 8, 10, 24, 50] {
                    let lines = Self.plain(state, columns: columns, rows: rows)
                    let shown = lines.filter { $0.contains(" 50 % ") }.count
                    let wanted = min(count, max(1, (rows - 2) / 2))
                    #expect(shown >= wanted, "\(columns) × \(rows): \(lines)")
                    #expect(lines.count < rows)
                }
            }
        }
    }

    // MARK: A resource

    @Test("a line has the bar, the share, the size, the pin and the name")
    func line() {
        let half = ConsoleState.Resource.made(
            1,
            name: "a.mp3",
            length: 2400,
            held: 1200,
            pieces: [[0, 1200]],
            pinned: true
        )
        let line = Self.line(half)
        #expect(Self.bar(line) == "████████████············")
        #expect(
            line.dropFirst(24)
                == "  50 %  \(ByteSize.format(2400).padding(to: 8, atStart: true)) * a.mp3"
        )
        let read = Self.line(half) { state in
            state.readers = [Self.reader(1, at: 0), Self.reader(1, at: 2399)]
            state.fetches = [Self.fetch(1, at: 1200)]
        }
        #expect(Self.bar(read) == "|███████████>··········|")
        #expect(read.hasSuffix("  2 readers, running, for a reader"))
    }

    @Test("the held share of a cell is a shade of it")
    func shades() {
        let full: Int64 = 24 * 100
        for (held, shade) in [(0, "·"), (24, "·"), (25, "░"), (50, "▒"), (75, "▓"), (100, "█")] {
            let line = Self.line(.made(1, length: full, held: 1, pieces: [[0, Int64(held)]]))
            #expect(Self.bar(line).first.map(String.init) == shade, "\(held)")
        }
        let parts = Self.line(.made(1, length: full, pieces: [[0, 25], [30, 55], [2300, 2400]]))
        #expect(Self.bar(parts) == "▒······················█")
    }

    @Test("an unknown or zero length has no bar")
    func noLength() {
        let unknown = Self.line(.made(1, name: "a", length: nil, held: 5, pieces: [[0, 5]]))
        #expect(Self.bar(unknown) == String(repeating: "?", count: 24))
        #expect(unknown.dropFirst(24).hasPrefix("     ? "))
        let empty = Self.line(.made(1, name: "a", length: 0, held: 0, pieces: []))
        #expect(Self.bar(empty) == String(repeating: "?", count: 24))
        #expect(empty.dropFirst(24).hasPrefix(" 100 % "))
    }

    @Test("the shortest and the longest resources have bars like others")
    func extremes() {
        for length in [1, 2, 23, 24, 25, 1 << 53, Int64.max - 1, .max] as [Int64] {
            for pieces in [nil, [], [[0, length]], [[0, 1]], [[length - 1, length]]]
                as [[[Int64]]?]
            {
                let held = min(length, 90_000_000_000_000_000)
                let line = Self.line(.made(1, length: length, held: held, pieces: pieces)) {
                    state in
                    state.readers = [Self.reader(1, at: length)]
                    state.fetches = [Self.fetch(1, at: length), Self.fetch(1, at: 0)]
                }
                let bar = Self.bar(line)
                #expect(bar.count == 24)
                #expect(bar.first == ">" && bar.last == "|", "\(length)")
            }
        }
    }

    @Test("a whole resource has a full bar, whatever its length")
    func full() {
        for length in [1, 2, 23, 24, 25, 100, 4_815_162_342, 1 << 53, .max] as [Int64] {
            let line = Self.line(.made(1, length: length, held: 1, pieces: [[0, length]]))
            #expect(Self.bar(line) == String(repeating: "█", count: 24), "\(length)")
        }
    }

    @Test("missing or invalid pieces are drawn as empty")
    func noPieces() {
        for pieces in [nil, [], [[]], [[5]], [[1, 2, 3]], [[200, 300]], [[50, 40]]] as [[[Int64]]?]
        {
            let line = Self.line(.made(1, length: 100, held: 1, pieces: pieces))
            #expect(Self.bar(line) == String(repeating: "·", count: 24))
        }
    }

    @Test("invalid data from a server does not trap")
    func hostileServer() {
        for pieces in [[[0, 100], [0, 100]], [[.min, .max]], [[.min, .min]]] as [[[Int64]]] {
            #expect(!Self.line(.made(1, length: 100, held: 1, pieces: pieces)).isEmpty)
        }
        for number in OutsideNumbers.all {
            #expect(!Self.line(.made(1, length: .max, held: number)).isEmpty)
            #expect(!Self.line(.made(1, length: 1, held: number)).isEmpty)
            let line = Self.line(.made(1, length: 1)) { state in
                state.readers = [Self.reader(1, at: number)]
                state.fetches = [Self.fetch(1, at: number)]
            }
            #expect(!line.isEmpty)
        }
    }
}
