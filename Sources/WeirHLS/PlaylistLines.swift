// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The lines of a text as ranges of its bytes; a line ends with LF, or with CR and LF (RFC 8216
/// §4.1).
struct PlaylistLines: Sequence, IteratorProtocol {
    /// A line, without and with its end.
    struct Line {
        /// The line without its end, and without blanks at both ends.
        let content: Range<Int>
        /// The line with its end.
        let whole: Range<Int>
    }

    private let text: [UInt8]
    private var offset: Int
    private var count = 0

    /// - Parameters:
    ///   - text: the text.
    ///   - offset: where the first line begins.
    init(of text: [UInt8], from offset: Int) {
        self.text = text
        self.offset = offset
    }

    /// The next line; `nil` after the last one.
    mutating func next() -> Line? {
        guard self.offset < self.text.count else { return nil }
        let start = self.offset
        var end = start
        while end < self.text.count, self.text[end] != UInt8(ascii: "\n"),
            self.text[end] != UInt8(ascii: "\r")
        {
            end += 1
        }
        let isPair = self.text[end...].starts(with: "\r\n".utf8)
        self.offset = Swift.min(end + (isPair ? 2 : 1), self.text.count)
        var content = start..<end
        while let first = content.first, Self.isBlank(self.text[first]) {
            content = first + 1..<content.upperBound
        }
        while let last = content.last, Self.isBlank(self.text[last]) {
            content = content.lowerBound..<last
        }
        return Line(content: content, whole: start..<self.offset)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\r") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
