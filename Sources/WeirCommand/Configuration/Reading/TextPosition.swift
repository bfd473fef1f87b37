// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place in a text, as editors count: from 1, the column in Unicode scalars.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    var line: Int
    var column: Int

    /// The beginning of a text.
    static let start = TextPosition(line: 1, column: 1)

    var description: String { "\(self.line):\(self.column)" }
}
