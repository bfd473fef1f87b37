// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads M3U: a line for each address; a line `#EXTINF:seconds attributes,title` may precede it.
extension Playlist {
    /// Adds the entries of all lines.
    mutating func readM3U(_ text: PlaylistText) {
        var title: String?
        var seconds: Int?
        for line in text.lines {
            if PlaylistText.begins(line, "#extinf:") {
                let rest = line.dropFirst(8)
                seconds = PlaylistText.number(rest)
                title = Self.comma(in: rest).flatMap { comma in
                    let words = PlaylistText.trimmed(rest[rest.index(after: comma)...])
                    return words.isEmpty ? nil : PlaylistText.text(words)
                }
            } else if line.first != UInt8(ascii: "#") {
                self.append(Entry(PlaylistText.text(line), title, length: seconds))
                title = nil
                seconds = nil
            }
        }
    }

    /// The first comma outside of quotes, since attributes may hold commas; without such a comma,
    /// the first comma.
    private static func comma(in part: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in part.indices {
            if part[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if part[index] == UInt8(ascii: ","), !isQuoted { return index }
        }
        return part.firstIndex(of: UInt8(ascii: ","))
    }
}

/// Reads PLS: `File1=address`, `Title1=…`, `Length1=seconds`, with keys in any case.
///
/// The entries have the order of their `File` lines, whatever their numbers are; `NumberOfEntries`
/// and `Version` are ignored. A number without `File` makes no entry; two files with the same
/// number make two entries.
extension Playlist {
    /// Adds the entries of all lines.
    mutating func readPLS(_ text: PlaylistText) {
        var titles: [Int: String] = [:]
        var lengths: [Int: Int] = [:]
        var files: [(number: Int, location: String)] = []
        for line in text.lines {
            guard let (key, number, value) = Self.parts(line), !value.isEmpty else { continue }
            switch key {
            case "file": files.append((number, PlaylistText.text(value)))
            case "title": titles[number] = titles[number] ?? PlaylistText.text(value)
            default:
                if let length = PlaylistText.number(value), length != 0 {
                    lengths[number] = lengths[number] ?? length
                }
            }
        }
        for file in files {
            self.append(
                Entry(file.location, titles[file.number], length: lengths[file.number])
            )
        }
    }

    /// The parts of a line: `file`, `title` or `length`, its number, and its value.
    private static func parts(
        _ line: ArraySlice<UInt8>
    ) -> (key: String, number: Int, value: ArraySlice<UInt8>)? {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = PlaylistText.trimmed(line[..<equals])
        let value = PlaylistText.trimmed(line[(equals + 1)...])
        let keys: [StaticString] = ["file", "title", "length"]
        for key in keys where PlaylistText.begins(name, key) {
            let digits = name.dropFirst(key.utf8CodeUnitCount)
            // `File=` without a number has number 0.
            guard let number = digits.isEmpty ? 0 : PlaylistText.number(digits) else { return nil }
            return (key.description, number, value)
        }
        return nil
    }
}

/// Reads the ASX of older servers: `[Reference]`, and below it `Ref1=address`, `Ref2=address`.
extension Playlist {
    /// Adds the addresses of all lines, in the order of the lines.
    mutating func readReferences(_ text: PlaylistText) {
        for line in text.lines where PlaylistText.begins(line, "ref") {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let number = PlaylistText.trimmed(line[..<equals].dropFirst(3))
            let value = PlaylistText.trimmed(line[(equals + 1)...])
            guard PlaylistText.number(number) != nil, !value.isEmpty else { continue }
            self.append(Entry(location: PlaylistText.text(value)))
        }
    }
}

extension Playlist.Entry {
    /// An entry with a length as lists write it: negative for an endless stream, 0 if unknown.
    fileprivate init(_ location: String, _ title: String?, length: Int?) {
        self.init(
            location: location,
            title: title,
            seconds: length.flatMap { $0 > 0 ? $0 : nil }
        )
        self.isEndless = (length ?? 0) < 0
    }
}
