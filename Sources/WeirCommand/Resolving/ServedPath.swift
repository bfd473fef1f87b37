// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP
import WeirSource

/// Paths as they stand in URLs that players are given.
enum ServedPath {
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

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

    /// The path that a target names; `nil` if it is not one, or leads upwards in any spelling.
    static func decoded(_ target: Substring) -> FolderPath? {
        let path = self.path(of: target)
        return self.climbs(path) ? nil : try? FolderPath(bytes: PercentCoding.decodedBytes(path))
    }

    /// The ends of the names of playlists whose lines name other files.
    private static let playlistEnds = [".m3u", ".m3u8", ".pls", ".xspf", ".mpd"]

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
    /// Servers and what stands before them decode once or twice, take `\` for a slash (Windows) and what stands behind
    /// `;` for a parameter (servlets), and cut at a `#` or `?` that came encoded. A path that leaves the folder for one of
    /// them is refused for all, since its request carries the user's credentials. So no name between any two of `/`, `\`,
    /// `;`, `#` and `?` is `..`, however often the path is decoded. Other backslashes and semicolons are signs of names.
    static func climbs(_ path: Substring) -> Bool {
        var bytes = Array(path.utf8)
        let once = PercentCoding.decodedBytes(bytes)
        let slashCount = bytes.count { $0 == self.slash }
        guard once.count(where: { $0 == self.slash }) == slashCount,
            !once.split(separator: self.slash).contains([self.dot])
        else { return true }
        for _ in 0...Self.mostDecodings {
            let names = self.withoutOverlongForms(bytes).split(whereSeparator: self.isSeparator)
            if names.contains([self.dot, self.dot]) { return true }
            let decoded = PercentCoding.decodedBytes(bytes)
            if decoded.contains(0) { return true }
            if decoded == bytes { return false }
            bytes = decoded
        }
        // Nothing is encoded so often but to deceive.
        return true
    }

    /// How often a path may be encoded.
    private static let mostDecodings = 8

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case self.slash, UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"),
            UInt8(ascii: "?"):
            true
        default: false
        }
    }

    /// `.`, `/` and `\` in the two, three or four bytes in which old decoders take them, too (RFC 3629 §10).
    private static func withoutOverlongForms(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        for byte in bytes {
            switch (out.last, byte) {
            // A longer form becomes the next shorter one.
            case (0xF0, 0x80): out[out.count - 1] = 0xE0
            case (0xE0, 0x80): out[out.count - 1] = 0xC0
            case (0xE0, 0x81): out[out.count - 1] = 0xC1
            case (0xC0, 0xAE): out[out.count - 1] = self.dot
            case (0xC0, 0xAF): out[out.count - 1] = self.slash
            case (0xC1, 0x9C): out[out.count - 1] = UInt8(ascii: "\\")
            default: out.append(byte)
            }
        }
        return out
    }
}
