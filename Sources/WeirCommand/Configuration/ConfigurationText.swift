// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The text of a configuration, and the file that it is from.
struct ConfigurationText: Sendable {
    let file: String
    let text: String
    /// Whether only its owner can read the file, so that secrets may stand in it.
    let isPrivate: Bool

    /// The folder of the file; empty for the one where we are.
    var folder: String {
        self.file.lastIndex(of: "/").map { String(self.file[..<$0]) } ?? ""
    }
}

/// A position in a text, as editors count: from 1, the column in Unicode scalars.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    var line: Int
    var column: Int

    static let start = TextPosition(line: 1, column: 1)

    var description: String { "\(self.line):\(self.column)" }
}
