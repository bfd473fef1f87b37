// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads a field's value from its start to its end, byte by byte.
struct ASCIIScanner {
    private let bytes: Substring.UTF8View
    private var index: Substring.UTF8View.Index

    init(_ text: some StringProtocol) {
        self.bytes = Substring(text).utf8
        self.index = self.bytes.startIndex
    }

    /// Whether everything has been read.
    var isAtEnd: Bool { self.index == self.bytes.endIndex }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { self.isAtEnd ? nil : self.bytes[self.index] }

    /// Reads one byte.
    mutating func next() -> UInt8? {
        guard let byte = self.peek else { return nil }
        self.index = self.bytes.index(after: self.index)
        return byte
    }

    /// Reads a byte if it is this one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard self.peek == byte else { return false }
        self.index = self.bytes.index(after: self.index)
        return true
    }

    /// Reads a word regardless of its case, all of it or nothing; `word` is in lower case.
    mutating func skip(caseInsensitive word: StaticString) -> Bool {
        self.skip(word) { byte, letter in byte == letter || Self.lowercased(byte) == letter }
    }

    /// Reads a word; all of it or nothing.
    mutating func skip(exactly word: StaticString) -> Bool {
        self.skip(word) { byte, letter in byte == letter }
    }

    private mutating func skip(_ word: StaticString, _ isSame: (UInt8, UInt8) -> Bool) -> Bool {
        let start = self.index
        let isThere = word.withUTF8Buffer { letters in
            for letter in letters {
                guard let byte = self.next(), isSame(byte, letter) else { return false }
            }
            return true
        }
        if !isThere { self.index = start }
        return isThere
    }

    /// Reads spaces and tabs.
    mutating func skipBlanks() {
        while self.skip(UInt8(ascii: " ")) || self.skip(UInt8(ascii: "\t")) {}
    }

    /// Reads decimal digits; `nil` if there are none, `Int64.max` if the number is larger.
    mutating func number() -> Int64? {
        var value: Int64?
        while let byte = self.peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            self.index = self.bytes.index(after: self.index)
            let (tens, isTooMuch) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            value = isTooMuch || isMore || value == .max ? .max : sum
        }
        return value
    }

    /// Reads the text before a byte, and the byte; `nil`, and nothing is read, if it is missing.
    mutating func text(upTo end: UInt8) -> Substring? {
        guard let position = self.bytes[self.index...].firstIndex(of: end) else { return nil }
        defer { self.index = self.bytes.index(after: position) }
        return Substring(self.bytes[self.index..<position])
    }

    /// Reads bytes as long as they are of a kind.
    mutating func text(while isOfKind: (UInt8) -> Bool) -> Substring {
        let start = self.index
        while let byte = self.peek, isOfKind(byte) {
            self.index = self.bytes.index(after: self.index)
        }
        return Substring(self.bytes[start..<self.index])
    }

    /// Reads the rest, and returns it without spaces and tabs at its ends.
    mutating func textWithoutBlanks() -> Substring {
        self.skipBlanks()
        var rest = self.bytes[self.index...]
        while rest.last == UInt8(ascii: " ") || rest.last == UInt8(ascii: "\t") {
            rest = rest.dropLast()
        }
        self.index = self.bytes.endIndex
        return Substring(rest)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
