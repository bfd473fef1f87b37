// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Goes from tag to tag of XML, even of malformed XML; every step advances, so the scan ends.
struct MarkupScanner {
    /// A tag: its name in lower case and without a namespace prefix, whether it is an end tag, and
    /// the bytes after the name.
    typealias Tag = (name: String, isEnd: Bool, rest: ArraySlice<UInt8>)

    private let units: [UInt8]
    private var index = 0

    init(_ units: [UInt8]) {
        self.units = units
    }

    /// The next tag; `nil` at the end.
    mutating func next() -> Tag? {
        while let open = self.units[self.index...].firstIndex(of: UInt8(ascii: "<")) {
            if PlaylistText.begins(self.units[open...], "<!--") {
                self.index = self.end(of: "-->", from: open + 4)
                continue
            }
            guard let close = self.units[open...].firstIndex(of: UInt8(ascii: ">")) else {
                self.index = self.units.count
                return nil
            }
            self.index = close + 1
            var inside = self.units[(open + 1)..<close]
            let isEnd = inside.first == UInt8(ascii: "/")
            if isEnd { inside = inside.dropFirst() }
            let name = inside.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
            let local = name.split(separator: UInt8(ascii: ":")).last ?? name
            return (
                PlaylistText.text(ArraySlice(local.map(AudioTags.lowercased))),
                isEnd,
                inside[name.endIndex...]
            )
        }
        self.index = self.units.count
        return nil
    }

    /// The value of an attribute, in single, double or no quotes.
    ///
    /// - Parameters:
    ///   - name: the name, in lower case; the tag may write it in any case.
    ///   - tag: the bytes after the tag's name.
    /// - Returns: `nil` if there is no such attribute.
    static func attribute(_ name: StaticString, in tag: ArraySlice<UInt8>) -> String? {
        let length = name.utf8CodeUnitCount
        var index = tag.startIndex
        while index + length < tag.endIndex {
            defer { index += 1 }
            guard PlaylistText.begins(tag[index...], name),
                index == tag.startIndex || tag[index - 1] <= 0x20
            else { continue }
            let value = tag[(index + length)...].drop { $0 <= 0x20 }
            guard value.first == UInt8(ascii: "=") else { continue }
            let text = value.dropFirst().drop { $0 <= 0x20 }
            guard let quote = text.first, quote == 0x22 || quote == 0x27 else {
                return Self.resolve(text.prefix { $0 > 0x20 })
            }
            return Self.resolve(text.dropFirst().prefix { $0 != quote })
        }
        return nil
    }

    /// The text up to the next tag, without white space at both ends.
    mutating func text() -> String {
        let rest = self.units[self.index...]
        let start = PlaylistText.trimmed(rest.prefix { $0 != UInt8(ascii: "<") })
        guard start.isEmpty, let open = rest.firstIndex(of: UInt8(ascii: "<")),
            PlaylistText.begins(self.units[open...], "<![cdata[")
        else { return Self.resolve(start) }
        let end = self.end(of: "]]>", from: open + 9)
        let text = self.units[(open + 9)..<max(open + 9, end - 3)]
        self.index = end
        return PlaylistText.text(PlaylistText.trimmed(text))
    }

    /// The end of the first occurrence of a text; the end of the markup if the text does not occur.
    private func end(of text: StaticString, from start: Int) -> Int {
        var index = min(start, self.units.count)
        while index < self.units.count {
            if PlaylistText.begins(self.units[index...], text) {
                return index + text.utf8CodeUnitCount
            }
            index += 1
        }
        return self.units.count
    }

    /// Text with the five entities of XML and numeric references resolved.
    static func resolve(_ part: ArraySlice<UInt8>) -> String {
        guard part.contains(UInt8(ascii: "&")) else { return PlaylistText.text(part) }
        var text = ""
        var rest = part
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += PlaylistText.text(rest[..<ampersand])
            rest = rest[ampersand...]
            guard let semicolon = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.entity(rest[(ampersand + 1)..<semicolon])
            else {
                text += "&"
                rest = rest.dropFirst()
                continue
            }
            text.unicodeScalars.append(scalar)
            rest = rest[(semicolon + 1)...]
        }
        return text + PlaylistText.text(rest)
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch PlaylistText.text(name) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let text where text.hasPrefix("#x") || text.hasPrefix("#X"):
            return UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case let text where text.hasPrefix("#"):
            return UInt32(text.dropFirst()).flatMap(Unicode.Scalar.init)
        default: return nil
        }
    }
}
