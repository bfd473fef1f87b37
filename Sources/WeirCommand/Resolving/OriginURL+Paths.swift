// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP

/// The URLs at and below a URL that the user has named.
extension OriginURL {
    /// The path, with a slash at its end.
    var folder: String { self.path.hasSuffix("/") ? self.path : "\(self.path)/" }

    /// The URL for a path and query on the same site; `nil` if the path is outside this URL.
    ///
    /// The path must be at or below this URL or, if this URL is a playlist, beside it. This URL
    /// itself is always allowed.
    func url(at target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        let isBase = path.utf8.elementsEqual(self.path.utf8)
        guard isBase || self.serves(path) else { return nil }
        let query = path.endIndex == target.endIndex && isBase ? self.query.map { "?\($0)" } : nil
        return try? self.replacing(target: "\(target)\(query ?? "")")
    }

    /// The URL for a path and query below this one; `/` is this URL.
    func url(below target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        guard path.utf8.first == UInt8(ascii: "/"), !ServedPath.climbs(path) else { return nil }
        if target == "/" { return self }
        let below = target[target.utf8.index(after: target.startIndex)...]
        return try? self.replacing(target: "\(self.folder)\(below)")
    }

    /// Whether a path is below this URL, compared by bytes, as the origin reads it.
    ///
    /// For a playlist, the files beside it count, too.
    private func serves(_ path: Substring) -> Bool {
        var folder = self.folder
        if ServedPath.isPlaylist(self.path), let slash = self.path.lastIndex(of: "/") {
            folder = String(self.path[...slash])
        }
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let below = path.utf8.index(path.startIndex, offsetBy: folder.utf8.count)
        return !ServedPath.climbs(path[below...])
    }

    /// The text of a URL, with the path `/` if it has no path; users often write only a host.
    static func withPath(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        guard let end = text[start...].firstIndex(where: { "/?#".contains($0) }) else {
            return "\(text)/"
        }
        return text[end] == "/" ? text : "\(text[..<end])/\(text[end...])"
    }
}
