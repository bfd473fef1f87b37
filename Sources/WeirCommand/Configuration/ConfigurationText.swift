// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The text of the configuration, and the positions of its keys, for errors.
struct ConfigurationText: Sendable {
    let file: String
    let text: String
    /// Whether only its owner can read the file, so that secrets may stand in it.
    let isPrivate: Bool

    /// The first part of the text that the parser must not see, if there is one.
    let defect: KeyScanner.Defect?

    private let positions: [[String]: TextPosition]

    init(file: String, text: String, isPrivate: Bool) {
        self.file = file
        self.text = text
        self.isPrivate = isPrivate
        let scanner = KeyScanner(text)
        self.defect = scanner.defect
        self.positions = scanner.positions
    }

    /// The folder of the file; empty for the one where we are.
    var folder: String {
        self.file.lastIndex(of: "/").map { String(self.file[..<$0]) } ?? ""
    }

    /// Where a key stands, or the innermost section around it that can be found.
    func position(of path: [String]) -> TextPosition {
        for count in stride(from: path.count, through: 1, by: -1) {
            if let position = self.positions[Array(path.prefix(count))] { return position }
        }
        return .start
    }

    /// `FILE:LINE:COLUMN` of a key.
    func location(of path: [String]) -> String {
        "\(self.file):\(self.position(of: path))"
    }

    /// An error at a key; `sentence` goes on after it and has its full stop.
    func failure(at path: [String], _ sentence: String) -> CommandError {
        CommandError.usage("\(self.location(of: path)): \(sentence)")
    }
}

/// A position in a text, as editors count: from 1, the column in Unicode scalars.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    var line: Int
    var column: Int

    static let start = TextPosition(line: 1, column: 1)

    var description: String { "\(self.line):\(self.column)" }
}
