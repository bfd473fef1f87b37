// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand
@testable import WeirConsole

@Suite("Scrolling in weir top")
struct TopViewTests {
    private static func moment(_ count: Int) -> ConsoleState {
        .made { state in
            state.resources = (0..<count).map { .made($0, name: "n\($0).mp3") }
        }
    }

    /// A view of a server with `count` resources, in a window with room for four.
    private static func view(_ count: Int) -> TopView {
        var view = TopView(columns: 60, rows: 10)
        view.changed(to: Self.moment(count), notice: nil)
        return view
    }

    /// The numbers of the resources on the screen.
    private static func shown(_ view: TopView) -> [Int] {
        view.lines.compactMap { line in
            line.plain.split(separator: " ").first { $0.hasSuffix(".mp3") }
                .flatMap { Int($0.dropFirst().dropLast(4)) }
        }
    }

    @Test("each key scrolls as usual, and stops at the ends")
    func keys() {
        var view = Self.view(20)
        let steps: [(TerminalKey, Int)] = [
            (.down, 1), (.character("j"), 2), (.up, 1), (.character("k"), 0), (.up, 0),
            (.pageDown, 3), (.character(" "), 6), (.pageUp, 3), (.character("b"), 0),
            (.pageUp, 0), (.end, 16), (.down, 16), (.pageDown, 16), (.home, 0),
            (.character("G"), 16), (.character("g"), 0), (.left, 0), (.other, 0),
        ]
        for (key, offset) in steps {
            let ends = view.pressed(key)
            #expect(!ends)
            #expect(view.offset == offset, "after \(key)")
            #expect(Self.shown(view) == Array(offset..<offset + 4), "after \(key)")
        }
        let ends = view.pressed(.character("q"))
        #expect(ends)
    }

    @Test("another size of the terminal draws the same state, and keeps the list filled")
    func resized() {
        var view = Self.view(20)
        _ = view.pressed(.end)
        view.resized(columns: 60, rows: 40)
        #expect(Self.shown(view) == Array(0..<20))
        view.resized(columns: 40, rows: 10)
        #expect(view.lines.count == 9)
        #expect(view.lines.allSatisfy { $0.width < 40 })
        #expect(Self.shown(view).count == 4)
    }

    @Test("? shows the keys instead of the screen, and ? or another key returns to it")
    func help() {
        var view = TopView(columns: 40, rows: 10)
        view.changed(to: Self.moment(20), notice: nil)
        let before = view.lines
        for key in [TerminalKey.character("?"), .up, .other] {
            var ends = view.pressed(.character("?"))
            let help = view.lines.map(\.plain)
            #expect(!ends && help.count == 9 && Self.shown(view).isEmpty)
            #expect(help.contains { $0.contains("Page Down") } && help.last == "q quits  ? back")
            #expect(!help.contains { $0.contains("…") })
            ends = view.pressed(key)
            #expect(!ends && view.lines == before, "after \(key)")
        }
    }

    @Test("before the first state there is nothing to draw, and no key has an effect")
    func empty() {
        var view = TopView(columns: 80, rows: 24)
        for key in [TerminalKey.down, .end] {
            let ends = view.pressed(key)
            #expect(!ends)
        }
        #expect(view.lines.isEmpty && view.offset == 0)
    }

    @Test(
        "after any events, the window is full of resources or shows all of them",
        arguments: 0..<TestLength.short(25, long: 100) as Range<UInt64>
    )
    func property(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let keys: [TerminalKey] = [.up, .down, .pageUp, .pageDown, .home, .end]
        var view = TopView(columns: 80, rows: 24)
        var count = 0
        for _ in 0..<60 {
            switch Int.random(in: 0...3, using: &generator) {
            case 0:
                count = Int.random(in: 0...80, using: &generator)
                view.changed(to: Self.moment(count), notice: nil)
            case 1:
                view.resized(
                    columns: .random(in: 1...200, using: &generator),
                    rows: .random(in: 1...60, using: &generator)
                )
            default: _ = view.pressed(keys.randomElement(using: &generator) ?? .up)
            }
            #expect(view.offset >= 0 && view.offset <= max(0, count - 1), "seed \(seed)")
            view.resized(columns: 80, rows: 24)
            // The other lines are three figures, a blank line and the line of the keys.
            #expect(Self.shown(view).count == min(count, 18), "seed \(seed), of \(count)")
        }
    }
}
