// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A list of what to play: addresses, most with a title.
public struct Playlist: Hashable, Sendable {
    /// How a list is written.
    public enum Kind: String, Hashable, Sendable, CustomStringConvertible {
        /// Lines with addresses, and `#EXTINF` in front.
        case m3u = "M3U"
        /// `File1=`, `Title1=`, `Length1=`.
        case pls = "PLS"
        /// XML, from Xiph.
        case xspf = "XSPF"
        /// From Microsoft, `asx` or `wax`: XML, or lines `Ref1=` under `[Reference]`.
        case asx = "ASX"
        /// M3U with `#EXT-X-…`: pieces of a stream, not a list of streams.
        case hls = "HLS"

        /// Its name.
        public var description: String { self.rawValue }
    }

    /// What stands in a list.
    public struct Entry: Hashable, Sendable {
        /// An address, or a path relative to the list's own address, as it is written.
        public var location: String
        /// Its title.
        public var title: String?
        /// How long it plays; `nil` if that is not stated, or it has no end.
        public var seconds: Int?
        /// Whether the list says that it has no end: with a negative length, as `#EXTINF:-1` and `Length1=-1` do.
        package var isEndless = false

        /// An entry.
        public init(location: String, title: String? = nil, seconds: Int? = nil) {
            self.location = location
            self.title = title
            self.seconds = seconds
        }
    }

    /// How large a list may be, in bytes.
    public static let maximumByteCount = 1 << 20
    /// How many entries are kept; the others are left out.
    public static let maximumEntryCount = 10_000

    /// How it is written.
    public var kind: Kind
    /// What to play, in order.
    public var entries: [Entry]
    /// Whether there were more entries than are kept.
    public private(set) var isCut = false

    /// A list without entries.
    public init(kind: Kind) {
        self.kind = kind
        self.entries = []
    }

    /// Reads a list of any kind: by what it looks like, or else as lines of addresses.
    ///
    /// Text is UTF-8 where all of it is, and else Windows-1252; a byte order mark does not count. Lines end with CR, LF or
    /// both, the last also with the end. A list may be empty.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - kind: what it is, if known; `nil`: found out.
    /// - Throws: ``AudioStreamError/Code/limit`` if it is larger than ``maximumByteCount``;
    ///   ``AudioStreamError/Code/unsupported`` if it is one of HLS;
    ///   ``AudioStreamError/Code/notAudio`` if it is a page, or a list of a kind that is not read;
    ///   ``AudioStreamError/Code/unrecognized`` if it is no list.
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
            throw AudioStreamError(.unrecognized, at: 0, "This is no playlist that Weir knows")
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

    /// Adds an entry, unless there are too many.
    mutating func append(_ entry: Entry) {
        guard self.entries.count < Self.maximumEntryCount else {
            self.isCut = true
            return
        }
        self.entries.append(entry)
    }
}
