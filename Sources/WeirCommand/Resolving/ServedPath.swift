// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP
import WeirSource

/// Paths as they stand in URLs that players are given.
enum ServedPath {
    private static let slash = UInt8(ascii: "/")

    /// A path with everything percent-encoded that a URL's path cannot hold as it is.
    static func encoded(_ path: FolderPath) -> String {
        let components = path.componentBytes.map { PercentCoding.component($0) }
        guard !components.isEmpty else { return "/" }
        return "/\(components.joined(separator: "/"))\(path.isFolder ? "/" : "")"
    }

    /// Path and query of a text that starts with a slash, as a request line carries them.
    ///
    /// Characters that no URL can carry, such as a space, are encoded, and no others; a fragment is left out.
    ///
    /// - Throws: `SourceError` with `invalidRequest` for control characters.
    static func target(_ text: String) throws(SourceError) -> String {
        var text = text[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        if let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text = text[..<hash] }
        return try PercentCoding.requestLineText(text)
    }

    /// The path of a target, without its query.
    ///
    /// By bytes, as the origin will read it: to a string, a sign with a combining mark behind it is another one.
    static func path(of target: Substring) -> Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// Path and query of a target, each byte as the request line to a web server carries it; `nil` for control
    /// characters.
    static func asked(_ target: Substring) -> (path: String, query: String)? {
        let path = self.path(of: target)
        guard let asked = try? PercentCoding.requestLineText(path),
            let query = try? PercentCoding.requestLineText(target[path.endIndex...])
        else { return nil }
        return (asked, query)
    }

    /// The path that a target names; `nil` if it is not one, or leads upwards in any spelling.
    static func decoded(_ target: Substring) -> FolderPath? {
        let path = self.path(of: target)
        return self.climbs(path) ? nil : try? FolderPath(bytes: PercentCoding.decodedBytes(path))
    }

    /// The ends of the names of playlists whose lines name other files.
    private static let playlistEnds =
        [".m3u", ".m3u8", ".pls", ".xspf", ".mpd"] + PathKind.untypedLists.map { ".\($0)" }

    /// Whether a file is a playlist, by the end of its name: players open files beside and below it, too.
    static func isPlaylist(_ name: String) -> Bool {
        let name = name.lowercased()
        return Self.playlistEnds.contains(where: name.hasSuffix)
    }

    /// Whether a player may open a target where it was given the URL of one medium, folder or playlist.
    ///
    /// That is the medium itself, what lies in the folder, and what lies beside and below the playlist. The player may
    /// spell the path in another way than it was given.
    static func opens(_ target: Substring, named: String) -> Bool {
        // By bytes throughout: two names that look alike, or a sign with a combining mark behind it, are the same to
        // strings, and not to an origin.
        if target.utf8.elementsEqual(named.utf8) { return true }
        guard let asked = Self.decoded(target), let given = Self.decoded(named[...]) else {
            return false
        }
        var folder = given.components[...]
        if !given.isFolder {
            if Self.areSame(asked.components, given.components), !asked.isFolder {
                return Self.query(of: target).elementsEqual(Self.query(of: named[...]))
            }
            guard Self.isPlaylist(folder.popLast() ?? "") else { return false }
        }
        return asked.components.count >= folder.count
            && Self.areSame(asked.components.prefix(folder.count), folder)
    }

    private static func areSame(
        _ left: some Sequence<String>,
        _ right: some Sequence<String>
    ) -> Bool {
        left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
    }

    private static func query(of target: Substring) -> Substring.UTF8View {
        target.utf8.drop { $0 != UInt8(ascii: "?") }
    }

    /// Whether a path leads upwards in a spelling that some server takes for `..`, or holds an encoded slash, or a zero
    /// however often it is encoded.
    ///
    /// A path that leaves the folder for one server is refused for all, since its request carries the user's credentials.
    static func climbs(_ path: Substring) -> Bool {
        let once = PercentCoding.decodedBytes(path)
        let slashCount = path.utf8.count { $0 == self.slash }
        guard once.count(where: { $0 == self.slash }) == slashCount else { return true }
        return DotSegments.fullyDecoded(once).contains(0) || DotSegments.areIn(path.utf8)
    }
}
