// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the text of an HLS playlist (RFC 8216; draft-pantos-hls-rfc8216bis for newer tags).
///
/// The text is untrusted: a tag that breaks the grammar has no effect, and reading continues at the
/// next line.
package struct PlaylistScanner {
    private var playlist: Playlist
    private var variables: PlaylistVariables
    /// Whether a tag of HLS has been read; a plain M3U has no such tag.
    private var isHLS = false
    /// Whether the next URI line is a variant.
    private var expectsVariant = false
    /// The `EXT-X-BYTERANGE` of the next segment: the number of bytes, and the offset if the tag
    /// has one.
    private var nextBytes: ByteCount?
    /// The duration of the next segment, as text.
    private var nextDuration: String?
    /// The end of the last byte range of each URI: a range without an offset begins there (RFC 8216
    /// §4.3.2.2).
    private var ends: [String: Int64] = [:]
    private var nextSequence: Int64 = 0
    private var hasMap = false
    private var isEnded = false
    private var isVOD = false
    private var isEvent = false

    private struct ByteCount {
        let count: Int64
        let offset: Int64?
    }

    /// Reads a playlist.
    ///
    /// - Parameters:
    ///   - text: the bytes of the text, at most ``PlaylistLimits/bytes``.
    ///   - variables: the variables of the multivariant playlist that led to this one.
    ///   - query: the query of the playlist's address by name, percent-decoded.
    /// - Returns: the playlist.
    /// - Throws: ``PlaylistError``.
    package static func scan(
        _ text: [UInt8],
        importing variables: [String: String] = [:],
        query: [String: String] = [:]
    ) throws(PlaylistError) -> Playlist {
        guard text.count <= PlaylistLimits.bytes else { throw .tooLong }
        guard Playlist.canBegin(with: text) else { throw .notHLS }
        var scanner = PlaylistScanner(text, importing: variables, query: query)
        var count = 0
        for line in PlaylistLines(of: text, from: Playlist.markLength(of: text)) {
            count += 1
            guard count <= PlaylistLimits.lines else {
                throw Playlist.hasTag(text) ? .tooManyLines : .notHLS
            }
            guard line.content.count <= PlaylistLimits.lineBytes else {
                throw Playlist.hasTag(text) ? .lineTooLong(count) : .notHLS
            }
            scanner.read(line)
        }
        guard scanner.isHLS else { throw .notHLS }
        return scanner.finished()
    }

    private init(_ text: [UInt8], importing variables: [String: String], query: [String: String]) {
        self.playlist = Playlist(of: text)
        self.variables = PlaylistVariables(importing: variables, query: query)
    }

    private func finished() -> Playlist {
        var playlist = self.playlist
        playlist.variables = self.variables.values
        if playlist.isMultivariant || self.isEnded || self.isVOD {
            playlist.life = .complete
        } else {
            playlist.life = self.isEvent ? .growing : .live
        }
        return playlist
    }

    // MARK: Lines

    private mutating func read(_ line: PlaylistLines.Line) {
        guard let first = line.content.first else { return }
        guard self.playlist.text[first] == UInt8(ascii: "#") else {
            return self.readURI(line.content)
        }
        let text = self.playlist.text[line.content]
        guard text.starts(with: "#EXT".utf8) else { return }
        let colon = line.content.first { self.playlist.text[$0] == UInt8(ascii: ":") }
        let name = String(decoding: text[..<(colon ?? line.content.upperBound)], as: UTF8.self)
        let value = (colon.map { $0 + 1 } ?? line.content.upperBound)..<line.content.upperBound
        if name.hasPrefix("#EXT-X-") { self.isHLS = true }
        if Self.removed.contains(name) {
            if name == "#EXT-X-DEFINE" { self.variables.define(self.texts(of: value)) }
            self.playlist.changes.append(.init(span: line.whole, bytes: []))
            return
        }
        self.read(name, value)
        self.substitute(in: value)
    }

    /// The tags that are removed, each for a reason that ``PlaylistEdit`` gives.
    private static let removed: Set = [
        "#EXT-X-DEFINE", "#EXT-X-CONTENT-STEERING", "#EXT-X-SERVER-CONTROL", "#EXT-X-PART-INF",
        "#EXT-X-PART", "#EXT-X-PRELOAD-HINT", "#EXT-X-RENDITION-REPORT",
    ]

    private mutating func read(_ name: String, _ value: Range<Int>) {
        switch name {
        case "#EXT-X-TARGETDURATION":
            self.playlist.targetDuration = self.number(value).map { max(1, $0) }
        case "#EXT-X-MEDIA-SEQUENCE":
            guard let number = self.number(value) else { return }
            self.playlist.mediaSequence = number
            self.nextSequence = number
        case "#EXT-X-ENDLIST": self.isEnded = true
        case "#EXT-X-PLAYLIST-TYPE":
            self.isVOD = self.playlist.text[value].elementsEqual("VOD".utf8)
            self.isEvent = self.playlist.text[value].elementsEqual("EVENT".utf8)
        case "#EXTINF":
            let text = self.playlist.text[value].prefix { $0 != UInt8(ascii: ",") }
            self.nextDuration = String(decoding: text, as: UTF8.self)
        case "#EXT-X-BYTERANGE": self.nextBytes = self.byteCount(value)
        case "#EXT-X-MAP":
            self.hasMap = true
            self.refer(value, "URI", as: .map, ranges: "BYTERANGE")
        case "#EXT-X-KEY", "#EXT-X-SESSION-KEY": self.readKey(value)
        case "#EXT-X-STREAM-INF":
            self.playlist.isMultivariant = true
            self.expectsVariant = true
        case "#EXT-X-MEDIA":
            self.playlist.isMultivariant = true
            let isText = self.texts(of: value)["TYPE"] == "SUBTITLES"
            self.refer(value, "URI", as: .rendition(isText: isText))
        case "#EXT-X-I-FRAME-STREAM-INF", "#EXT-X-IMAGE-STREAM-INF":
            self.playlist.isMultivariant = true
            self.refer(value, "URI", as: .frames)
        case "#EXT-X-SESSION-DATA": self.refer(value, "URI", as: .data)
        case "#EXT-X-DATERANGE":
            self.refer(value, "X-ASSET-URI", as: .asset)
            self.refer(value, "X-ASSET-LIST", as: .data)
        default: break
        }
    }

    private mutating func readURI(_ span: Range<Int>) {
        if self.expectsVariant {
            self.expectsVariant = false
            self.append(.variant, span, bytes: nil)
            return
        }
        let bytes = self.nextBytes.take()
        self.append(.segment, span, bytes: bytes)
        if self.nextSequence < .max { self.nextSequence += 1 }
    }

    /// Adds a key that the player fetches by its URI; other key systems stay unchanged.
    private mutating func readKey(_ value: Range<Int>) {
        let attributes = self.texts(of: value)
        guard attributes["METHOD"] != "NONE",
            ["identity", ""].contains(attributes["KEYFORMAT"] ?? "identity")
        else { return }
        self.refer(value, "URI", as: .key)
    }

    // MARK: URIs

    /// Adds the URI of an attribute.
    private mutating func refer(
        _ list: Range<Int>,
        _ name: String,
        as role: PlaylistReference.Role,
        ranges: String? = nil
    ) {
        var spans: [Range<Int>] = []
        var bytes: ByteCount?
        for attribute in AttributeList(of: self.playlist.text, in: list) {
            let own = self.playlist.text[attribute.name]
            // Players also take a URI without quotes, and one of several.
            if own.elementsEqual(name.utf8), !attribute.value.isEmpty {
                spans.append(attribute.value)
            }
            if let ranges, own.elementsEqual(ranges.utf8) {
                bytes = self.byteCount(attribute.value)
            }
        }
        for span in spans { self.append(role, span, bytes: bytes) }
    }

    private mutating func append(
        _ role: PlaylistReference.Role,
        _ span: Range<Int>,
        bytes: ByteCount?
    ) {
        let uri = String(validating: self.playlist.text[span], as: UTF8.self)
            .flatMap { self.variables.substituted(in: $0) }
        if let uri, Self.isOpaque(uri) {
            // The definitions of its variables are removed from the text.
            if PlaylistVariables.mayBe(in: self.playlist.text[span]) {
                self.playlist.changes.append(.init(span: span, bytes: Array(uri.utf8)))
            }
            return
        }
        self.playlist.references.append(
            PlaylistReference(
                role: role,
                span: span,
                uri: uri,
                sequence: self.playlist.isMultivariant
                    ? Int64(self.playlist.references.count) : self.nextSequence,
                bytes: self.range(bytes, of: uri),
                hasMap: self.hasMap,
                duration: role == .segment ? self.nextDuration.take() : nil
            )
        )
    }

    /// Whether a URI names a FairPlay key (`skd:`) or contains its data (`data:`); these URIs stay
    /// unchanged.
    private static func isOpaque(_ uri: String) -> Bool {
        let start = uri.prefix(5).lowercased()
        return start.hasPrefix("skd:") || start == "data:"
    }

    /// The byte range of a URI; without an offset it begins behind the last range of the same URI.
    private mutating func range(_ bytes: ByteCount?, of uri: String?) -> Range<Int64>? {
        guard let bytes, let uri else { return nil }
        let start = bytes.offset ?? self.ends[uri] ?? 0
        let (end, isTooFar) = start.addingReportingOverflow(bytes.count)
        guard !isTooFar else { return nil }
        self.ends[uri] = end
        return start..<end
    }

    // MARK: Values

    /// Replaces variables in the quoted values of a tag, URIs included.
    ///
    /// A later ``PlaylistEdit/replace(_:with:)`` of the URI takes precedence.
    private mutating func substitute(in list: Range<Int>) {
        guard PlaylistVariables.mayBe(in: self.playlist.text[list]) else { return }
        for attribute in AttributeList(of: self.playlist.text, in: list) where attribute.isQuoted {
            let bytes = self.playlist.text[attribute.value]
            guard PlaylistVariables.mayBe(in: bytes),
                let text = String(validating: bytes, as: UTF8.self),
                let value = self.variables.substituted(in: text)
            else { continue }
            self.playlist.changes.append(.init(span: attribute.value, bytes: Array(value.utf8)))
        }
    }

    /// The attributes of a tag by name; the first of two with the same name counts.
    private func texts(of list: Range<Int>) -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in AttributeList(of: self.playlist.text, in: list) {
            let name = String(decoding: self.playlist.text[attribute.name], as: UTF8.self)
            guard texts[name] == nil else { continue }
            texts[name] = String(decoding: self.playlist.text[attribute.value], as: UTF8.self)
        }
        return texts
    }

    /// A decimal number; a number that does not fit becomes `Int64.max`.
    private func number(_ range: Range<Int>) -> Int64? {
        let digits = self.playlist.text[range].prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0
        }
        guard !digits.isEmpty else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }

    /// `count`, or `count@offset` (RFC 8216 §4.3.2.2).
    private func byteCount(_ range: Range<Int>) -> ByteCount? {
        guard let count = self.number(range) else { return nil }
        guard let at = range.first(where: { self.playlist.text[$0] == UInt8(ascii: "@") }) else {
            return ByteCount(count: count, offset: nil)
        }
        guard let offset = self.number(at + 1..<range.upperBound) else { return nil }
        return ByteCount(count: count, offset: offset)
    }
}
