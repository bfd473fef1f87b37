// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The attributes of a tag: `NAME=value,NAME="value"` (RFC 8216 §4.2).
///
/// A quoted value may contain commas and equals signs. If a list breaks the grammar, only the
/// attributes before the error are returned.
struct AttributeList: Sequence, IteratorProtocol {
    /// An attribute, as ranges of the text.
    struct Attribute {
        let name: Range<Int>
        /// The value; a quoted value is without its quotes.
        let value: Range<Int>
        let isQuoted: Bool
    }

    private let text: [UInt8]
    private var rest: Range<Int>

    /// - Parameters:
    ///   - text: the text of the playlist.
    ///   - range: the bytes after the colon of the tag.
    init(of text: [UInt8], in range: Range<Int>) {
        self.text = text
        self.rest = range
    }

    mutating func next() -> Attribute? {
        while let first = self.rest.first,
            self.text[first] == UInt8(ascii: ",") || self.isBlank(first)
        {
            self.rest = first + 1..<self.rest.upperBound
        }
        guard let equals = self.first(UInt8(ascii: "="), in: self.rest),
            equals > self.rest.lowerBound
        else { return nil }
        let name = self.rest.lowerBound..<equals
        let start = equals + 1
        if start < self.rest.upperBound, self.text[start] == UInt8(ascii: "\"") {
            let quoted = start + 1..<self.rest.upperBound
            guard let end = self.first(UInt8(ascii: "\""), in: quoted) else { return nil }
            self.rest = end + 1..<self.rest.upperBound
            return Attribute(name: name, value: quoted.lowerBound..<end, isQuoted: true)
        }
        let end =
            self.first(UInt8(ascii: ","), in: start..<self.rest.upperBound) ?? self.rest.upperBound
        self.rest = end..<self.rest.upperBound
        return Attribute(name: name, value: start..<end, isQuoted: false)
    }

    private func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        range.first { self.text[$0] == byte }
    }

    private func isBlank(_ offset: Int) -> Bool {
        self.text[offset] == UInt8(ascii: " ") || self.text[offset] == UInt8(ascii: "\t")
    }
}
