// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// What of a source players may open with the URL that they are given.
enum ThingScope: Hashable, Sendable {
    /// All that lies in the source, as it is served.
    case source
    /// What was named, and no more: the medium; of a folder what lies in it; of a playlist also what lies beside and
    /// below it, since that is what its lines name.
    case named

    /// The ends of the names of playlists whose lines name other files.
    private static let playlistEnds = [".m3u", ".m3u8", ".pls", ".xspf", ".mpd"]

    /// Whether a file is a playlist, by the end of its name: players open what lies beside and below it, too.
    static func isPlaylist(_ name: String) -> Bool {
        let name = name.lowercased()
        return Self.playlistEnds.contains(where: name.hasSuffix)
    }

    /// Whether a player may open a target.
    ///
    /// - Parameters:
    ///   - target: a path and a query, as the player sent them; a path may be spelled in another way than it was given.
    ///   - named: the path and query of what was named.
    /// - Returns: false for what was not named; a player is told that it is not there.
    func admits(_ target: Substring, where named: String) -> Bool {
        // By bytes throughout: two names that look alike, or a sign with a combining mark behind it, are the same to
        // strings, and not to an origin.
        guard self == .named, !target.utf8.elementsEqual(named.utf8) else { return true }
        guard let asked = ServedPath.decoded(target),
            let given = ServedPath.decoded(named[...])
        else { return false }
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
}
