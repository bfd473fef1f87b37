// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// Playlists, and the pages and error texts that servers send in place of media.
    static func text(_ bytes: FirstBytes) -> SniffedContent? {
        let start = Self.markLength(bytes)
        if bytes.has("#EXTM3U", at: start) {
            return bytes.firstOffset(of: "#EXT-X-", from: start) != nil
                ? SniffedContent(.hlsPlaylist) : SniffedContent(undecided: .m3uPlaylist)
        }
        let first = Self.skipBlanks(bytes, from: start)
        if bytes.hasAnyCase("[playlist]", at: first) { return SniffedContent(.plsPlaylist) }
        switch bytes[first] {
        case UInt8(ascii: "<"): return Self.markup(bytes, from: first)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Self.json(bytes, from: first)
        default: return nil
        }
    }

    /// The length of a UTF-8 byte order mark.
    static func markLength(_ bytes: FirstBytes) -> Int { bytes.has([0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// HTML or XML, by the root element.
    private static func markup(_ bytes: FirstBytes, from start: Int) -> SniffedContent? {
        let root = Self.rootElement(bytes, from: start)
        if root.isHTML { return SniffedContent(.html) }
        return root.offset.flatMap { Self.element(bytes, at: $0) }
            ?? (root.isXML ? SniffedContent(.xml) : nil)
    }

    /// The offset of the root element's name, after comments, declarations and processing instructions.
    ///
    /// - Returns: the offset, `nil` if the bytes end before the element or HTML is declared; whether an XML
    ///   declaration comes first; and whether an HTML declaration does.
    static func rootElement(
        _ bytes: FirstBytes,
        from start: Int
    ) -> (offset: Int?, isXML: Bool, isHTML: Bool) {
        var offset = start
        var isXML = false
        // Each iteration moves on by at least one byte.
        while bytes[offset] == UInt8(ascii: "<") {
            if Self.isTag("!doctype html", bytes, at: offset + 1) { return (nil, isXML, true) }
            let end: StaticString
            if bytes.has("<!--", at: offset) {
                end = "-->"
            } else if bytes.has("<?", at: offset) {
                isXML = isXML || bytes.hasAnyCase("<?xml", at: offset)
                end = "?>"
            } else if bytes.has("<!", at: offset) {
                end = ">"
            } else {
                return (offset + 1, isXML, false)
            }
            guard let last = bytes.firstOffset(of: end, from: offset) else { break }
            offset = Self.skipBlanks(bytes, from: last + end.utf8CodeUnitCount)
        }
        return (nil, isXML, false)
    }

    private static func element(_ bytes: FirstBytes, at offset: Int) -> SniffedContent? {
        if Self.pageElements.contains(where: { Self.isTag($0, bytes, at: offset) }) {
            return SniffedContent(.html)
        }
        if Self.isTag("mpd", bytes, at: offset) { return SniffedContent(.dashManifest) }
        if Self.isTag("playlist", bytes, at: offset) { return SniffedContent(.xspfPlaylist) }
        return nil
    }

    /// Whether a complete tag of this name is at the offset: `<header>` is not `<head>`.
    static func isTag(_ name: StaticString, _ bytes: FirstBytes, at offset: Int) -> Bool {
        guard bytes.hasAnyCase(name, at: offset),
            let next = bytes[offset + name.utf8CodeUnitCount]
        else { return false }
        return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || Self.isBlank(next)
    }

    private static func json(_ bytes: FirstBytes, from offset: Int) -> SniffedContent? {
        guard let next = bytes[Self.skipBlanks(bytes, from: offset + 1)] else { return nil }
        let isObject = bytes[offset] == UInt8(ascii: "{")
        let starts = isObject ? "\"}" : "{\"[]"
        return starts.utf8.contains(next) ? SniffedContent(.json) : nil
    }

    static func skipBlanks(_ bytes: FirstBytes, from start: Int) -> Int {
        var offset = start
        while let byte = bytes[offset], Self.isBlank(byte) { offset += 1 }
        return offset
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static let pageElements: [StaticString] = [
        "html", "head", "body", "title", "script", "style", "meta", "link", "iframe", "h1", "h2",
        "div", "table", "center", "font", "p", "br", "b", "a",
    ]
}
