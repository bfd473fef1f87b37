// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the first byte of a text frame, which is the encoding, and the texts after it (ID3v2.4
/// structure §4).
struct ID3v2TextReader {
    /// The encoding of a text, with its number in the tag.
    enum Encoding: UInt8 {
        case latin1 = 0
        /// With a byte order mark in each text.
        case utf16 = 1
        case utf16BigEndian = 2
        case utf8 = 3
    }

    let encoding: Encoding
    /// The bytes that were not read yet.
    private(set) var view: ByteView
    /// The byte order of a text without a mark: the byte order of the previous text.
    ///
    /// At first it is big-endian for ``Encoding/utf16BigEndian``, else little-endian.
    private var isBigEndian: Bool

    /// Reads the encoding byte.
    ///
    /// Fails if there is no byte, or it is not one of the four encodings.
    ///
    /// - Parameter view: the bytes from the encoding byte on.
    init?(_ view: ByteView) {
        guard view.count > 0, let encoding = Encoding(rawValue: view[0]) else { return nil }
        self.encoding = encoding
        self.view = view.from(1)
        self.isBigEndian = encoding == .utf16BigEndian
    }

    /// Skips bytes that are not text.
    ///
    /// - Parameter count: the number of bytes, 0 or more.
    /// - Returns: the skipped bytes; `nil` if fewer are left.
    mutating func skip(_ count: Int) -> ByteView? {
        guard self.view.count >= count else { return nil }
        defer { self.view = self.view.from(count) }
        return self.view[0..<count]
    }

    /// Reads a text in Latin-1, regardless of the encoding, up to a NUL or the end.
    mutating func latin1() -> String {
        let end = self.view.firstIndex(of: 0) ?? self.view.count
        defer { self.view = self.view.from(end + 1) }
        return self.view[0..<end].latin1Text
    }

    /// Reads a text in the encoding, up to its terminator or the end.
    mutating func text() -> String {
        switch self.encoding {
        case .latin1: return self.latin1()
        case .utf8:
            let end = self.view.firstIndex(of: 0) ?? self.view.count
            defer { self.view = self.view.from(end + 1) }
            return self.view[0..<end].utf8Text
        case .utf16, .utf16BigEndian: return self.wideText()
        }
    }

    /// Reads all texts to the end.
    ///
    /// - Parameters:
    ///   - limit: the most texts that the caller accepts; the result may have one more, which shows
    ///     that there are too many.
    ///   - isPadded: whether trailing zeros are padding, as before 2.4, and not empty texts.
    /// - Returns: the texts; none if no byte is left.
    mutating func texts(limit: Int, isPadded: Bool) -> [String] {
        var texts: [String] = []
        let padding = isPadded ? self.zerosAtEnd : 0
        while self.view.count > 0, texts.count <= limit {
            texts.append(self.text())
            if self.view.count <= padding { break }
        }
        return texts
    }

    private var zerosAtEnd: Int {
        var count = 0
        while count < self.view.count, self.view[self.view.count - 1 - count] == 0 { count += 1 }
        return count
    }

    /// Reads UTF-16; lone surrogates become U+FFFD.
    ///
    /// In little-endian text, an odd last byte is the low byte of a unit, unless it is 0. In
    /// big-endian text, the reader ignores an odd last byte.
    private mutating func wideText() -> String {
        var units: [UInt16] = []
        var index = 0
        while index + 1 < self.view.count {
            let isEnd = self.view[index] == 0 && self.view[index + 1] == 0
            index += 2
            if isEnd { break }
            let unit =
                self.isBigEndian
                ? self.view.big(index - 2, UInt16.self) : self.view.little(index - 2, UInt16.self)
            if index == 2, self.encoding == .utf16, unit == 0xFEFF || unit == 0xFFFE {
                if unit == 0xFFFE { self.isBigEndian.toggle() }
                continue
            }
            units.append(unit)
        }
        if index + 1 == self.view.count {
            if !self.isBigEndian, self.view[index] != 0 { units.append(UInt16(self.view[index])) }
            index += 1
        }
        self.view = self.view.from(index)
        return String(decoding: units, as: UTF16.self)
    }
}
