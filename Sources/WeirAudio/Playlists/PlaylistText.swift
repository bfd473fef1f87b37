// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The text of a playlist as UTF-8, and the checks that recognise its format.
struct PlaylistText {
    /// The text without a byte order mark.
    let units: [UInt8]

    /// Decodes bytes as UTF-16 if they have such a byte order mark, otherwise as UTF-8 if valid,
    /// otherwise as Windows-1252.
    init(_ view: ByteView) {
        if view.count >= 2, view.big(0, UInt16.self) == 0xFFFE || view.big(0, UInt16.self) == 0xFEFF
        {
            let isBig = view.big(0, UInt16.self) == 0xFEFF
            let wide = stride(from: 2, to: view.count - 1, by: 2).map {
                isBig ? view.big($0, UInt16.self) : view.little($0, UInt16.self)
            }
            self.units = Array(String(decoding: wide, as: UTF16.self).utf8)
            return
        }
        let isMarked = view.count >= 3 && view.big24(0) == 0xEFBBBF
        let rest = isMarked ? view.from(3) : view
        self.units = Array(ICYCharset.text(of: rest, override: nil).utf8)
    }

    /// The lines, without white space at both ends and without empty lines.
    var lines: [ArraySlice<UInt8>] {
        self.units.split { $0 == 10 || $0 == 13 || $0 == 0 }.map(Self.trimmed).filter {
            !$0.isEmpty
        }
    }

    /// The form of the list, by the marks in its first 4096 bytes; `nil` without a known mark.
    var form: ListForm? { self.units.prefix(4096).withUnsafeBytes { ListForm(of: $0) } }

    /// The kind of list by its first marks; `nil` for lines of addresses, and for text that is not
    /// a list.
    var kind: Playlist.Kind? {
        switch self.form {
        case .m3u: self.isHLS ? .hls : .m3u
        case .pls: .pls
        case .xspf: .xspf
        case .asx, .references: .asx
        case .addresses, .foreign, nil: nil
        }
    }

    /// Whether the text is an ASX list without XML.
    var isReference: Bool { self.form == .references }

    /// Whether the first line that is not a comment is an address with a scheme.
    var beginsWithAddress: Bool { self.form == .addresses }

    /// The kind of page; `nil` for a list and for text without markup.
    var page: Sniffing.Page? {
        if self.form == .foreign { return .foreignList }
        guard self.form == nil, Self.trimmed(self.units[...]).first == UInt8(ascii: "<") else {
            return nil
        }
        let type = self.units.prefix(4096).withUnsafeBytes { MediaType.sniffed(from: $0) }
        let isHTML = type?.isHTML ?? Self.hasPageElement(self.units.prefix(1024))
        return isHTML ? .html : .xml
    }

    /// Whether markup with an unknown first element contains an element of a page.
    private static func hasPageElement(_ start: ArraySlice<UInt8>) -> Bool {
        let marks: [StaticString] = [
            "<!doctype html", "<html", "<head", "<body", "<title", "<script", "<meta", "<h1",
            "<div", "<p>", "<center",
        ]
        return marks.contains { Self.contains(start, $0) }
    }

    /// Whether any line is an HLS tag (RFC 8216 §4.3).
    var isHLS: Bool {
        self.lines.contains { Self.begins($0, "#ext-x-") }
    }

    /// Whether any line is an address with a scheme.
    var hasAddress: Bool {
        self.lines.contains { line in line.withUnsafeBytes { ListForm.isAddress($0) } }
    }

    /// The text of a part.
    static func text(_ part: ArraySlice<UInt8>) -> String {
        String(decoding: part, as: UTF8.self)
    }

    /// A part without white space at both ends.
    static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var part = part
        while let first = part.first, first <= 0x20 { part.removeFirst() }
        while let last = part.last, last <= 0x20 { part.removeLast() }
        return part
    }

    /// Whether a part begins with a text, which is in lower case; the part may have any case.
    static func begins(_ part: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        guard part.count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            let unit = AudioTags.lowercased(part[part.startIndex + index])
            if unit != text.utf8Start[index] { return false }
        }
        return true
    }

    /// Whether a part contains a text, which is in lower case; the part may have any case.
    static func contains(_ part: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        part.indices.contains { Self.begins(part[$0...], text) }
    }

    /// A whole number with its sign, from at most nine leading digits.
    static func number(_ part: ArraySlice<UInt8>) -> Int? {
        let part = Self.trimmed(part)
        let isNegative = part.first == UInt8(ascii: "-")
        let digits = part.dropFirst(isNegative ? 1 : 0).prefix {
            $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
        }
        guard digits.count <= 9, let number = Int(Self.text(digits)) else { return nil }
        return isNegative ? -number : number
    }
}
