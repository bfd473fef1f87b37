// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Keys and values.
extension TOMLReader {
    /// Whether a key can begin at the current position.
    var isAtKey: Bool { self.next == "\"" || self.next == "'" || self.isAtBare }

    private var isAtBare: Bool { self.next.map { ConfiguredSource.isName(String($0)) } ?? false }

    /// The parts of a key, bare or in quotes (§Keys): one or more.
    mutating func key() throws(TOMLError) -> [String] {
        var path: [String] = []
        repeat {
            if !path.isEmpty { self.advance() }
            self.skipBlanks()
            guard self.isAtKey, self.isAtBare || !self.isAtLongQuotes else {
                throw self.error("a key is missing here; write it as keep = \"whole\".")
            }
            path.append(self.isAtBare ? self.word() : try self.string())
            _ = try self.checked(path.count)
            self.skipBlanks()
        } while self.next == "."
        return path
    }

    private mutating func word() -> String {
        let first = self.index
        while self.isAtBare { self.advance() }
        return self.text(from: first)
    }

    mutating func value(depth: Int) throws(TOMLError) -> TOMLValue {
        switch self.next {
        case "\"", "'": .text(try self.string())
        case "[": .list(try self.list(depth: self.checked(depth)))
        case "{": .table(try self.inlineTable(depth: self.checked(depth)))
        case ("0"..."9")?, "+", "-": try self.number()
        default: .boolean(try self.boolean())
        }
    }

    /// `[1, 2]` (§Array): may have line ends, comments, and a comma after the last value.
    private mutating func list(depth: Int) throws(TOMLError) -> [TOMLValue] {
        let start = self.here
        var values: [TOMLValue] = []
        repeat {
            self.advance()
            try self.skipFiller()
            guard self.next != nil, self.next != "]" else { break }
            values.append(try self.value(depth: depth + 1))
            try self.skipFiller()
        } while self.next == ","
        guard self.next == "]" else {
            let position = self.next == nil ? start : self.here
            throw self.error(
                "a list has commas between its values, and ] at its end.",
                at: position
            )
        }
        self.advance()
        return values
    }

    /// Skips blanks, line ends and comments.
    private mutating func skipFiller() throws(TOMLError) {
        repeat {
            self.skipBlanks()
            try self.skipComment()
        } while self.skipLineEnd()
    }

    /// `{ a = 1, b = 2 }` (§Inline Table): in one line, without a comma after the last pair.
    private mutating func inlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
        let table = TOMLTable(.inline, depth: depth)
        repeat {
            self.advance()
            self.skipBlanks()
            if self.next == "}", table.entries.isEmpty { break }
            try self.pair(in: table)
            self.skipBlanks()
        } while self.next == ","
        guard self.next == "}" else {
            throw self.error("a table in braces has commas between its keys, and } in its line.")
        }
        self.advance()
        return table
    }

    private mutating func boolean() throws(TOMLError) -> Bool {
        let start = self.here
        let word = self.word()
        if word == "true" || word == "false" { return word == "true" }
        throw self.error(
            "there must be a value here: a text in quotes, a list in brackets, a number, true or false.",
            at: start
        )
    }

    /// An integer of 64 bits or a finite float (§Integer, §Float).
    private mutating func number() throws(TOMLError) -> TOMLValue {
        let (start, radixes) = (self.here, ["x": 16, "o": 8, "b": 2] as [Unicode.Scalar?: Int])
        let radix = self.next == "0" ? radixes[self.scalar(ahead: 1)] ?? 10 : 10
        if radix != 10 { self.advance(by: 2) }
        let first = self.index
        if radix == 10 { self.skipSign() }
        let (digits, isZero) = (self.index, self.next == "0")
        try self.skipDigits(radix)
        let whole = self.index
        let isPadded = radix == 10 && isZero && whole > digits + 1
        for part in ["." as Unicode.Scalar, "e", "E"] where radix == 10 && self.next == part {
            self.advance()
            if part != "." { self.skipSign() }
            try self.skipDigits(10)
        }
        let text = self.text(from: first).filter { $0 != "_" }
        let value: TOMLValue? =
            self.index == whole
            ? Int(text, radix: radix).map(TOMLValue.integer)
            : Double(text).flatMap { $0.isFinite ? .float($0) : nil }
        guard let value, !isPadded, self.next != "-", self.next != ":" else {
            throw self.error(
                "a number has no leading 0 and at most 64 bits; put texts and dates in quotes.",
                at: start
            )
        }
        return value
    }

    private mutating func skipSign() {
        if self.next == "+" || self.next == "-" { self.advance() }
    }

    /// Skips one or more digits; single underscores may be between them.
    private mutating func skipDigits(_ radix: Int) throws(TOMLError) {
        while true {
            guard self.isDigit(radix) else { throw self.error("a digit is missing here.") }
            while self.isDigit(radix) { self.advance() }
            guard self.next == "_" else { return }
            self.advance()
        }
    }

    private func isDigit(_ radix: Int) -> Bool {
        (self.next.flatMap { Character($0).hexDigitValue } ?? radix) < radix
    }
}

