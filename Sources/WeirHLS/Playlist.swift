// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The facts of an HLS playlist that Weir acts on, and their positions in its text.
///
/// Weir ignores everything else in the text, such as unknown tags; ``PlaylistEdit`` leaves it
/// unchanged, apart from variables.
package struct Playlist: Sendable {
    /// Whether a media playlist changes.
    package enum Life: Hashable, Sendable {
        /// Complete: `EXT-X-ENDLIST`, `EXT-X-PLAYLIST-TYPE:VOD`, or a multivariant playlist.
        case complete
        /// Only grows, until it is complete: `EXT-X-PLAYLIST-TYPE:EVENT`.
        case growing
        /// A window over the newest segments.
        case live
    }

    /// The bytes of the text, with a byte order mark if it had one.
    package let text: [UInt8]
    /// Whether the playlist names other playlists, and no segments.
    package internal(set) var isMultivariant = false
    package internal(set) var life = Life.live
    /// The target duration in seconds, at least 1; `nil` without the tag.
    package internal(set) var targetDuration: Int64?
    /// The number of the first segment.
    package internal(set) var mediaSequence: Int64 = 0
    /// The URIs, in the order of the text.
    package internal(set) var references: [PlaylistReference] = []
    /// The values of the defined variables; the media playlists of a multivariant playlist may
    /// import them.
    package internal(set) var variables: [String: String] = [:]
    /// The changes that do not depend on addresses: values in place of variables, and removed
    /// lines.
    var changes: [PlaylistEdit.Change] = []

    init(of text: [UInt8]) {
        self.text = text
    }

    /// Whether a text with this start may be an HLS playlist: `#EXTM3U`, also after a byte order
    /// mark.
    ///
    /// - Parameter start: the first bytes; 10 are enough.
    /// - Returns: whether it may be.
    package static func canBegin(with start: some Collection<UInt8>) -> Bool {
        start.dropFirst(Self.markLength(of: start)).starts(with: "#EXTM3U".utf8)
    }

    /// Whether any line of a text begins with a tag of HLS; a plain M3U has none.
    package static func hasTag(_ text: [UInt8]) -> Bool {
        let tag = Array("#EXT-X-".utf8)
        var start = 0
        while start < text.count {
            if text[start...].starts(with: tag) { return true }
            let end = text[start...].firstIndex {
                $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
            }
            guard let end else { return false }
            start = end + 1
        }
        return false
    }

    /// The length of a byte order mark; 0 without one.
    static func markLength(of start: some Collection<UInt8>) -> Int {
        start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }
}

/// A URI in a playlist.
package struct PlaylistReference: Hashable, Sendable {
    /// The kind of data that the URI names.
    package enum Role: Hashable, Sendable {
        /// A media playlist: the line after `EXT-X-STREAM-INF`.
        case variant
        /// A media playlist of `EXT-X-MEDIA`; `isText` for subtitles.
        case rendition(isText: Bool)
        /// A media playlist of `EXT-X-I-FRAME-STREAM-INF` or `EXT-X-IMAGE-STREAM-INF`.
        case frames
        /// A playlist of `EXT-X-DATERANGE`, such as an advertisement's.
        case asset
        /// A media segment.
        case segment
        /// The initialization section of the segments behind it: `EXT-X-MAP`.
        case map
        /// A key in the clear (`KEYFORMAT` is `identity` or missing): `EXT-X-KEY`,
        /// `EXT-X-SESSION-KEY`.
        case key
        /// Other data: `EXT-X-SESSION-DATA`, and the list of assets of `EXT-X-DATERANGE`.
        case data

        /// Whether the URI names a playlist.
        package var isPlaylist: Bool {
            switch self {
            case .variant, .rendition, .frames, .asset: true
            case .segment, .map, .key, .data: false
            }
        }
    }

    package let role: Role
    /// The position of the URI in the text, without quotes.
    package let span: Range<Int>
    /// The URI with the values of its variables; `nil` if it is not UTF-8, or a variable is not
    /// defined.
    package let uri: String?
    /// The number of the segment, or of the first segment behind a key or an initialization
    /// section.
    ///
    /// In a multivariant playlist, the position among its references.
    package let sequence: Int64
    /// The bytes of the named file; `nil` for the whole file.
    package let bytes: Range<Int64>?
    /// Whether an initialization section applies to the segment.
    package let hasMap: Bool
    /// The duration of the segment as its `EXTINF` has it, such as `3.84`; `nil` without one.
    package var duration: String?
}
