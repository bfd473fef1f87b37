// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCommand

@Suite("Lines that are redrawn")
struct LineCanvasTests {
    private let escape = "\u{1B}["

    @Test(
        "the first drawing begins at the cursor, and the next goes up by the earlier lines"
    )
    func redraw() {
        var canvas = LineCanvas()
        #expect(
            canvas.draw(["a", "b"], widths: [1, 1], columns: 20)
                == "\ra\(self.escape)K\r\nb\(self.escape)K"
        )
        #expect(
            canvas.draw(["c", "d"], widths: [1, 1], columns: 20)
                == "\r\(self.escape)1Ac\(self.escape)K\r\nd\(self.escape)K"
        )
    }

    @Test("fewer lines than before erase the rest")
    func fewer() {
        var canvas = LineCanvas()
        _ = canvas.draw(["a", "b", "c"], widths: [1, 1, 1], columns: 20)
        #expect(
            canvas.draw(["d"], widths: [1], columns: 20)
                == "\r\(self.escape)2Ad\(self.escape)K\(self.escape)J"
        )
    }

    @Test("lines that a narrower terminal has wrapped count by their rows")
    func narrower() {
        var canvas = LineCanvas()
        _ = canvas.draw(["a", "b"], widths: [39, 39], columns: 40)
        // With 20 columns, each line takes two rows.
        let text = canvas.draw(["c", "d"], widths: [1, 1], columns: 20)
        #expect(text.hasPrefix("\r\(self.escape)3Ac"))
        #expect(text.hasSuffix("\(self.escape)J"))
    }

    @Test("cleared lines are gone, and lines that are left stay")
    func end() {
        var canvas = LineCanvas()
        #expect(canvas.leave() == "")
        _ = canvas.draw(["a", "b"], widths: [1, 1], columns: 20)
        #expect(canvas.leave() == "\r\n")
        _ = canvas.draw(["a", "b"], widths: [1, 1], columns: 20)
        #expect(canvas.clear(columns: 20) == "\r\(self.escape)1A\(self.escape)J")
        #expect(canvas.draw(["a"], widths: [1], columns: 0) == "\ra\(self.escape)K")
    }
}
