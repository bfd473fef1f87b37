// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A list of streams or files to play: addresses, most with a title.
public struct Playlist: Hashable, Sendable {
    /// The format of a list.
    public enum Kind: String, Hashable, Sendable, CustomStringConvertible {
        /// Lines with addresses; a line `#EXTINF` may precede each.
        case m3u = "M3U"
        /// `File1=`, `Title1=`, `Length1=`.
        case pls = "PLS"
        /// XML, from Xiph.
        case xspf = "XSPF"
        /// From Microsoft, `asx` or `wax`: XML, or lines `Ref1=` under `[Reference]`.
        case asx = "ASX"
        /// M3U with `#EXT-X-…`: the segments of one stream, not a list of streams.
        case hls = "HLS"

        /// The name of the format.
        public var description: String { self.rawValue }
    }

    /// An item of a list.
    public struct Entry: Hashable, Sendable {
        /// An address, or a path relative to the list's own address, as written.
        public var location: String
        /// The title of the entry.
        public var title: String?
        /// How long the entry plays; `nil` if the list does not say, or if the entry is endless.
        public var seconds: Int?
        /// Whether the list declares the entry endless, with a negative length: `#EXTINF:-1` or
        /// `Length1=-1`.
        package var isEndless = false

        /// An entry.
        public init(location: String, title: String? = nil, seconds: Int? = nil) {
            self.location = location
            self.title = title
            self.seconds = seconds
        }
    }

    /// The largest list, in bytes.
    public static let maximumByteCount = 1 << 20
    /// The most entries that are kept; further entries are left out.
    public static let maximumEntryCount = 10_000

    /// The format of the list.
    public var kind: Kind
    /// The entries, in order.
    public var entries: [Entry]
    /// Whether entries were left out.
    public private(set) var isCut = false

    /// A list without entries.
    public init(kind: Kind) {
        self.kind = kind
        self.entries = []
    }

    /// Reads a list of any kind: in the given or recognised format, or else as lines of addresses.
    ///
    /// Text is UTF-16 if it has such a byte order mark, UTF-8 if all of it is valid UTF-8, and
    /// otherwise Windows-1252. Lines end with CR, LF, both or NUL; the end of the text ends the
    /// last line. A list may be empty.
    ///
    /// - Parameters:
    ///   - bytes: the whole list.
    ///   - kind: the format, if known; `nil`: recognise it.
    /// - Throws: ``AudioStreamError/Code/limit`` if the list is larger than ``maximumByteCount``;
    ///   ``AudioStreamError/Code/unsupported`` for an HLS list; ``AudioStreamError/Code/notAudio``
    ///   for a page, or a list of a kind that Weir does not read;
    ///   ``AudioStreamError/Code/unrecognized`` if the bytes are not a list.
    public init(_ bytes: ByteMemory, kind: Kind? = nil) throws(AudioStreamError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw AudioStreamError(
                .limit,
                at: Int64(Self.maximumByteCount),
                "The playlist is larger than 1 MiB; is it audio?"
            )
        }
        let text = bytes.withView { PlaylistText($0) }
        if let page = text.page {
            throw AudioStreamError(
                .notAudio,
                at: 0,
                "This is \(page), not a playlist; \(page.advice)"
            )
        }
        guard let kind = kind ?? text.kind ?? (text.hasAddress ? .m3u : nil) else {
            throw AudioStreamError(
                .unrecognized,
                at: 0,
                "This is not a playlist that Weir can read"
            )
        }
        guard kind != .hls, !text.isHLS else {
            throw AudioStreamError(
                .unsupported,
                at: 0,
                "This is an HLS playlist, which lists the pieces of a stream; Weir does not play HLS"
            )
        }
        self.init(kind: kind)
        switch kind {
        case .m3u, .hls: self.readM3U(text)
        case .pls: self.readPLS(text)
        case .asx where text.isReference: self.readReferences(text)
        case .xspf, .asx: self.readMarkup(text)
        }
    }

    /// Adds an entry, unless the list already has ``maximumEntryCount`` entries.
    mutating func append(_ entry: Entry) {
        guard self.entries.count < Self.maximumEntryCount else {
            self.isCut = true
            return
        }
        self.entries.append(entry)
    }
}
