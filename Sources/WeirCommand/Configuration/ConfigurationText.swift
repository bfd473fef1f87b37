// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The text of a configuration and its file.
struct ConfigurationText: Sendable {
    let file: String
    let text: String
    /// Whether only its owner can read the file, so that it may contain secrets.
    let isPrivate: Bool

    /// The folder of the file; empty for the current folder.
    var folder: String {
        self.file.lastIndex(of: "/").map { String(self.file[..<$0]) } ?? ""
    }
}

/// A position in a text as editors count: from 1, with columns in Unicode scalars.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    var line: Int
    var column: Int

    static let start = TextPosition(line: 1, column: 1)

    var description: String { "\(self.line):\(self.column)" }
}
