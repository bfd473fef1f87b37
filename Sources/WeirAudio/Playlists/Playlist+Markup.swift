// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes addresses and titles from XSPF and ASX, with a scanner that also accepts malformed XML.
///
///     XSPF: <track><location>address</location><title>…</title>
///                  <duration>milliseconds</duration></track>
///     ASX:  <entry><ref href="address"/><title>…</title></entry>,
///           and <entryref href="…"/> for another list
///
/// Names may have any case, and namespace prefixes are ignored. Comments are skipped, and CDATA is
/// text.
extension Playlist {
    /// Adds the entries of the list.
    mutating func readMarkup(_ text: PlaylistText) {
        var scanner = MarkupScanner(text.units)
        var entry: Entry?
        var isInEntry = false
        while let tag = scanner.next() {
            switch (self.kind, tag.name) {
            case (.xspf, "track"), (.asx, "entry"):
                if let entry, !entry.location.isEmpty { self.append(entry) }
                entry = tag.isEnd ? nil : Entry(location: "")
                isInEntry = !tag.isEnd
            case (.xspf, "location"), (.xspf, "title"), (.asx, "title"), (.xspf, "duration"):
                guard !tag.isEnd, isInEntry else { continue }
                Self.set(scanner.text(), for: tag.name, of: &entry)
            case (.asx, "ref"):
                // Further addresses of an entry are alternatives for the same content.
                guard let address = MarkupScanner.attribute("href", in: tag.rest),
                    entry?.location.isEmpty != false
                else {
                    continue
                }
                if isInEntry {
                    entry?.location = address
                } else {
                    self.append(Entry(location: address))
                }
            case (.asx, "entryref"):
                guard let address = MarkupScanner.attribute("href", in: tag.rest) else { continue }
                self.append(Entry(location: address))
            default: continue
            }
        }
        if let entry, !entry.location.isEmpty { self.append(entry) }
    }

    private static func set(_ text: String, for name: String, of entry: inout Entry?) {
        guard !text.isEmpty else { return }
        switch name {
        case "location":
            // Further addresses of a track are alternatives for the same content.
            if entry?.location.isEmpty == true { entry?.location = text }
        case "title": entry?.title = text
        default:
            guard let milliseconds = Int(text), milliseconds >= 1000 else { return }
            entry?.seconds = milliseconds / 1000
        }
    }
}
