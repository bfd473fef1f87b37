// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirAudio
import WeirHTTP
import WeirSource

/// The location of a playlist, or the one that an entry of it names.
enum PlaylistLocation: Hashable, Sendable {
    /// An `http` or `https` URL.
    case url(String)
    /// A file of the storage that the playlist lies in.
    case path(FolderPath)
    /// A file of this computer.
    case file(String)

    /// What an entry of a playlist may mean, the likeliest first; empty if it names nothing that can be played.
    ///
    /// A path may be written as the file is called, with the backslashes of another system, or with the escapes of a
    /// URL, which XSPF demands. After all of these come their other normal forms, since the system that wrote the list may
    /// write `é` as two signs.
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

    /// A reference in a list at a URL, as it is written and in the other normal forms.
    private static func normalForms(ofURL location: String) -> [String] {
        var text = location
        // What is escaped is text, unless it has signs that have a meaning in a URL.
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

    /// Whether two locations are the same, by their bytes.
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

    /// Resolves an entry of a playlist as it is written; `nil` if it names nothing that can be played.
    ///
    /// A playlist from elsewhere names nothing on this computer.
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

    /// A reference as a URL; characters that a URL cannot carry are encoded.
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

/// What a playlist and the name in it say of an entry.
enum PlaylistPromise: Hashable, Sendable {
    /// It has no end.
    case station
    /// It has one, or is no stream at all.
    case file
    /// It is to be asked, as a URL of the command line is.
    case asked
    case nothing

    init(_ entry: Playlist.Entry, at location: PlaylistLocation?) {
        switch Self.kind(of: location) {
        // Many lists of files have no lengths either, or write each as one that is not known.
        case .audio? where entry.seconds == nil && entry.isEndless: self = .nothing
        case .folder?, .unknown?:
            self = entry.seconds != nil ? .file : entry.isEndless ? .station : .nothing
        case .audio?, .playlist?, nil: self = .file
        }
    }

    /// What is made of an entry whose turn it is.
    ///
    /// The only entry of a list that gives it no length is asked: the addresses of many stations end like those of sound
    /// files.
    ///
    /// - Parameters:
    ///   - entry: the entry.
    ///   - location: the likeliest place that it names.
    ///   - isOnly: whether the list has no other.
    ///   - others: what holds for an entry of which the list says nothing, if that is known.
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

    /// What the path of a URL promises; `nil` for what is no URL.
    private static func kind(of location: PlaylistLocation?) -> PathKind? {
        guard case .url(let text)? = location,
            let url = try? OriginURL(WebAddress.withPath(text))
        else { return nil }
        return PathKind(path: url.path)
    }
}

extension Playlist {
    /// So many bytes tell whether something is a playlist.
    static let markByteCount = 1024
    /// What is longer, and called or typed as sound, is not looked at.
    static let mostTypedAsSound: Int64 = 64 << 10

    /// Whether first bytes are those of a playlist; one of HLS, which is none of streams, does not count.
    ///
    /// - Parameter bytes: ``markByteCount`` of them, or all; they decide, as if no more came.
    /// - Returns: whether they are.
    static func begins(with bytes: [UInt8]) -> Bool {
        switch AudioTypeGuess.guess(ByteMemory(bytes), isWhole: true) {
        case .playlist(let kind): kind != .hls
        default: false
        }
    }

    /// Reads a playlist, whose name in sentences ends with its own.
    ///
    /// - Throws: ``CommandError`` with `content`; `SourceError`, `CancellationError`.
    static func read(_ media: Media, of display: String) async throws -> Playlist {
        var bytes: [UInt8] = []
        // One byte more than a playlist may have.
        let most = Int64(Self.maximumByteCount) + 1
        for try await chunk in try await media.read(.span(0..<most)) {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
            if bytes.count >= most { break }
        }
        return try Playlist(read: bytes, of: display)
    }

    /// Reads bytes; those that only the name tells to be M3U are lines of files.
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
    /// Whether it is a playlist by its first bytes, as far as it is short enough for one that its name does not tell, and
    /// can be read.
    ///
    /// - Parameter length: how long it is; `nil`: what the cache knows of it.
    /// - Returns: whether it is one.
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
            // Why it cannot be read is told when it is played.
            return false
        }
        return Playlist.begins(with: bytes)
    }
}
