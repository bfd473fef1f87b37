// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A tag of ID3 version 1 or 1.1: 128 bytes of fixed fields at the end of a file (id3.org/ID3v1).
///
///      0 "TAG" | 3 title 30 | 33 artist 30 | 63 album 30 | 93 year 4 | 97 comment 30 | 127 genre
///     1.1: the comment is 28 long, a 0 follows, and then the number of the track
enum ID3v1Tag {
    /// How long it is.
    static let count = 128
    /// How long the enhancement `TAG+` is that some programs put in front of it.
    static let enhancedCount = 227

    /// Whether the bytes that are there can be such a tag: its texts hold no control characters.
    ///
    /// - Parameter view: from its first byte on; any number of bytes.
    /// - Returns: `false` if one of the bytes that are there cannot be in it.
    static func isPossible(_ view: ByteView) -> Bool {
        for index in min(3, view.count)..<min(93, view.count) {
            switch view[index] {
            case 0, 9, 10, 13, 0x20...: continue
            default: return false
            }
        }
        return true
    }

    /// Reads the tag, under the names that ID3v2 has for these fields.
    ///
    /// Texts are Latin-1, end at the first NUL, and lose the white space at their ends. The genre is told by name.
    ///
    /// - Parameters:
    ///   - view: at most 128 bytes; those that are missing count as 0.
    ///   - range: where it is in the stream.
    /// - Returns: `TIT2`, `TPE1`, `TALB`, `TDRC`, `COMM:ID3v1 Comment:eng`, `TRCK`, `TCON`, as far as they are set.
    static func read(_ view: ByteView, range: Range<Int64>) -> TagContents {
        var contents = TagContents(kind: .id3v1, range: range)
        let comment = "COMM:ID3v1 Comment:eng"
        let texts = [
            ("TIT2", 3..<33), ("TPE1", 33..<63), ("TALB", 63..<93), ("TDRC", 93..<97),
            (comment, 97..<126),
        ]
        for (name, place) in texts {
            let text = Self.text(view, place)
            if !text.isEmpty { contents.append(name, [text]) }
        }
        guard view.count == Self.count else { return contents }
        // A comment that is padded with spaces ends in one, which is no track 32.
        let track = view[126]
        if track != 0, track != 0x20 || view[125] == 0 { contents.append("TRCK", [String(track)]) }
        if let genre = ID3Genres.name(Int(view[127])) { contents.append("TCON", [genre]) }
        return contents
    }

    private static func text(_ view: ByteView, _ place: Range<Int>) -> String {
        var field = view.from(place.lowerBound)
        if field.count > place.count { field = field[0..<place.count] }
        var end = field.firstIndex(of: 0) ?? field.count
        var start = 0
        while end > 0, Self.isSpace(field[end - 1]) { end -= 1 }
        while start < end, Self.isSpace(field[start]) { start += 1 }
        return field[start..<end].latin1Text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 9 && byte <= 13)
    }
}
