// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// The URL of a folder or of one resource, and which URLs belong to it.
struct WebAddress: Sendable {
    /// The URL that was given.
    let url: OriginURL
    /// Everything before the path, user information included; never printed.
    private let site: String

    /// A URL that has been read from a text.
    init(_ url: OriginURL, text: String) {
        self.url = url
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        self.site = String(text[..<end])
    }

    /// The path, with a slash at its end.
    var folder: String { self.url.path.hasSuffix("/") ? self.url.path : "\(self.url.path)/" }

    /// The URL of a path and query of the same site.
    ///
    /// It lies at or below this URL, or beside one that is a playlist. The URL itself is what the user named, whatever
    /// is in it.
    func url(at target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        let isBase = path == self.url.path
        guard isBase || self.serves(path) else { return nil }
        let query =
            path.endIndex == target.endIndex && isBase ? self.url.query.map { "?\($0)" } ?? "" : ""
        return try? OriginURL("\(self.site)\(target)\(query)")
    }

    /// The URL of a path and query below this one, which a slash stands for.
    func url(below target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        guard path.utf8.first == UInt8(ascii: "/"), !ServedPath.climbs(path) else { return nil }
        // Without a path the base itself is meant.
        let address =
            path == "/" && target == path
            ? "\(self.site)\(self.url.requestTarget)"
            : "\(self.site)\(self.folder)\(target[target.utf8.index(after: target.startIndex)...])"
        return try? OriginURL(address)
    }

    /// Whether a path lies below this URL, by bytes, as the origin will read it.
    ///
    /// The files that a playlist names lie beside it.
    private func serves(_ path: Substring) -> Bool {
        var folder = self.folder
        if ServedPath.isPlaylist(self.url.path), let slash = self.url.path.lastIndex(of: "/") {
            folder = String(self.url.path[...slash])
        }
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let below = path.utf8.index(path.startIndex, offsetBy: folder.utf8.count)
        return !ServedPath.climbs(path[below...])
    }
}
