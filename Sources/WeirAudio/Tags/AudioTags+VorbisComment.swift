// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioTags {
    /// How many values of fields, pictures and chapters are kept of one tag; the rest is passed over.
    ///
    /// A tag of 16 MiB could hold a million fields of nothing, which would take many times its size.
    static let maximumItems = 8192

    /// Reads a Vorbis comment header, from its vendor string on.
    ///
    ///     u32 n, n bytes vendor | u32 count | count × (u32 n, n bytes "NAME=value", UTF-8)
    ///
    /// All numbers have their least significant byte first (Vorbis I §5.2.1). Names keep their case. A comment
    /// without `=` is passed over; a header that ends early gives what was read before. `METADATA_BLOCK_PICTURE`
    /// and `COVERART` become pictures, and are no fields then; `CHAPTERnnn` become chapters, and stay fields, too.
    ///
    /// - Parameters:
    ///   - view: the header without what its codec puts in front of it (`\u{3}vorbis`, `OpusTags`).
    ///   - range: where it is in the stream.
    /// - Returns: `nil` if it is none.
    static func vorbisComment(_ view: ByteView, range: Range<Int64>) -> AudioTags? {
        guard view.count >= 8 else { return nil }
        let vendor = Int(view.little(0, UInt32.self))
        guard view.count - 8 >= vendor else { return nil }
        let count = Int(view.little(4 + vendor, UInt32.self))
        var tags = AudioTags(kind: .vorbisComment, range: range)
        var offset = 8 + vendor
        for _ in 0..<min(count, Self.maximumItems) {
            guard view.count - offset >= 4 else { break }
            let length = Int(view.little(offset, UInt32.self))
            guard view.count - offset - 4 >= length else { break }
            tags.appendComment(view[offset + 4..<offset + 4 + length])
            offset += 4 + length
        }
        tags.readChapterFields()
        return tags
    }

    /// Takes one comment, `NAME=value`.
    private mutating func appendComment(_ view: ByteView) {
        guard let equals = view.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return }
        let name = view[0..<equals].utf8Text
        let value = view.from(equals + 1)
        if Self.isName(name, "METADATA_BLOCK_PICTURE"), let bytes = Base64.decode(value),
            let picture = ByteMemory(bytes).withView({ AudioPicture(flacBlock: $0) })
        {
            self.pictures.append(picture)
            return
        }
        if Self.isName(name, "COVERART"), let bytes = Base64.decode(value), !bytes.isEmpty {
            let type = self.first("COVERARTMIME") ?? ""
            self.pictures.append(
                AudioPicture(kind: 3, mediaType: type, description: "", data: ByteMemory(bytes))
            )
            return
        }
        self.fields.append(AudioTagField(name, [value.utf8Text]))
    }
}
