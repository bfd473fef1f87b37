// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads an APE tag, version 1 or 2, with a header or with a footer only (wiki.hydrogenaud.io: APE
/// tag item).
///
///     item: u32 size of the value | u32 flags | key, ASCII, NUL | value
///     flags: bits 1 and 2: 0 UTF-8, values separated by NUL; 1 binary; 2 an address
extension TagForm {
    /// The largest tag that is recognised by its items, before its footer has arrived.
    private static let headerlessLimit = Self.searchLimit
    /// The most items of a tag without a header; this bounds the work if a long chain of items
    /// starts at each of many places.
    private static let headerlessItemLimit = 256

    /// Looks for a tag with a header.
    static func recognizeAPE(_ view: ByteView, isAtEnd: Bool) -> TagReader.Recognition {
        guard let isTag = Self.begins(view, with: "APETAGEX", isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag else { return .none }
        guard view.count == 32 else {
            return isAtEnd ? .passedOver(.truncated, count: Int64(view.count)) : .needsMore
        }
        guard let header = Self.apeFooter(view) else { return .none }
        // A footer whose items were not recognised.
        guard header.isHeader else { return .passedOver(.badTag, count: 32) }
        return .tag(.ape, count: 32 + Int64(header.size))
    }

    /// Looks for a tag without a header: items, and a footer after them that states their size.
    ///
    /// - Parameters:
    ///   - window: the stream from the first item on.
    ///   - progress: how far earlier calls followed the items.
    /// - Returns: the result.
    static func recognizeHeaderlessAPE(
        _ window: inout ByteWindow,
        _ progress: inout TagProgress
    ) -> TagReader.Recognition {
        let view = window.peek(upTo: 10)
        guard Self.isItem(view) else { return .none }
        let isAtEnd = window.isAtEnd
        var offset = progress.items
        while offset < Self.headerlessLimit, progress.itemCount <= Self.headerlessItemLimit {
            progress.items = offset
            let item = window.peek(upTo: offset + 8 + 256).from(offset)
            let isFooter = Self.begins(item, with: "APETAGEX", isAtEnd: isAtEnd)
            if isFooter == nil { return .needsMore }
            if isFooter == true, offset > 0 {
                guard item.count >= 32 else { return isAtEnd ? .none : .needsMore }
                guard let footer = Self.apeFooter(item), !footer.isHeader,
                    Int(footer.size) == offset + 32
                else { return .none }
                return .tag(.ape, count: Int64(offset + 32))
            }
            guard Self.isItem(item) else { return .none }
            guard item.count >= 8, let end = Self.keyEnd(item) else {
                let mayBeKey = item.count < 8 + 256 && Self.isPrintable(item.from(8))
                return mayBeKey && !isAtEnd ? .needsMore : .none
            }
            offset += end + 1 + Int(item.little(0, UInt32.self))
            guard window.count >= offset else { return isAtEnd ? .none : .needsMore }
            progress.itemCount += 1
        }
        return .none
    }

    /// Reads the items.
    ///
    /// - Parameters:
    ///   - view: the tag from its header or its first item on, as far as it has arrived.
    ///   - range: the range of the tag in the stream.
    /// - Returns: a field for each item, with its key unchanged; a binary item that is not a
    ///   picture has no values.
    static func readAPE(_ view: ByteView, range: Range<Int64>) -> TagContents {
        var contents = TagContents(kind: .ape, range: range)
        let header = Self.apeFooter(view)
        var offset = header == nil ? 0 : 32
        // The footer, or the end of the view, ends the items.
        while view.count - offset >= 8, !view.matches("APETAGEX", at: offset) {
            let item = view.from(offset)
            guard let keyEnd = Self.keyEnd(item) else {
                contents.note(.badTag)
                break
            }
            let size = Int(item.little(0, UInt32.self))
            let start = keyEnd + 1
            guard item.count - start >= size else {
                contents.note(.badTag)
                break
            }
            let value = item[start..<start + size]
            Self.readItem(item[8..<keyEnd].latin1Text, item.little(4), value, into: &contents)
            offset += start + size
        }
        return contents
    }

    /// Follows the items of a tag from its header on.
    ///
    /// - Parameter view: the tag, as far as it has arrived.
    /// - Returns: the extent of the items; the whole view if the tag has no header.
    static func apeExtent(in view: ByteView) -> TagExtent {
        guard Self.apeFooter(view) != nil else { return TagExtent(count: view.count, ending: .cut) }
        var offset = 32
        while view.count - offset >= 8, !view.matches("APETAGEX", at: offset),
            let keyEnd = Self.keyEnd(view.from(offset))
        {
            let end = offset + keyEnd + 1 + Int(view.little(offset, UInt32.self))
            if end > view.count { return TagExtent(behind: offset, isCut: true, in: view) }
            offset = end
        }
        return TagExtent(behind: offset, isCut: false, in: view)
    }

    private static func readItem(
        _ key: String,
        _ flags: UInt32,
        _ value: ByteView,
        into contents: inout TagContents
    ) {
        guard flags & 6 == 2 else {
            // Version 1 does not state the encoding; most texts are Latin-1.
            let text = value.strictUTF8Text ?? value.latin1Text
            let values = text.utf8.split(
                separator: 0,
                maxSplits: contents.left,
                omittingEmptySubsequences: false
            )
            contents.append(key, values.map { String(Substring($0)) })
            return
        }
        let prefix = "Cover Art ("
        guard AudioTags.isName(String(key.prefix(prefix.count)), prefix),
            let nameEnd = value.firstIndex(of: 0)
        else { return contents.append(key, []) }
        let data = value.from(nameEnd + 1)
        contents.append(
            AudioPicture(
                kind: AudioTags.isName(key, "Cover Art (Front)")
                    ? 3 : AudioTags.isName(key, "Cover Art (Back)") ? 4 : 0,
                mediaType: Self.isPNG(data)
                    ? "image/png" : Self.isJPEG(data) ? "image/jpeg" : "",
                description: value[0..<nameEnd].utf8Text,
                data: data.copy
            )
        )
    }

    private static func isPNG(_ view: ByteView) -> Bool {
        view.count >= 4 && view.big(0, UInt32.self) == 0x8950_4E47
    }

    private static func isJPEG(_ view: ByteView) -> Bool {
        view.count >= 3 && view.big24(0) == 0xFFD8FF
    }

    /// Whether the first ten bytes, or fewer, can be an item of a tag of at most 64 KiB.
    private static func isItem(_ view: ByteView) -> Bool {
        for index in 2..<8 where index < view.count {
            // Only the lowest three bits of the flags have a meaning.
            if index == 4 ? view[index] > 7 : view[index] != 0 { return false }
        }
        // Zeros are not an item: a key has at least two characters.
        return view.count <= 8 || Self.isPrintable(view[8..<min(view.count, 10)])
    }

    private static func isPrintable(_ view: ByteView) -> Bool {
        for index in 0..<view.count where view[index] < 0x20 || view[index] > 0x7E { return false }
        return true
    }

    /// The position of the NUL after a key of 2 to 255 printable characters; `nil` if there is no
    /// such key.
    private static func keyEnd(_ item: ByteView) -> Int? {
        var index = 8
        while index < min(item.count, 8 + 256) {
            if item[index] == 0 { return index >= 10 ? index : nil }
            guard item[index] >= 0x20, item[index] <= 0x7E else { return nil }
            index += 1
        }
        return nil
    }

    /// Reads the header or the footer of an APE tag (wiki.hydrogenaud.io: APEv2 specification).
    ///
    ///     "APETAGEX" | u32 version 1000 or 2000 | u32 size of items and footer | u32 count |
    ///     u32 flags | 8 zeros
    ///     flags: bit 31 there is a header, bit 29 this is the header; little-endian numbers
    ///
    /// - Parameter view: the bytes.
    /// - Returns: the size of the items and the footer, and whether the bytes are a header; `nil`
    ///   if they are neither a header nor a footer, or are cut.
    static func apeFooter(_ view: ByteView) -> (size: UInt32, isHeader: Bool)? {
        guard view.count >= 32, view.matches("APETAGEX") else { return nil }
        let isHeader =
            view.little(8, UInt32.self) >= 2000 && view.little(20, UInt32.self) & 1 << 29 != 0
        return (view.little(12), isHeader)
    }
}
