// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirCache
import WeirHLS
import WeirHTTP
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
    }

    let playlist: Playlist
    /// The address of the text, after redirects.
    let base: OriginURL
    /// The origin's entity tag; `nil` without a strong one.
    let originTag: String?
    /// Increases with each text of the playlist in this process.
    let serial: Int
    let items: [PlaylistItemID: Item]
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
    ///   - identifier: the identifier of the playlist's resource.
    ///   - context: the settings of the items.
    ///   - seal: seals the identities of the items.
    init(
        _ playlist: Playlist,
        at base: OriginURL,
        originTag: String?,
        serial: Int,
        of identifier: String,
        in context: PlaylistContext,
        seal: PlaylistSeal
    ) {
        self.playlist = playlist
        self.base = base
        self.originTag = originTag
        self.serial = serial
        var stored = PlaylistEdit(of: playlist)
        var items: [PlaylistItemID: Item] = [:]
        var targets: [(PlaylistReference, String)] = []
        let found = Self.resolved(playlist, at: base, in: context)
        for (reference, address) in zip(playlist.references, found) {
            let isPart = reference.role != .segment || reference.bytes != nil
            let number = isPart ? 0 : reference.sequence
            let id = PlaylistItemID(
                sequence: number,
                identifier: ResourceKey(
                    location: address?.location ?? "",
                    scope: context.scope,
                    display: ""
                ).identifier
            )
            if let address {
                items[id] = Item(
                    id: id,
                    role: reference.role,
                    url: address.url,
                    location: address.location
                )
            }
            stored.replace(reference, with: address?.location ?? Self.unusable)
            let name = Self.name(of: reference, number, address?.url, isText: context.isText)
            let text = seal.text(of: id, in: identifier)
            targets.append((reference, "\(NestedTarget.mark)/\(text)/\(name)"))
        }
        self.items = items
        self.targets = targets
        self.stored = stored.text
        self.digest = SHA256.hash(data: self.stored).hexadecimal
    }

    /// The text for a player.
    ///
    /// - Parameters:
    ///   - name: the last component of the address by which the player asked for the playlist.
    ///   - query: a query for the addresses of the items, with its question mark; empty for none.
    func text(below name: Substring, query: String) -> [UInt8] {
        // A colon in the first segment of a relative reference would end a scheme (RFC 3986 §4.2).
        let start =
            name.isEmpty ? "./" : name.utf8.contains(UInt8(ascii: ":")) ? "./\(name)" : "\(name)"
        let prefix = start.replacing("\"", with: "%22")
        var edit = PlaylistEdit(of: self.playlist)
        for (reference, target) in self.targets {
            edit.replace(reference, with: "\(prefix)/\(target)\(query)")
        }
        return edit.text
    }

    /// The item with an identity; after a reload, a segment is also found by its number alone.
    func item(_ id: PlaylistItemID, alsoByNumber: Bool = false) -> Item? {
        if let item = self.items[id] { return item }
        guard alsoByNumber, id.sequence > 0 else { return nil }
        return self.items.values.first { $0.id.sequence == id.sequence && $0.role == .segment }
    }

    // MARK: Addresses

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
            let fragment =
                uri.firstRange(of: Self.fragmentStart).map { uri[$0.lowerBound...] } ?? ""
            return (url, context.location(of: url) + fragment)
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
            let digest = SHA256.hash(data: Array(address.url.location().utf8)).hexadecimal
            found[index]?.location += "\(Self.fragmentStart)\(digest.prefix(16))"
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
        _ number: Int64,
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
            return reference.bytes == nil ? "\(number).\(end)" : "media.\(end)"
        }
    }
}

extension PlaylistEdition {
    /// The digest of a text, in hexadecimal digits.
    static func digest(of text: [UInt8]) -> String { SHA256.hash(data: text).hexadecimal }
}
