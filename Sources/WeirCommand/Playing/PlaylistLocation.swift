// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirAudio
import WeirHTTP
import WeirSource

/// The location of a playlist, or of one of its entries.
enum PlaylistLocation: Hashable, Sendable {
    /// An `http` or `https` URL.
    case url(String)
    /// A file in the storage of the playlist.
    case path(FolderPath)
    /// A file of this computer.
    case file(String)

    /// The possible meanings of a playlist's entry, the likeliest first; empty if none is playable.
    ///
    /// An entry may contain the file's exact name, backslashes from another system, or percent
    /// escapes, which XSPF requires. The last candidates are the other Unicode normal forms of
    /// these spellings, since another system may write `é` as two characters.
    static func candidates(_ location: String, in kind: Playlist.Kind, from playlist: Self)
        -> [Self]
    {
        var spellings = [location]
        if case .url = playlist {
            spellings = Self.normalForms(ofURL: location)
        } else if location.firstRange(of: "://") == nil {
            spellings.append(location.replacing("\\", with: "/"))
            let decoded = spellings.compactMap(\.removingPercentEncoding)
            spellings = kind == .xspf ? decoded + spellings : spellings + decoded
            spellings += spellings.flatMap {
                [$0.precomposedStringWithCanonicalMapping, $0.decomposedStringWithCanonicalMapping]
            }
        }
        var found: [Self] = []
        for case let candidate? in spellings.map({ Self($0, from: playlist) })
        where !found.contains(candidate) {
            found.append(candidate)
        }
        return found
    }

    /// The spellings of an entry in a list at a URL: as written, and in the other Unicode normal
    /// forms.
    private static func normalForms(ofURL location: String) -> [String] {
        var text = location
        // Decode the escapes, unless they stand for characters that have a meaning in a URL.
        if let decoded = location.removingPercentEncoding, decoded != location,
            !decoded.contains(where: { "%?#".contains($0) })
        {
            text = decoded
        }
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [location] }
        return [
            location, text.precomposedStringWithCanonicalMapping,
            text.decomposedStringWithCanonicalMapping,
        ]
    }

    /// Compares two locations by their bytes.
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.url(let left), .url(let right)), (.file(let left), .file(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.path(let left), .path(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .url(let text), .file(let text): hasher.combine(Array(text.utf8))
        case .path(let path): hasher.combine(path)
        }
    }

    /// Resolves one spelling of an entry; `nil` if it is not playable.
    ///
    /// A playlist from another computer cannot refer to files on this one.
    init?(_ location: String, from playlist: PlaylistLocation) {
        let scheme = location.firstRange(of: "://").map { location[..<$0.lowerBound].lowercased() }
        if scheme == "http" || scheme == "https" {
            self = .url(location)
            return
        }
        switch playlist {
        case .url(let list):
            guard scheme == nil, let text = Self.absolute(location, from: list) else { return nil }
            self = .url(text)
        case .path(let list):
            guard scheme == nil, let path = Self.path(location, from: list) else { return nil }
            self = .path(path)
        case .file(let list):
            switch scheme {
            case nil:
                let slash = list.utf8.lastIndex(of: UInt8(ascii: "/")) ?? list.startIndex
                self = .file(
                    location.hasPrefix("/") ? location : "\(list[..<slash])/\(location)"
                )
            case "file"?: self = .file(location)
            default: return nil
            }
        }
    }

    /// Resolves a reference to a URL, and encodes characters that are not allowed in URLs.
    private static func absolute(_ location: String, from list: String) -> String? {
        guard let resolved = try? OriginURL(list).resolving(location) else { return nil }
        let query = resolved.query.map { "?\($0)" } ?? ""
        return "\(resolved.display)\(query)"
    }

    private static func path(_ location: String, from list: FolderPath) -> FolderPath? {
        let slash = UInt8(ascii: "/")
        var names: [[UInt8]] =
            location.utf8.first == slash ? [] : Array(list.componentBytes.dropLast())
        for name in location.utf8.split(separator: slash).map(Array.init) {
            switch name {
            case [0x2E]: continue
            case [0x2E, 0x2E]: _ = names.popLast()
            default: names.append(name)
            }
        }
        return try? FolderPath(bytes: Array(names.joined(separator: [slash])))
    }
}

/// The kind of an entry, according to the playlist and the entry's name.
enum PlaylistPromise: Hashable, Sendable {
    /// A stream without an end.
    case station
    /// A file with an end, or an entry that is not a stream.
    case file
    /// A request must show the kind, as for a URL on the command line.
    case asked
    case nothing

