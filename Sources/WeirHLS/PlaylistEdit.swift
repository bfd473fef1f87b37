// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Changes of a playlist's text: some spans are replaced, and every other byte stays as it is.
///
/// Three changes are always made, since a player could not use the result otherwise:
///
/// - Values take the place of variables, and `EXT-X-DEFINE` is removed: the variables may depend on
///   the playlist's address at the origin.
/// - `EXT-X-CONTENT-STEERING` is removed: its answers name hosts.
/// - The tags of low-latency HLS are removed together: they name addresses that have no bytes yet.
///   Without these tags, players play the whole segments.
package struct PlaylistEdit {
    /// A replacement of a span; an empty replacement removes the span.
    struct Change: Sendable {
        let span: Range<Int>
        let bytes: [UInt8]
    }

    private let playlist: Playlist
    private var changes: [Change]

    /// Begins with the changes that are always made.
    package init(of playlist: Playlist) {
        self.playlist = playlist
        self.changes = playlist.changes
    }

    /// Replaces the URI of a reference; the last replacement of a URI counts.
    ///
    /// - Parameters:
    ///   - reference: a reference of the same playlist.
    ///   - address: the new URI, without quotes, commas, blanks and line ends.
    package mutating func replace(_ reference: PlaylistReference, with address: String) {
        self.changes.append(Change(span: reference.span, bytes: Array(address.utf8)))
    }

    /// The changed text.
    package var text: [UInt8] {
        let text = self.playlist.text
        var edited: [UInt8] = []
        edited.reserveCapacity(text.count)
        var offset = 0
        for change in Self.ordered(self.changes) where change.span.lowerBound >= offset {
            edited += text[offset..<change.span.lowerBound]
            edited += change.bytes
            offset = change.span.upperBound
        }
        edited += text[offset...]
        return edited
    }

    /// The changes by their start; of several changes at the same start, the last one counts, so it
    /// comes first.
    private static func ordered(_ changes: [Change]) -> [Change] {
        changes.enumerated().sorted { one, other in
            one.element.span.lowerBound == other.element.span.lowerBound
                ? one.offset > other.offset
                : one.element.span.lowerBound < other.element.span.lowerBound
        }.map(\.element)
    }
}
