// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP
import WeirSource

/// Paths in the URLs for players.
enum ServedPath {
    private static let slash = UInt8(ascii: "/")

    /// A path for a URL: everything that is not allowed there is percent-encoded.
    static func encoded(_ path: FolderPath) -> String {
        let components = path.componentBytes.map { PercentCoding.component($0) }
        guard !components.isEmpty else { return "/" }
        return "/\(components.joined(separator: "/"))\(path.isFolder ? "/" : "")"
    }

    /// The path and query of a text that starts with a slash, in the form of a request line.
    ///
    /// Only characters that are not allowed in URLs, such as a space, are encoded. A fragment is
    /// left out.
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
    /// The search is by bytes, as the origin reads the target: in a string, a combining mark
    /// changes the character before it.
    static func path(of target: Substring) -> Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The path and the query of a target in the form of a request line; `nil` for control
    /// characters.
    static func asked(_ target: Substring) -> (path: String, query: String)? {
        let path = self.path(of: target)
        guard let asked = try? PercentCoding.requestLineText(path),
            let query = try? PercentCoding.requestLineText(target[path.endIndex...])
        else { return nil }
        return (asked, query)
    }

    /// The decoded path of a target; `nil` if it is invalid, or leads out of its folder in any
    /// spelling.
    static func decoded(_ target: Substring) -> FolderPath? {
        let path = self.path(of: target)
        return self.climbs(path) ? nil : try? FolderPath(bytes: PercentCoding.decodedBytes(path))
    }

    /// The extensions of playlists, whose lines name other files.
    private static let playlistEnds =
        [".m3u", ".m3u8", ".pls", ".xspf", ".mpd"] + PathKind.untypedLists.map { ".\($0)" }

    /// Whether a name has the extension of a playlist; players also open files beside and below a
    /// playlist.
    static func isPlaylist(_ name: String) -> Bool {
        let name = name.lowercased()
        return Self.playlistEnds.contains(where: name.hasSuffix)
    }

    /// Whether a player may open a target, given the URL of one medium, folder or playlist.
    ///
    /// The player may open the medium itself, the files in the folder, and the files beside and
    /// below the playlist. The player may spell the path differently.
    static func opens(_ target: Substring, named: String) -> Bool {
        // Compare bytes throughout: as strings, names in different normal forms are equal, but an
        // origin distinguishes them.
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

    /// Whether a path contains a spelling of `..`, an encoded slash, or a zero byte, however often
    /// encoded.
    ///
    /// A path that leaves the folder on some servers is refused for all servers, since a request
    /// contains the user's credentials.
    static func climbs(_ path: Substring) -> Bool {
        let once = PercentCoding.decodedBytes(path)
        let slashCount = path.utf8.count { $0 == self.slash }
        guard once.count(where: { $0 == self.slash }) == slashCount else { return true }
        let isDecoded = once.count == path.utf8.count && once.allSatisfy { 0x20 < $0 && $0 < 0x7F }
        return !isDecoded && DotSegments.fullyDecoded(once).contains(0)
            || DotSegments.areIn(path.utf8)
    }
}
