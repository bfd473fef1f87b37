// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads a JSON object of the plainest form (RFC 8259): no white space, no nested values, no fractions, and no escapes
/// but those of quotes, slashes and backslashes.
///
/// The cache writes its headers in this form, unless a text has control characters. Reading the header is a part of
/// opening a resource, and with the general decoder it takes a seventh of the whole request. The general decoder reads
/// every object that this one does not.
struct PlainObject {
    /// A value of a member.
    enum Value {
        case text(String)
        case number(Int64)
        case truth(Bool)
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Whether the object has ended with its last byte.
    private(set) var isComplete = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next member; `nil` at the end of the object, and where another form begins.
    mutating func next() -> (name: String, value: Value)? {
        guard self.skip(self.position == 0 ? UInt8(ascii: "{") : UInt8(ascii: ",")) else {
            self.isComplete = self.skip(UInt8(ascii: "}")) && self.position == self.bytes.count
            return nil
        }
        guard let name = self.text(), self.skip(UInt8(ascii: ":")), let value = self.value() else {
            return nil
        }
        return (name, value)
    }

    private var byte: UInt8? {
        self.position < self.bytes.count ? self.bytes[self.position] : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard self.byte == byte else { return false }
        self.position += 1
        return true
    }

    private mutating func value() -> Value? {
        switch self.byte {
        case UInt8(ascii: "\""): self.text().map(Value.text)
        case UInt8(ascii: "t"): self.skip("true") ? .truth(true) : nil
        case UInt8(ascii: "f"): self.skip("false") ? .truth(false) : nil
        default: self.number().map(Value.number)
        }
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard self.bytes[self.position...].starts(with: word) else { return false }
            self.position += word.count
            return true
        }
    }

    private mutating func text() -> String? {
        guard self.skip(UInt8(ascii: "\"")) else { return nil }
        var start = self.position
        var unescaped: [UInt8] = []
        var isASCII = true
        while let byte = self.byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { return nil }
            isASCII = isASCII && byte < 0x80
            if byte == UInt8(ascii: "\\") {
                unescaped += self.bytes[start..<self.position]
                self.position += 1
                start = self.position
                switch self.byte {
                case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): break
                default: return nil
                }
            }
            self.position += 1
        }
        let rest = self.bytes[start..<self.position]
        let text =
            unescaped.isEmpty
            ? String(decoding: rest, as: UTF8.self)
            : String(decoding: unescaped + rest, as: UTF8.self)
        // Bytes that are not UTF-8 would be replaced.
        guard self.skip(UInt8(ascii: "\"")),
            isASCII || !text.unicodeScalars.contains("\u{FFFD}")
        else { return nil }
        return text
    }

    private mutating func number() -> Int64? {
        let isNegative = self.skip(UInt8(ascii: "-"))
        let start = self.position
        var number: Int64 = 0
        while let byte = self.byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            // Each number of 18 digits fits.
            guard self.position - start < 18 else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            self.position += 1
        }
        let count = self.position - start
        guard count > 0, count == 1 || self.bytes[start] != UInt8(ascii: "0"),
            self.byte == UInt8(ascii: ",") || self.byte == UInt8(ascii: "}")
        else { return nil }
        return isNegative ? -number : number
    }
}
