// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirCache
import WeirHLS
import WeirHTTP
import WeirSharing
import WeirSource

/// One text of a playlist: its items with their addresses, the text for players, and the text for the cache.
struct PlaylistEdition: Sendable {
    /// An item that the playlist names.
    struct Item: Sendable {
        let id: PlaylistItemID
        let role: PlaylistReference.Role
        /// The address, with the signature that the text gave it.
        let url: OriginURL
        /// The address that identifies the item.
        let location: String
        /// The duration of a segment, as the text has it.
        let duration: String?
    }

    let playlist: Playlist
    /// The address of the text, after redirects.
    let base: OriginURL
    /// The origin's entity tag; `nil` without a strong one.
    let originTag: String?
    /// Increases with each text of the playlist in this process.
    let serial: Int
    /// The version of the segments.
    let version: String
    /// Since when the items are immutable, in seconds since 1970; `nil` if they are asked about as
    /// any other file.
    var since: Int64?
    let items: [PlaylistItemID: Item]
    /// The parts of files that the playlist names, by their lower bounds.
    private let parts: [PlaylistItemID: [Range<Int64>]]
    /// The text for the cache: each address is absolute, and without its signature.
    let stored: [UInt8]
    /// The digest of ``stored``, in hexadecimal digits.
    let digest: String

    /// The references with their addresses below the playlist.
    private let targets: [(reference: PlaylistReference, target: String)]

    /// Takes a text from the origin or from the cache.
    ///
    /// - Parameters:
    ///   - playlist: the text.
    ///   - base: the address that relative addresses are resolved against.
    ///   - originTag: the origin's strong entity tag, if any.
    ///   - serial: the number of the text.
    ///   - version: the version of the segments, a part of their identities; empty for the first.
    ///   - list: the playlist's resource and its address.
    ///   - context: the settings of the items.
    ///   - seal: seals the identities of the items.
    init(
        _ playlist: Playlist,
        at base: OriginURL,
        originTag: String?,
        serial: Int,
        version: String = "",
        of list: (identifier: String, url: OriginURL),
        in context: PlaylistContext,
        seal: PlaylistSeal
    ) {
        self.playlist = playlist
        self.base = base
        self.originTag = originTag
        self.serial = serial
        self.version = version
        var stored = PlaylistEdit(of: playlist)
        var items: [PlaylistItemID: Item] = [:]
        var parts: [PlaylistItemID: [Range<Int64>]] = [:]
        var targets: [(PlaylistReference, String)] = []
        let found = Self.resolved(playlist, at: base, in: context)
        for (reference, address) in zip(playlist.references, found) {
            let isNumbered = reference.role == .segment && reference.bytes == nil
            var location = address?.location ?? ""
            if playlist.life == .live, isNumbered {
                // An encoder uses the names of a live stream again, in turn.
                location += "\n\(reference.sequence)"
            }
            if !version.isEmpty, !reference.role.isPlaylist { location += "\nversion \(version)" }
            let id = PlaylistItemID(
                sequence: isNumbered ? reference.sequence.addingClamped(1) : 0,
                identifier: ResourceKey(
                    location: location,
                    scope: address.map { context.scope(of: $0.url) } ?? context.scope,
                    display: ""
                ).identifier
            )
            if let address {
                items[id] = Item(
                    id: id,
                    role: reference.role,
                    url: address.url,
                    location: location,
                    duration: reference.duration
                )
            }
            if let part = reference.bytes { parts[id, default: []].append(part) }
            stored.replace(reference, with: address?.location ?? Self.unusable)
            let name = Self.name(of: reference, address?.url, isText: context.isText)
            let text = seal.text(of: id, in: list.identifier)
            targets.append((reference, "\(NestedTarget.mark)/\(text)/\(name)"))
        }
        self.items = items
        self.parts = parts.mapValues { parts in
            parts.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        }
        self.targets = targets
        let place = context.location(of: base)
        let isMoved = place != context.location(of: list.url)
        self.stored = isMoved ? Self.adding(place, to: stored.text) : stored.text
        self.digest = Self.digest(of: self.stored)
    }

    /// The text for a player.
    ///
    /// - Parameters:
    ///   - name: the last component of the address by which the player asked for the playlist.
    ///   - query: a query for the addresses of the items, with its question mark; empty for none.
    /// - Returns: the bytes of the text.
    func text(below name: Substring, query: String) -> [UInt8] {
        // A colon in the first segment of a relative reference would end a scheme (RFC 3986 §4.2).
        let start = name.utf8.contains(UInt8(ascii: ":")) ? "./\(name)/" : "\(name)/"
        let prefix = name.isEmpty ? "" : start.replacing("\"", with: "%22")
        var edit = PlaylistEdit(of: self.playlist)
        for (reference, target) in self.targets {
            edit.replace(reference, with: "\(prefix)\(target)\(query)")
        }
        return edit.text
    }

    /// The item that takes the place of an item of a former text, whose address was refused.
    ///
    /// Without the same address, it is the segment with the same number, if nothing else changed.
    func successor(of item: Item, in former: PlaylistEdition?) -> Item? {
        if let same = self.items[item.id] { return same }
        guard item.id.sequence > 0, let former,
            former.playlist.references.count == self.playlist.references.count
                || self.playlist.life == .live
        else { return nil }
        let found = self.items.values.first {
            $0.id.sequence == item.id.sequence && $0.role == .segment
        }
        return found?.duration == item.duration ? found : nil
    }

