// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The last lines of a terminal, drawn over in place: makes the text that changes them.
///
/// Nothing is cleared before it is written over, so that nothing flickers. The terminal's cursor is at the end of the
/// last line after every drawing. Lines must be a cell narrower than the terminal.
struct LineCanvas {
    /// How many cells each line that stands there takes.
    private var widths: [Int] = []

    /// The text that draws lines over the last ones; they may hold sequences that set colours.
    ///
    /// Where the terminal has become narrower, it has broken the older lines into several.
    mutating func draw(_ lines: [String], widths: [Int], columns: Int) -> String {
        var text = self.up(columns)
        for (index, line) in lines.enumerated() {
            text += line
            // The rest of the last line goes, but not the last cell of a full line, where some cursors rest.
            text += "\u{1B}[K"
            if index < lines.count - 1 { text += "\r\n" }
        }
        if self.rows(columns) > lines.count { text += "\u{1B}[J" }
        self.widths = widths
        return text
    }

    /// The text that removes all lines, and leaves the cursor where the first stood.
    mutating func clear(columns: Int) -> String {
        defer { self.widths = [] }
        return "\(self.up(columns))\u{1B}[J"
    }

    /// The text that leaves the lines as they are, and the cursor below them.
    mutating func leave() -> String {
        defer { self.widths = [] }
        return self.widths.isEmpty ? "" : "\r\n"
    }

    private func up(_ columns: Int) -> String {
        let rows = self.rows(columns)
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }

    /// How many rows the lines take in a terminal of a width.
    private func rows(_ columns: Int) -> Int {
        let columns = max(1, columns)
        return self.widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    }
}
