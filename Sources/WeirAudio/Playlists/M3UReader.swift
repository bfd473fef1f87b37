// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads M3U: a line for each address, and in front of it, maybe, `#EXTINF:seconds attributes,title`.
enum M3UReader {
    /// Reads all lines.
    ///
    /// - Parameters:
    ///   - text: the list.
    ///   - playlist: where the entries go.
    static func read(_ text: PlaylistText, into playlist: inout Playlist) {
        var title: String?
        var seconds: Int?
        for line in text.lines {
            if PlaylistText.begins(line, "#extinf:") {
                let rest = line.dropFirst(8)
                // A length that is negative or 0 is one that is not known.
                seconds = PlaylistText.number(rest).flatMap { $0 > 0 ? $0 : nil }
                title = Self.comma(in: rest).flatMap { comma in
                    let words = PlaylistText.trimmed(rest[rest.index(after: comma)...])
                    return words.isEmpty ? nil : PlaylistText.text(words)
                }
            } else if line.first != UInt8(ascii: "#") {
                playlist.append(
                    Playlist.Entry(
                        location: PlaylistText.text(line),
                        title: title,
                        seconds: seconds
                    )
                )
                title = nil
                seconds = nil
            }
        }
    }

    /// The first comma that is not within quotes: attributes may hold some.
    private static func comma(in part: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in part.indices {
            if part[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if part[index] == UInt8(ascii: ","), !isQuoted { return index }
        }
        return part.firstIndex(of: UInt8(ascii: ","))
    }
}
