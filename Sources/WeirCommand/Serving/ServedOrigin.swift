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

    /// The URL behind a path and query, if it lies at or below the base.
    func url(for target: Substring) -> OriginURL? {
        let path = target.prefix { $0 != "?" }
        let folder = self.base.path.hasSuffix("/") ? self.base.path : "\(self.base.path)/"
        guard path == self.base.path || path.hasPrefix(folder), !ServedPath.climbs(path) else {
            return nil
        }
        let query =
            path.endIndex == target.endIndex && path == self.base.path
            ? self.base.query.map { "?\($0)" } ?? "" : ""
        return try? OriginURL("\(self.prefix)\(target)\(query)")
    }
}
