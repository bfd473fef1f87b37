// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// An origin under its name: which URLs of it are served, and what is asked of it.
struct ServedOrigin: Sendable {
    /// The first piece of the path, as players see it.
    let name: String
    /// What was given: a folder, or one resource.
    let base: OriginURL
    /// Everything before the path, user information included; never printed.
    private let prefix: String

    /// Takes an `http` or `https` URL under a name.
    ///
    /// - Throws: ``SourceError`` with `invalidRequest`.
    init(name: String, url text: String) throws(SourceError) {
        self.name = name
        self.base = try OriginURL(text)
        self.prefix = ServedPath.site(of: text)
    }

    /// The URL behind a path and query, if it lies at or below the base, or beside a base that is a playlist; what lies
    /// at the base is the user's own word.
    func url(for target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        let isBase = path == self.base.path
        guard isBase || self.isBelow(self.folder, path) else { return nil }
        let query =
            path.endIndex == target.endIndex && isBase ? self.base.query.map { "?\($0)" } ?? "" : ""
        return try? OriginURL("\(self.prefix)\(target)\(query)")
    }

    /// What is served below the base: of a playlist what lies in its folder, since its lines name that.
    private var folder: String {
        let path = self.base.path
        if path.hasSuffix("/") { return path }
        guard ThingScope.isPlaylist(path), let slash = path.lastIndex(of: "/") else {
            return "\(path)/"
        }
        return String(path[...slash])
    }

    /// By bytes, as the origin will read it.
    private func isBelow(_ folder: String, _ path: Substring) -> Bool {
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let below = path.utf8.index(path.startIndex, offsetBy: folder.utf8.count)
        return !ServedPath.climbs(path[below...])
    }
}
