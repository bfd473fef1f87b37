// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The format of a list of addresses, by the first bytes of its text.
///
/// This is the only code that distinguishes a list from another text. The code that keeps pages out
/// of a cache uses it, and so does the code that reads lists.
package enum ListForm: Hashable, Sendable {
    /// `#EXTM3U`; HLS begins with it, too.
    case m3u
    /// `[playlist]`.
    case pls
    /// XML with the first element `playlist`.
    case xspf
    /// XML with the first element `asx`.
    case asx
    /// `[Reference]`: ASX without XML.
    case references
    /// No mark, and an address in the first line that is not a comment: M3U without its first line,
    /// and RAM.
    case addresses
    /// XML with the first element of OPML, SMIL (also used by WPL) or a Winamp list: lists that
    /// Weir does not read.
    case foreign

    /// Reads the first bytes of a text in UTF-8, in UTF-16 with a byte order mark, or in a code
    /// page.
    ///
    /// The result is `nil` if the text has none of the marks.
    ///
    /// - Parameter text: the start of the text; 512 bytes are enough unless comments come first.
    package init?(of text: UnsafeRawBufferPointer) {
        if let narrow = Self.narrowed(text) {
            guard let form = narrow.withUnsafeBytes({ Self(in: FirstBytes($0)) }) else {
                return nil
            }
            self = form
        } else {
            guard let form = Self(in: FirstBytes(text)) else { return nil }
            self = form
        }
    }

    private init?(in bytes: FirstBytes) {
        let first = SniffedContent.skipBlanks(bytes, from: SniffedContent.markLength(bytes))
        if bytes.hasAnyCase("#extm3u", at: first) {
            self = .m3u
        } else if bytes.hasAnyCase("[playlist]", at: first) {
            self = .pls
        } else if bytes.hasAnyCase("[reference]", at: first) {
            self = .references
        } else if bytes[first] == UInt8(ascii: "<") {
            guard let offset = SniffedContent.rootElement(bytes, from: first).offset,
                let element = Self.elements.first(where: {
                    SniffedContent.isTag($0.name, bytes, at: offset)
                })
            else { return nil }
            self = element.form
        } else {
            guard Self.beginsWithAddress(bytes, from: first) else { return nil }
            self = .addresses
        }
    }

    private static let elements: [(name: StaticString, form: ListForm)] = [
        ("playlist", .xspf), ("asx", .asx), ("opml", .foreign), ("smil", .foreign),
        ("wasabixml", .foreign),
    ]

    /// Whether a line is an address: `http://`, `https://`, `mms://` or similar, in upper or lower
    /// case.
    package static func isAddress(_ line: UnsafeRawBufferPointer) -> Bool {
        Self.isAddress(FirstBytes(line), at: 0)
    }

    private static func isAddress(_ bytes: FirstBytes, at offset: Int) -> Bool {
        Self.schemes.contains { bytes.hasAnyCase($0, at: offset) }
    }

    private static let schemes: [StaticString] = [
        "http://", "https://", "icy://", "mms://", "rtsp://", "pnm://", "file://", "ftp://",
    ]

    /// Whether the first line that is not a comment is an address without markup.
    private static func beginsWithAddress(_ bytes: FirstBytes, from first: Int) -> Bool {
        var offset = first
        while bytes[offset] == UInt8(ascii: "#") {
            while let byte = bytes[offset], !Self.endsLine(byte) { offset += 1 }
            offset = SniffedContent.skipBlanks(bytes, from: offset)
        }
        guard Self.isAddress(bytes, at: offset) else { return false }
        while let byte = bytes[offset], !Self.endsLine(byte) {
            if byte == UInt8(ascii: "<") { return false }
            offset += 1
        }
        return true
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// UTF-16 text as ASCII, with 0xFF for all other characters; `nil` without the byte order mark
    /// of UTF-16.
    private static func narrowed(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 2 else { return nil }
        let isLittle = text[0] == 0xFF && text[1] == 0xFE
        guard isLittle || text[0] == 0xFE && text[1] == 0xFF else { return nil }
        return stride(from: 2, to: text.count - 1, by: 2).map { index in
            let (high, low) =
                isLittle ? (text[index + 1], text[index]) : (text[index], text[index + 1])
            return high == 0 && low < 0x80 ? low : 0xFF
        }
    }
}
