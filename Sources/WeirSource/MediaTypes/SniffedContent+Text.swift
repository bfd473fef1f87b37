// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// Playlists, and the pages and error texts that servers send in place of media.
    static func text(_ window: ByteWindow) -> SniffedContent? {
        let start = Self.markLength(window)
        if window.has("#EXTM3U", at: start) {
            return window.firstOffset(of: "#EXT-X-", from: start) != nil
                ? SniffedContent(.hlsPlaylist) : SniffedContent(undecided: .m3uPlaylist)
        }
        let first = Self.skipBlanks(window, from: start)
        if window.hasAnyCase("[playlist]", at: first) { return SniffedContent(.plsPlaylist) }
        switch window[first] {
        case UInt8(ascii: "<"): return Self.markup(window, from: first)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Self.json(window, from: first)
        default: return nil
        }
    }

    /// The length of a UTF-8 byte order mark.
    static func markLength(_ window: ByteWindow) -> Int { window.has([0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// HTML or XML, by the root element.
    private static func markup(_ window: ByteWindow, from start: Int) -> SniffedContent? {
        let root = Self.rootElement(window, from: start)
        if root.isHTML { return SniffedContent(.html) }
        return root.offset.flatMap { Self.element(window, at: $0) }
            ?? (root.isXML ? SniffedContent(.xml) : nil)
    }

    /// The offset of the root element's name, after comments, declarations and processing instructions.
    ///
    /// - Returns: the offset, `nil` if the bytes end before the element or HTML is declared; whether an XML
    ///   declaration comes first; and whether an HTML declaration does.
    static func rootElement(
        _ window: ByteWindow,
        from start: Int
    ) -> (offset: Int?, isXML: Bool, isHTML: Bool) {
        var offset = start
        var isXML = false
        // Each iteration moves on by at least one byte.
        while window[offset] == UInt8(ascii: "<") {
            if Self.isTag("!doctype html", window, at: offset + 1) { return (nil, isXML, true) }
            let end: StaticString
            if window.has("<!--", at: offset) {
                end = "-->"
            } else if window.has("<?", at: offset) {
                isXML = isXML || window.hasAnyCase("<?xml", at: offset)
                end = "?>"
            } else if window.has("<!", at: offset) {
                end = ">"
            } else {
                return (offset + 1, isXML, false)
            }
            guard let last = window.firstOffset(of: end, from: offset) else { break }
            offset = Self.skipBlanks(window, from: last + end.utf8CodeUnitCount)
        }
        return (nil, isXML, false)
    }

    private static func element(_ window: ByteWindow, at offset: Int) -> SniffedContent? {
        if Self.pageElements.contains(where: { Self.isTag($0, window, at: offset) }) {
            return SniffedContent(.html)
        }
        if Self.isTag("mpd", window, at: offset) { return SniffedContent(.dashManifest) }
        if Self.isTag("playlist", window, at: offset) { return SniffedContent(.xspfPlaylist) }
        return nil
    }

    /// Whether a complete tag of this name is at the offset: `<header>` is not `<head>`.
    static func isTag(_ name: StaticString, _ window: ByteWindow, at offset: Int) -> Bool {
        guard window.hasAnyCase(name, at: offset),
            let next = window[offset + name.utf8CodeUnitCount]
        else { return false }
        return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || Self.isBlank(next)
    }

    private static func json(_ window: ByteWindow, from offset: Int) -> SniffedContent? {
        guard let next = window[Self.skipBlanks(window, from: offset + 1)] else { return nil }
        let isObject = window[offset] == UInt8(ascii: "{")
        let starts = isObject ? "\"}" : "{\"[]"
        return starts.utf8.contains(next) ? SniffedContent(.json) : nil
    }

    static func skipBlanks(_ window: ByteWindow, from start: Int) -> Int {
        var offset = start
        while let byte = window[offset], Self.isBlank(byte) { offset += 1 }
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