    init(_ entry: Playlist.Entry, at location: PlaylistLocation?) {
        switch Self.kind(of: location) {
        // Many lists of files have no lengths, or mark each length as unknown.
        case .audio? where entry.seconds == nil && entry.isEndless: self = .nothing
        case .folder?, .unknown?:
            self = entry.seconds != nil ? .file : entry.isEndless ? .station : .nothing
        case .audio?, .playlist?, nil: self = .file
        }
    }

    /// The kind by which an entry is resolved.
    ///
    /// If a list has a single entry, and this entry has no length, a request is necessary: the URLs
    /// of many stations end like the URLs of sound files.
    ///
    /// - Parameters:
    ///   - entry: the entry.
    ///   - location: the entry's likeliest location.
    ///   - isOnly: whether the list has no other entry.
    ///   - others: the kind of entries without a kind of their own, if known.
    init(
        _ entry: Playlist.Entry,
        at location: PlaylistLocation?,
        isOnly: Bool,
        orElse others: PlaylistPromise
    ) {
        let promise = Self(entry, at: location)
        let kind = Self.kind(of: location)
        if promise == .nothing, others != .nothing {
            self = others
        } else if isOnly, promise != .station, entry.seconds == nil, kind != nil, kind != .playlist
        {
            self = .asked
        } else {
            self = promise
        }
    }

    /// The kind that the path of a URL suggests; `nil` for other locations.
    private static func kind(of location: PlaylistLocation?) -> PathKind? {
        guard case .url(let text)? = location,
            let url = try? OriginURL(OriginURL.withPath(text))
        else { return nil }
        return PathKind(path: url.path)
    }
}

extension Playlist {
    /// How many bytes show whether a file is a playlist.
    static let markByteCount = 1024
    /// A larger file with the name or type of sound is not examined.
    static let mostTypedAsSound: Int64 = 64 << 10

    /// Whether a file is a playlist, by its first bytes; HLS does not count, since it lists no
    /// streams.
    ///
    /// - Parameter bytes: the first ``markByteCount`` bytes, or all; treated as the whole content.
    /// - Returns: whether the file is a playlist.
    static func begins(with bytes: [UInt8]) -> Bool {
        switch AudioTypeGuess.guess(ByteMemory(bytes), isWhole: true) {
        case .playlist(let kind): kind != .hls
        default: false
        }
    }

    /// Reads a playlist; `display` ends with its file name.
    ///
    /// - Throws: ``CommandError`` with `content`; `SourceError`, `CancellationError`.
    static func read(_ media: Media, of display: String) async throws -> Playlist {
        var bytes: [UInt8] = []
        // One byte more than the limit shows that the playlist is too long.
        let most = Int64(Self.maximumByteCount) + 1
        for try await chunk in try await media.read(.span(0..<most)) {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
            if bytes.count >= most { break }
        }
        return try Playlist(read: bytes, of: display)
    }

    /// Parses bytes as a playlist.
    ///
    /// If only the name shows that the file is M3U, it is a list of files.
    ///
    /// - Throws: ``CommandError`` with `content`.
    init(read bytes: [UInt8], of display: String) throws(CommandError) {
        do {
            try self.init(ByteMemory(bytes))
        } catch {
            let name = display.lowercased()
            if error.code == .unrecognized, name.hasSuffix(".m3u") || name.hasSuffix(".m3u8"),
                !bytes.contains(0),
                let list = try? Playlist(ByteMemory(bytes), kind: .m3u)
            {
                self = list
                return
            }
            throw CommandError.content("\(display): \(error.ownerSentence)")
        }
    }
}

extension Media {
    /// Whether the medium is a playlist, by its first bytes.
    ///
    /// A medium that is empty, too long, of unknown length, or unreadable is not a playlist.
    ///
    /// - Parameter length: the length; `nil` for the length that the cache knows.
    /// - Returns: whether the medium is a playlist.
    func beginsAsPlaylist(ofLength length: Int64? = nil) async -> Bool {
        guard let length = length ?? self.availability.length, length > 0,
            length <= Playlist.mostTypedAsSound
        else { return false }
        let count = min(length, Int64(Playlist.markByteCount))
        var bytes: [UInt8] = []
        do {
            for try await chunk in try await self.read(.span(0..<count)) {
                try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        } catch {
            // Playback reports why the medium cannot be read.
            return false
        }
        return Playlist.begins(with: bytes)
    }
}
