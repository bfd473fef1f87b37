// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds where the keys of a TOML text stand, which the parser does not tell.
///
/// It is made for texts that the parser has accepted, and comes to an end with any other. Of a key
/// that comes more than once, as in arrays of tables, the first position counts.
struct KeyScanner {
    /// Where each key begins, by its whole path; of a section, its bracket.
    private(set) var positions: [[String]: TextPosition] = [:]
    /// A sentence about an error, and its position.
    typealias Defect = (sentence: String, position: TextPosition)

    /// The first part of the text that the parser must not see.
    ///
    /// The parser relies in some steps on a right text, and ends the process, or worse, if it is not: `[=]`, `a = [}`
    /// and `a = 1979-05-27T` are such texts. No value of Weir's is a date.
    private(set) var defect: Defect?

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var here = TextPosition.start
    private var depth = 0

    /// The parser refuses deeper nesting.
    private static let deepest = 256

    init(_ text: String) {
        self.scalars = Array(text.unicodeScalars)
        self.scan()
    }

    private var next: Unicode.Scalar? {
        self.index < self.scalars.count ? self.scalars[self.index] : nil
    }

    private mutating func advance() {
        guard let scalar = self.next else { return }
        self.index += 1
        if scalar == "\n" {
            self.here = TextPosition(line: self.here.line + 1, column: 1)
        } else {
            self.here.column += 1
        }
    }

    private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while let scalar = self.next, condition(scalar) { self.advance() }
    }

    private mutating func skipLine() {
        self.skip { $0 != "\n" }
    }

    /// Skips blanks, line ends, comments and separators of elements.
    private mutating func skipFiller() {
        while let scalar = self.next {
            switch scalar {
            case " ", "\t", "\r", "\n", ",", "\u{FEFF}": self.advance()
            case "#": self.skipLine()
            default: return
            }
        }
    }

    private mutating func record(_ path: [String], _ position: TextPosition) {
        for count in stride(from: 1, through: path.count, by: 1) {
            let prefix = Array(path.prefix(count))
            if self.positions[prefix] == nil { self.positions[prefix] = position }
        }
    }

    private mutating func scan() {
        var section: [String] = []
        while true {
            self.skipFiller()
            guard let scalar = self.next else { return }
            let start = self.here
            guard scalar == "[" else {
                self.scanPair(in: section)
                continue
            }
            self.skipBracket()
            if self.next == "[" { self.skipBracket() }
            if !self.isAtName {
                self.report("this section has no name; write it as [sources.NAME].", start)
            }
            section = self.scanKey()
            // A section's own position wins over that of a section below it which came first.
            self.positions[section] = nil
            self.record(section, start)
            self.skipLine()
        }
    }

    private mutating func report(_ sentence: String, _ position: TextPosition) {
        if self.defect == nil { self.defect = (sentence, position) }
    }

    private mutating func skipBracket() {
        self.advance()
        self.skip { $0 == " " || $0 == "\t" }
    }

    /// Whether a key can begin here.
    private var isAtName: Bool {
        guard let scalar = self.next else { return false }
        return scalar == "\"" || scalar == "'"
            || ConfiguredSource.isName(String(Character(scalar)))
    }

    /// `key = value`; always goes on by a scalar at least.
    private mutating func scanPair(in section: [String]) {
        let (start, first) = (self.here, self.index)
        let path = section + self.scanKey()
        if self.next == "=" {
            self.record(path, start)
            self.advance()
            self.scanValue(of: path)
        }
        if self.index == first { self.advance() }
    }

    /// A key with its dots and quotes, and the blanks after it.
    private mutating func scanKey() -> [String] {
        var path: [String] = []
        while true {
            self.skip { $0 == " " || $0 == "\t" }
            switch self.next {
            case "\"": path.append(self.scanString())
            case "'": path.append(self.scanString())
            default:
                let first = self.index
                self.skip { !" \t\r\n=.[]{}#,\"'".unicodeScalars.contains($0) }
                guard self.index > first else { return path }
                path.append(self.text(first..<self.index))
            }
            self.skip { $0 == " " || $0 == "\t" }
            guard self.next == "." else { return path }
            self.advance()
        }
    }

    private mutating func scanValue(of path: [String]) {
        self.skip { $0 == " " || $0 == "\t" }
        switch self.next {
        case "\"", "'": _ = self.scanString()
        case "[" where self.depth < Self.deepest, "{" where self.depth < Self.deepest:
            let isTable = self.next == "{"
            self.depth += 1
            self.advance()
            self.scanElements(of: path, isTable: isTable)
            self.depth -= 1
        default: self.scanBareValue()
        }
    }

    /// A value without quotes and brackets: a number, `true` or `false`.
    private mutating func scanBareValue() {
        let (start, first) = (self.here, self.index)
        self.skip { !",]}#\r\n".unicodeScalars.contains($0) }
        var end = self.index
        while end > first, " \t".unicodeScalars.contains(self.scalars[end - 1]) { end -= 1 }
        guard !Self.isBareValue(self.text(first..<end)) else { return }
        self.report(
            "there must be a value here: a text in quotes, a list in brackets, a number, true or false.",
            start
        )
    }

    /// Whether a value can stand without quotes: `true`, `false`, and numbers, of which the parser
    /// sees to the rest.
    private static func isBareValue(_ text: String) -> Bool {
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

    private mutating func scanElements(of path: [String], isTable: Bool) {
        while true {
            self.skipFiller()
            guard let scalar = self.next else { return }
            let first = self.index
            if scalar == (isTable ? "}" : "]") {
                self.advance()
                return
            }
            if isTable { self.scanPair(in: path) } else { self.scanValue(of: path) }
            if self.index == first { self.advance() }
        }
    }

    /// A string of any of the four kinds; gives what is between the quotes, with simple escapes
    /// resolved.
    private mutating func scanString() -> String {
        guard let quote = self.next else { return "" }
        let isLong = self.isRun(of: quote, 3)
        for _ in 0..<(isLong ? 3 : 1) { self.advance() }
        var content = String.UnicodeScalarView()
        while let scalar = self.next {
            if scalar == quote, !isLong || self.isRun(of: quote, 3) {
                for _ in 0..<(isLong ? 3 : 1) { self.advance() }
                // Up to two quotes may stand before the three that end it.
                if isLong { self.skip { $0 == quote } }
                break
            }
            if !isLong, scalar == "\n" { break }
            if scalar == "\\", quote == "\"" { self.advance() }
            if let scalar = self.next { content.append(scalar) }
            self.advance()
        }
        return String(content)
    }

    private func isRun(of scalar: Unicode.Scalar, _ count: Int) -> Bool {
        self.index + count <= self.scalars.count
            && self.scalars[self.index..<self.index + count].allSatisfy { $0 == scalar }
    }

    private func text(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: self.scalars[range])
        return String(view)
    }
}
