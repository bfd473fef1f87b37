// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes the text that redraws the last lines of a terminal in place.
///
/// To avoid flicker, the text overwrites old lines without clearing them first. After every
/// drawing, the cursor is at the end of the last line. Lines must be at least a cell narrower than
/// the terminal.
struct LineCanvas {
    /// The number of cells of each drawn line.
    private var widths: [Int] = []

    /// The text that draws lines over the last drawn ones; `lines` may contain colour sequences.
    ///
    /// If the terminal has become narrower, it has wrapped the older lines, so they take more rows.
    mutating func draw(_ lines: [String], widths: [Int], columns: Int) -> String {
        var text = self.up(columns)
        for (index, line) in lines.enumerated() {
            text += line
            // Clears the rest of the line, but not the last cell of a full line, where some
            // terminals keep the cursor.
            text += "\u{1B}[K"
            if index < lines.count - 1 { text += "\r\n" }
        }
        if self.rows(columns) > lines.count { text += "\u{1B}[J" }
        self.widths = widths
        return text
    }

    /// The text that removes all lines, and puts the cursor where the first line was.
    mutating func clear(columns: Int) -> String {
        defer { self.widths = [] }
        return "\(self.up(columns))\u{1B}[J"
    }

    /// The text that keeps the lines, and puts the cursor below them.
    mutating func leave() -> String {
        defer { self.widths = [] }
        return self.widths.isEmpty ? "" : "\r\n"
    }

    private func up(_ columns: Int) -> String {
        let rows = self.rows(columns)
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }

    /// How many rows the lines take in a terminal of a given width.
    private func rows(_ columns: Int) -> Int {
        let columns = max(1, columns)
        return self.widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    }
}
