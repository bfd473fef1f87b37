// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The text of a playlist, as UTF-8, and what it looks like.
struct PlaylistText {
    /// The text without a byte order mark.
    let units: [UInt8]

    /// Takes bytes as UTF-8, UTF-16 with a byte order mark, or else Windows-1252.
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

    /// The lines, without white space at their ends and without those that are empty.
    var lines: [ArraySlice<UInt8>] {
        self.units.split { $0 == 10 || $0 == 13 || $0 == 0 }.map(Self.trimmed).filter {
            !$0.isEmpty
        }
    }

    /// How the list is written; `nil` if the text has none of the marks.
    var form: ListForm? { self.units.prefix(4096).withUnsafeBytes { ListForm(of: $0) } }

    /// What kind of list it is by a mark at its front; `nil` for lines of addresses, and for what is no list.
    var kind: Playlist.Kind? {
        switch self.form {
        case .m3u: self.isHLS ? .hls : .m3u
        case .pls: .pls
        case .xspf: .xspf
        case .asx, .references: .asx
        case .addresses, .foreign, nil: nil
        }
    }

    /// Whether it is an ASX list without XML.
    var isReference: Bool { self.form == .references }

    /// Whether the first line that is no comment is an address with a scheme.
    var beginsWithAddress: Bool { self.form == .addresses }

    /// The page that it is; `nil` for a list and for text without markup.
    var page: Sniffing.Page? {
        if self.form == .foreign { return .foreignList }
        guard self.form == nil, Self.trimmed(self.units[...]).first == UInt8(ascii: "<") else {
            return nil
        }
        let type = self.units.prefix(4096).withUnsafeBytes { MediaType.sniffed(from: $0) }
        let isHTML = type?.isHTML ?? Self.hasPageElement(self.units.prefix(1024))
        return isHTML ? .html : .xml
    }

    /// Whether markup that begins with an unknown element has one of a page.
    private static func hasPageElement(_ start: ArraySlice<UInt8>) -> Bool {
        let marks: [StaticString] = [
            "<!doctype html", "<html", "<head", "<body", "<title", "<script", "<meta", "<h1",
            "<div", "<p>", "<center",
        ]
        return marks.contains { Self.contains(start, $0) }
    }

    /// Whether any line is one of HLS (RFC 8216 §4.3).
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

    /// A part without white space at its ends.
    static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var part = part
        while let first = part.first, first <= 0x20 { part.removeFirst() }
        while let last = part.last, last <= 0x20 { part.removeLast() }
        return part
    }

    /// Whether a part begins with a text in lower case, whatever its own case.
    static func begins(_ part: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        guard part.count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            let unit = AudioTags.lowercased(part[part.startIndex + index])
            if unit != text.utf8Start[index] { return false }
        }
        return true
    }

    /// Whether a part has a text in lower case anywhere, whatever its own case.
    static func contains(_ part: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        part.indices.contains { Self.begins(part[$0...], text) }
    }

    /// A whole number with its sign, as far as digits go, at most nine.
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