    /// The end of the part of a file that a position is in; of parts that overlap, the last to begin
    /// counts.
    func partEnd(of id: PlaylistItemID, at position: Int64) -> Int64? {
        let parts = self.parts[id] ?? []
        // The first part that begins behind the position.
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].lowerBound > position { high = middle } else { low = middle + 1 }
        }
        // Parts hardly ever overlap, so the part before it is nearly always the right one.
        return parts[..<low].last { $0.contains(position) }?.upperBound
    }

    /// How long a text of this playlist counts as current while it changes.
    var targetDuration: Duration { .seconds(min(self.playlist.targetDuration ?? 10, 3600)) }

    /// The text for the other processes of the cache folder.
    var shared: SharedText {
        var text = SharedText(
            self.playlist.text,
            at: self.base.location(),
            entityTag: self.originTag
        )
        text.lasts = self.targetDuration
        return text
    }

    // MARK: Addresses

    /// The start of the last line of a stored text whose address is not that of its resource.
    private static let baseStart = "#EXT-X-DEFINE:NAME=\"weir:base\",VALUE=\""

    /// The stored text with the address that redirects led to; no player gets this line.
    private static func adding(_ place: String, to text: [UInt8]) -> [UInt8] {
        var text = text
        if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        return text + "\(self.baseStart)\(place)\"\n".utf8
    }

    /// The address in the last line of a stored text; `nil` if it is that of the resource.
    ///
    /// A text of an origin keeps no such line in its stored form.
    static func base(ofStored text: [UInt8]) -> OriginURL? {
        let line = text.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { text[($0 + 1)...] }
        guard let line, line.starts(with: self.baseStart.utf8) else { return nil }
        let value = line.dropFirst(self.baseStart.utf8.count).prefix { $0 != UInt8(ascii: "\"") }
        return try? OriginURL(String(decoding: value, as: UTF8.self))
    }

    /// What stands in the stored text for an address that cannot be requested.
    private static let unusable = "unusable:"
    /// The start of the fragment that tells apart items whose addresses differ in their signatures alone.
    private static let fragmentStart = "#weir-"

    private static func resolved(
        _ playlist: Playlist,
        at base: OriginURL,
        in context: PlaylistContext
    ) -> [(url: OriginURL, location: String)?] {
        var found: [(url: OriginURL, location: String)?] = playlist.references.map { reference in
            guard let uri = reference.uri, let url = try? base.resolving(uri) else { return nil }
            let location = context.location(of: url)
            if let known = uri.firstRange(of: Self.fragmentStart) {
                return (url, location + uri[known.lowerBound...])
            }
            // Requests without the signature must not find these bytes, or put others in their place.
            guard context.isSigned(url) else { return (url, location) }
            let signed = "\(location)\(Self.fragmentStart)signed"
            let query = url.query ?? ""
            // A key whose only part is a token may be told from others by the token alone.
            guard [.key, .map].contains(reference.role), !PlaylistSignature.hasTime(query) else {
                return (url, signed)
            }
            return (url, "\(signed)-\(Self.digest(of: Array(query.utf8)).prefix(16))")
        }
        // If a signature is all that tells two items apart, it is part of their identities. A digest of it takes its place.
        var whole: [String: String] = [:]
        var ambiguous: Set<String> = []
        for case let address? in found {
            let own = address.url.location()
            if let other = whole.updateValue(own, forKey: address.location), other != own {
                ambiguous.insert(address.location)
            }
        }
        guard !ambiguous.isEmpty else { return found }
        for index in found.indices {
            guard let address = found[index], ambiguous.contains(address.location) else { continue }
            let digest = Self.digest(of: Array(address.url.location().utf8))
            found[index]?.location += "-\(digest.prefix(16))"
        }
        return found
    }

    // MARK: Names

    /// The extensions that players accept for segments.
    private static let segmentEnds: Set<String> = [
        "3gp", "aac", "ac3", "avi", "eac3", "ec3", "flac", "m2ts", "m4a", "m4s", "m4v", "mka",
        "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "mts", "oga", "ogg", "ogv", "opus", "ts", "vtt",
        "wav", "webm", "webvtt", "cmfa", "cmft", "cmfv",
    ]

    /// The name of an item: players refuse a segment without an extension that they know.
    private static func name(
        of reference: PlaylistReference,
        _ url: OriginURL?,
        isText: Bool
    ) -> String {
        let own = url?.fileExtension.flatMap { Self.segmentEnds.contains($0) ? $0 : nil }
        switch reference.role {
        case .variant, .rendition, .frames, .asset: return "list.m3u8"
        case .key: return "key.key"
        case .data: return "data.json"
        case .map: return "init.\(own ?? "mp4")"
        case .segment:
            let end = own ?? (isText ? "vtt" : reference.hasMap ? "m4s" : "ts")
            return reference.bytes == nil ? "\(reference.sequence).\(end)" : "media.\(end)"
        }
    }
}

extension PlaylistEdition {
    /// The digest of a text, in hexadecimal digits.
    static func digest(of text: [UInt8]) -> String { SHA256.hash(data: text).hexadecimal }
}
