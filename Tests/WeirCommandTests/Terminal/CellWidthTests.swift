// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("Cells of a terminal")
struct CellWidthTests {
    @Test(
        "text takes as many cells as on a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("ｱ", 1), ("Ａ", 2),
            ("한글", 4), ("🎵", 2), ("❤\u{FE0F}", 2), ("👨‍👩‍👧", 2), ("–·…", 3), ("Ж", 1),
            ("\u{301}", 0), ("〿", 1), ("⌚", 2),
        ]
    )
    func widths(_ text: String, _ width: Int) {
        #expect(text.cellCount == width, "\(text)")
    }

    @Test("a cut text shows that it is cut, and is never wider than allowed")
    func cuts() {
        #expect("abcdef".cut(toCells: 4) == "abc…")
        #expect("abcd".cut(toCells: 4) == "abcd")
        #expect("日本語".cut(toCells: 4) == "日…")
        #expect("日本語".cut(toCells: 1) == "…")
        #expect("abc".cut(toCells: 0) == "")
        for width in 0...12 {
            let text = "a日b本e\u{301}🎵c"
            #expect(text.cut(toCells: width).cellCount <= width)
            #expect(text.fitted(toCells: width).cellCount == width)
        }
    }

    @Test("a line of pieces is cut as one, and its pieces keep their styles")
    func pieces() {
        var line = StyledLine("abc", .bold)
        line.append("日本", .dim)
        #expect(line.width == 7)
        #expect(line.cut(to: 7) == line)
        #expect(line.cut(to: 6).plain == "abc日…")
        #expect(line.cut(to: 4).plain == "abc…")
        #expect(line.cut(to: 3).plain == "ab…")
        #expect(line.cut(to: 4).coloured == "\u{1B}[1mabc\u{1B}[0m\u{1B}[2m…\u{1B}[0m")
        for width in 0...8 { #expect(line.cut(to: width).width <= width, "\(width)") }
    }

    @Test("a line has a text at each end, and the left one has priority where both do not fit")
    func sides() {
        let line = StyledLine.sides(StyledLine("left"), StyledLine("right"), width: 14)
        #expect(line.plain == "left     right")
        #expect(
            StyledLine.sides(StyledLine("a long left"), StyledLine("right"), width: 9).plain
                == "a long l…"
        )
    }
}
