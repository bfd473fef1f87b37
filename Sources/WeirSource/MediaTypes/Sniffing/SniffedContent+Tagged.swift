// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// Sound behind ID3v2 tags (id3.org, ID3v2.4 §3.1).
    ///
    /// ```
    /// | ID3 | version, not FF | revision, not FF | flags: 10 = a footer of 10 bytes follows
    /// | size of the tag without header and footer, 4 × 7 bits
    /// ```
    ///
    /// Where the tag is longer than the bytes, what follows is most likely MPEG audio, but a header or
    /// a name knows better.
    static func tagged(_ window: ByteWindow) -> SniffedContent? {
        var rest = window
        var hasTag = false
        while let length = Self.tagLength(rest) {
            hasTag = true
            guard length < rest.count else { return Self.behindTag }
            rest = rest.dropping(length)
        }
        guard hasTag else { return nil }
        // Writers that count badly leave zeros behind the tag.
        rest = rest.dropping((0..<rest.count).first { rest[$0] != 0 } ?? rest.count)
        if let found = Self.audioFrames(rest) { return found }
        if let found = Self.signature(rest), Self.behindTag.alternatives.contains(found.type) {
            return found
        }
        return Self.behindTag
    }

    private static let behindTag = SniffedContent(
        .mpegAudio,
        or: [.aac, .flac, .monkeysAudio, .wavPack, .musepack, .trueAudio]
    )

    /// The length of the tag at the start with header and footer, `nil` if there is none.
    private static func tagLength(_ window: ByteWindow) -> Int? {
        guard window.has("ID3"), let version = window[3], version != 0xFF,
            let revision = window[4], revision != 0xFF, let flags = window[5]
        else { return nil }
        var size = 0
        for offset in 6..<10 {
            guard let part = window[offset], part < 0x80 else { return nil }
            size = size << 7 | Int(part)
        }
        return 10 + size + (flags & 0x10 != 0 ? 10 : 0)
    }
}
