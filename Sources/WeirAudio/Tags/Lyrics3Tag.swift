// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A Lyrics3 tag, version 1 or 2, which precedes an ID3v1 tag (id3.org/Lyrics3, Lyrics3v2).
///
///     1: "LYRICSBEGIN" | text, at most 5100 bytes | "LYRICSEND"
///     2: "LYRICSBEGIN" | fields: 3 letters, 5 digits size, text | 6 digits size up to here |
///        "LYRICS200"
extension TagForm {
    private static let lyrics3Start: StaticString = "LYRICSBEGIN"
    /// How far to look for the end of version 1: the text has at most 5100 bytes.
    private static let textLimit = 5100
    /// The most fields in version 2, which defines nine.
    private static let fieldLimit = 64

    /// Recognises a tag at the front of a window.
    ///
    /// - Parameters:
    ///   - window: the stream from the possible start of the tag.
    ///   - progress: how far earlier calls examined the tag.
    /// - Returns: the result; a tag without an end is not recognised.
    static func recognizeLyrics3(
        _ window: inout ByteWindow,
        _ progress: inout TagProgress
    ) -> TagReader.Recognition {
        let isAtEnd = window.isAtEnd
        let length = Self.lyrics3Start.utf8CodeUnitCount
        let front = window.peek(upTo: length)
        guard let isTag = Self.begins(front, with: Self.lyrics3Start, isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag else { return .none }
        var offset = max(length, progress.fields)
        while true {
            progress.fields = offset
            // A field has at most five digits: the sum stays small, and every iteration advances.
            guard offset < Self.searchLimit, progress.fieldCount <= Self.fieldLimit else {
                return .none
            }
            let view = window.peek(upTo: offset + 15).from(offset)
            if view.count >= 8, Self.isField(view), let size = Self.number(view[3..<8]) {
                offset += 8 + size
                guard window.count >= offset || !isAtEnd else { return Self.cut(window.count) }
                guard window.count >= offset else { return .needsMore }
                progress.fieldCount += 1
                continue
            }
            guard view.count == 15 || isAtEnd else { return .needsMore }
            if view.count == 15, Self.number(view[0..<6]) != nil, view.matches("LYRICS200", at: 6) {
                return .tag(.lyrics3, count: Int64(offset + 15))
            }
            return Self.recognizeFirstVersion(&window, &progress)
        }
    }

    /// The result for a tag that the end of the stream cuts.
    private static func cut(_ count: Int) -> TagReader.Recognition {
        .passedOver(.truncated, count: Int64(count))
    }

    /// Looks for the end of version 1.
    private static func recognizeFirstVersion(
        _ window: inout ByteWindow,
        _ progress: inout TagProgress
    ) -> TagReader.Recognition {
        let isAtEnd = window.isAtEnd
        let limit = Self.lyrics3Start.utf8CodeUnitCount + Self.textLimit + 9
        let view = window.peek(upTo: limit)
        let first = window.offset &+ Int64(Self.lyrics3Start.utf8CodeUnitCount)
        var index = Int(progress.searchStart(first) &- window.offset)
        while let found = view.firstIndex(of: UInt8(ascii: "L"), from: index) {
            if view.matches("LYRICSEND", at: found) {
                return .tag(.lyrics3, count: Int64(found + 9))
            }
            index = found + 1
        }
        // The last eight bytes may be the start of a `LYRICSEND`.
        let searched = max(first, window.offset &+ Int64(view.count - 8))
        progress.ruledOut(first..<searched)
        return view.count == limit || isAtEnd ? .none : .needsMore
    }

    /// Reads the tag.
    ///
    /// - Parameters:
    ///   - view: the whole tag.
    ///   - range: the range of the tag in the stream.
    /// - Returns: the fields of version 2 by their three letters, in Latin-1; `LYR` for the text of
    ///   version 1.
    static func readLyrics3(_ view: ByteView, range: Range<Int64>) -> TagContents {
        var contents = TagContents(kind: .lyrics3, range: range)
        var offset = Self.lyrics3Start.utf8CodeUnitCount
        guard view.count >= offset + 9 else { return contents }
        if view.matches("LYRICSEND", at: view.count - 9) {
            contents.append("LYR", [view[offset..<view.count - 9].latin1Text])
            return contents
        }
        while view.count - offset >= 8, Self.isField(view.from(offset)),
            let size = Self.number(view[offset + 3..<offset + 8]), view.count - offset - 8 >= size
        {
            let name = view[offset..<offset + 3].latin1Text
            contents.append(name, [view[offset + 8..<offset + 8 + size].latin1Text])
            offset += 8 + size
        }
        return contents
    }

    /// Whether the view starts with three capital letters, such as `LYR` or `EAL`.
    ///
    /// `LYRICS…` starts with three capital letters too, but without digits after them.
    private static func isField(_ view: ByteView) -> Bool {
        for index in 0..<3 where view[index] < UInt8(ascii: "A") || view[index] > UInt8(ascii: "Z")
        {
            return false
        }
        return true
    }

    /// A number of decimal digits, at most six.
    private static func number(_ view: ByteView) -> Int? {
        var value = 0
        for index in 0..<view.count {
            guard view[index] >= UInt8(ascii: "0"), view[index] <= UInt8(ascii: "9") else {
                return nil
            }
            value = value * 10 + Int(view[index] - UInt8(ascii: "0"))
        }
        return value
    }
}