/// Strings (§String).
extension TOMLReader {
    private var isAtLongQuotes: Bool {
        self.next == self.scalar(ahead: 1) && self.next == self.scalar(ahead: 2)
    }

    /// A string of any of the four kinds.
    private mutating func string() throws(TOMLError) -> String {
        let (start, quote, isLong) = (self.here, self.next, self.isAtLongQuotes)
        self.advance(by: isLong ? 3 : 1)
        if isLong { _ = self.skipLineEnd() }
        var content: [UInt8] = []
        while let next = self.next, isLong || next != "\n" {
            if next == quote, !isLong || self.isAtLongQuotes {
                self.advance(by: isLong ? 3 : 1)
                // The text may end with one or two quotes before the three closing ones.
                for _ in 0..<2 where isLong && self.next == quote { content.append(self.advance()) }
                return String(decoding: content, as: UTF8.self)
            }
            if next == "\\", quote == "\"" {
                content += try self.escape(isLong: isLong)
            } else {
                if next != "\n" { try self.refuseControl() }
                content.append(self.advance())
            }
        }
        throw self.error("this text has no quote at its end.", at: start)
    }

    private static let escapes: [Unicode.Scalar: UInt8] = [
        "b": 8, "t": 9, "n": 10, "f": 12, "r": 13, "\"": 34, "\\": 92,
    ]

    private mutating func escape(isLong: Bool) throws(TOMLError) -> [UInt8] {
        let start = self.here
        self.advance()
        let next = self.next ?? " "
        if let byte = Self.escapes[next] {
            self.advance()
            return [byte]
        }
        if next == "u" || next == "U" { return try self.scalar(next == "u" ? 4 : 8, start) }
        // A backslash at the end of a line skips the line end, and the blanks and empty lines after
        // it.
        self.skipBlanks()
        guard isLong, self.skipLineEnd() else {
            throw self.error("this \\ begins no escape; write \\\\ for it.", at: start)
        }
        repeat { self.skipBlanks() } while self.skipLineEnd()
        return []
    }

    /// Reads a character from its hexadecimal digits; refuses U+0000, which no path or header can
    /// contain.
    private mutating func scalar(_ count: Int, _ at: TextPosition) throws(TOMLError) -> [UInt8] {
        self.advance()
        let first = self.index
        for _ in 0..<count where self.isDigit(16) { self.advance() }
        let value = self.index - first == count ? UInt32(self.text(from: first), radix: 16) : nil
        guard let value, value > 0, let scalar = Unicode.Scalar(value) else {
            throw self.error("this \\ needs the \(count) digits of a character.", at: at)
        }
        return Array(String(scalar).utf8)
    }
}
