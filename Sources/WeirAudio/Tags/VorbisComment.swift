// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioTags {
    /// The most values and pictures that are kept of one tag, and the most chapters; the rest is
    /// skipped.
    ///
    /// A tag of 16 MiB could hold a million empty fields, which would take many times this size in
    /// memory.
    static let maximumItems = 8192

    /// Reads a Vorbis comment header, from its vendor string on.
    ///
    ///     u32 n, n bytes vendor | u32 count | count × (u32 n, n bytes "NAME=value", UTF-8)
    ///
    /// All numbers have their least significant byte first (Vorbis I §5.2.1). Names keep their
    /// case. A comment without `=` is skipped; a header that ends early gives the comments before
    /// its end. `METADATA_BLOCK_PICTURE` and `COVERART` become pictures instead of fields;
    /// `CHAPTERnnn` become chapters, and stay fields too.
    ///
    /// - Parameters:
    ///   - view: the header without the codec's prefix (`\u{3}vorbis`, `OpusTags`).
    ///   - range: the range of the header in the stream.
    /// - Returns: the tag; `nil` if the bytes are not a comment header.
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
        if Self.isName(name, "METADATA_BLOCK_PICTURE"), let bytes = value.base64Decoded,
            let picture = ByteMemory(bytes).withView({ AudioPicture(flacBlock: $0) })
        {
            self.pictures.append(picture)
            return
        }
        if Self.isName(name, "COVERART"), let bytes = value.base64Decoded, !bytes.isEmpty {
            let type = self.first("COVERARTMIME") ?? ""
            self.pictures.append(
                AudioPicture(kind: 3, mediaType: type, description: "", data: ByteMemory(bytes))
            )
            return
        }
        self.fields.append(AudioTagField(name, [value.utf8Text]))
    }
}

extension AudioTags {
    /// Takes chapters from fields `CHAPTERnnn=hh:mm:ss.fff` and `CHAPTERnnnNAME=title`.
    ///
    /// This is the chapter extension of Vorbis comments, as in OGM. Chapters with an unreadable
    /// time are skipped.
    mutating func readChapterFields() {
        var found: [(number: String, chapter: AudioChapter)] = []
        for field in self.fields {
            guard let number = Self.chapterNumber(field.name, suffix: ""),
                let text = field.values.first,
                let start = Self.milliseconds(text)
            else { continue }
            let chapter = AudioChapter(startMilliseconds: start, endMilliseconds: nil, title: "")
            found.append((number, chapter))
        }
        guard !found.isEmpty else { return }
        var titles: [String: String] = [:]
        for field in self.fields {
            guard let number = Self.chapterNumber(field.name, suffix: "NAME") else { continue }
            titles[number] = titles[number] ?? field.values.first
        }
        self.chapters += found.map { number, chapter in
            var chapter = chapter
            chapter.title = titles[number] ?? ""
            return chapter
        }
        self.orderChapters()
    }

    /// Sorts chapters by time; chapters with the same time stay in the order of the tag.
    mutating func orderChapters() {
        self.chapters = self.chapters.enumerated()
            .sorted {
                ($0.element.startMilliseconds, $0.offset) < (
                    $1.element.startMilliseconds, $1.offset
                )
            }
            .map(\.element)
    }

    /// The digits in `CHAPTERnnn`, if the suffix follows them.
    private static func chapterNumber(_ name: String, suffix: String) -> String? {
        let units = Array(name.utf8)
        let length = units.count - 7 - suffix.utf8.count
        guard length >= 1, length <= 9,
            Self.isName(String(decoding: units.prefix(7), as: UTF8.self), "CHAPTER"),
            Self.isName(String(decoding: units.suffix(suffix.utf8.count), as: UTF8.self), suffix)
        else { return nil }
        let digits = units[7..<7 + length]
        let isNumber = digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return isNumber ? String(decoding: digits, as: UTF8.self) : nil
    }

    /// A time written `hh:mm:ss.fff`, with any number of digits in the fraction, or none.
    private static func milliseconds(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = Self.number(parts[0]),
            let minutes = Self.number(parts[1])
        else { return nil }
        let last = parts[2].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard last.count <= 2, let whole = last.first, let seconds = Self.number(whole) else {
            return nil
        }
        var thousandths: Int64 = 0
        if last.count == 2 {
            guard let fraction = Self.number(last[1].prefix(3)) else { return nil }
            let scale: [Int64] = [1000, 100, 10, 1]
            thousandths = fraction * scale[min(3, last[1].count)]
        }
        return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths
    }

    /// A decimal number of one to nine digits.
    private static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard !text.isEmpty, text.count <= 9 else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

extension ByteView {
    /// The bytes of base64 text (RFC 4648 §4); white space is skipped, and the padding may be
    /// missing.
    ///
    /// `nil` if there is any other character, or a single character is left at the end.
    var base64Decoded: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.count / 4 * 3)
        var bits: UInt32 = 0
        var held = 0
        var isPadded = false
        for index in 0..<self.count {
            let character = self[index]
            if character == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            if character <= UInt8(ascii: " ") { continue }
            guard !isPadded, let value = Self.base64Value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 1
            guard held == 4 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            held = 0
        }
        switch held {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return bytes
    }

    /// The six bits of a character of the alphabet.
    private static func base64Value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
