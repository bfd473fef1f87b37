// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes addresses and titles out of XSPF and ASX, by a scanner that forgives what a parser of XML would not.
///
///     XSPF: <track><location>address</location><title>…</title><duration>milliseconds</duration></track>
///     ASX:  <entry><ref href="address"/><title>…</title></entry>, and <entryref href="…"/> for another list
///
/// Names count in any case, prefixes of name spaces do not. Comments are passed over, CDATA is text.
enum MarkupPlaylistReader {
    /// Reads the list.
    ///
    /// - Parameters:
    ///   - text: the list.
    ///   - playlist: its kind, and where the entries go.
    static func read(_ text: PlaylistText, into playlist: inout Playlist) {
        var scanner = MarkupScanner(text.units)
        var entry: Playlist.Entry?
        var isInEntry = false
        while let element = scanner.next() {
            switch (playlist.kind, element.name) {
            case (.xspf, "track"), (.asx, "entry"):
                if let entry, !entry.location.isEmpty { playlist.append(entry) }
                entry = element.isEnd ? nil : Playlist.Entry(location: "")
                isInEntry = !element.isEnd
            case (.xspf, "location"), (.xspf, "title"), (.asx, "title"), (.xspf, "duration"):
                guard !element.isEnd, isInEntry else { continue }
                Self.set(scanner.text(), for: element.name, of: &entry)
            case (.asx, "ref"):
                // Further addresses of an entry are the same in another place.
                guard let address = element.attribute("href"), entry?.location.isEmpty != false
                else {
                    continue
                }
                if isInEntry {
                    entry?.location = address
                } else {
                    playlist.append(Playlist.Entry(location: address))
                }
            case (.asx, "entryref"):
                guard let address = element.attribute("href") else { continue }
                playlist.append(Playlist.Entry(location: address))
            default: continue
            }
        }
        if let entry, !entry.location.isEmpty { playlist.append(entry) }
    }

    private static func set(_ text: String, for name: String, of entry: inout Playlist.Entry?) {
        guard !text.isEmpty else { return }
        switch name {
        case "location":
            // Further addresses of a track are the same in another place.
            if entry?.location.isEmpty == true { entry?.location = text }
        case "title": entry?.title = text
        default:
            guard let milliseconds = Int(text), milliseconds >= 1000 else { return }
            entry?.seconds = milliseconds / 1000
        }
    }
}
