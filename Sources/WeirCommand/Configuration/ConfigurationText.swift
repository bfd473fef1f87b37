// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The configuration as a text: what its errors name.
struct ConfigurationText: Sendable {
    /// The file's path.
    let file: String
    /// What stands in it.
    let text: String
    /// Whether nobody but its owner can read the file, so that secrets may stand in it.
    let isPrivate: Bool

    /// What the parser must not see, if there is something.
    let defect: TextDefect?

    private let positions: [[String]: TextPosition]

    /// Takes a text and finds its keys.
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
    func place(of path: [String]) -> String {
        "\(self.file):\(self.position(of: path))"
    }

    /// An error at a key; `sentence` goes on after the place and has its full stop.
    func failure(at path: [String], _ sentence: String) -> CommandError {
        CommandError(.usage, "\(self.place(of: path)): \(sentence)")
    }
}

/// What is found in a TOML text that the parser must not see.
///
/// The parser assumes in places that a text is right, and ends the process, or worse, if it is not: `[=]`, `a = [}` and
/// `a = 1979-05-27T` are such texts. No value of ours is a date.
struct TextDefect: Hashable, Sendable {
    /// A section's bracket without a name behind it.
    static let unnamedSection = "this section has no name; write it as [sources.NAME]."
    /// A value without quotes that is no number and neither `true` nor `false`; or none at all.
    static let bareValue =
        "there must be a value here: a text in quotes, a list in brackets, a number, true or"
        + " false."

    /// What is wrong, to stand behind the position.
    var sentence: String
    var position: TextPosition

    /// Whether a value can stand without quotes: `true`, `false`, and numbers, of which the parser
    /// sees to the rest.
    static func isBareValue(_ text: String) -> Bool {
        if text == "true" || text == "false" { return true }
        let bytes = Array(text.utf8)
        let first = bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-") ? 1 : 0
        guard first < bytes.count else { return false }
        return bytes.indices.dropFirst(first).allSatisfy { index in
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                index > first
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                index > first && bytes[index - 1] | 0x20 == UInt8(ascii: "e")
            default: false
            }
        }
    }
}

/// A place in a text, as editors count: from 1, the column in Unicode scalars.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    var line: Int
    var column: Int

    /// The beginning of a text.
    static let start = TextPosition(line: 1, column: 1)

    var description: String { "\(self.line):\(self.column)" }
}
