// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP

/// A checked URL in the user's spelling, for a folder, a resource or a station; hides user and query.
struct WebAddress: Hashable, Sendable {
    /// The URL in the user's spelling.
    let text: String
    /// The parsed URL.
    let url: OriginURL

    /// The text before the path, including user information; never printed.
    private var site: Substring {
        let start = self.text.firstRange(of: "://")?.upperBound ?? self.text.startIndex
        return self.text.prefix(
            upTo: self.text[start...].firstIndex { "/?#".contains($0) } ?? self.text.endIndex
        )
    }

    /// The path, with a slash at its end.
    var folder: String { self.url.path.hasSuffix("/") ? self.url.path : "\(self.url.path)/" }

    /// The URL for a path and query on the same site; `nil` if it is outside this URL.
    ///
    /// It must be at or below this URL, or, if this is a playlist, beside it. The URL itself is always allowed.
    func url(at target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        let isBase = path.utf8.elementsEqual(self.url.path.utf8)
        guard isBase || self.serves(path) else { return nil }
        let query =
            path.endIndex == target.endIndex && isBase ? self.url.query.map { "?\($0)" } ?? "" : ""
        return try? OriginURL("\(self.site)\(target)\(query)")
    }

    /// The URL for a path and query below this one; `/` is this URL.
    func url(below target: Substring) -> OriginURL? {
        let path = ServedPath.path(of: target)
        guard path.utf8.first == UInt8(ascii: "/"), !ServedPath.climbs(path) else { return nil }
        // `/` alone is the base itself.
        let address =
            path == "/" && target == path
            ? "\(self.site)\(self.url.requestTarget)"
            : "\(self.site)\(self.folder)\(target[target.utf8.index(after: target.startIndex)...])"
        return try? OriginURL(address)
    }

    /// Whether a path is below this URL, compared by bytes, as the origin reads it.
    ///
    /// For a playlist, the files beside it count, too.
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

/// Addresses of stations, which are often only a host.
extension WebAddress {
    /// Reads an address, which may begin with `icy://`; without a path it is the root of its host.
    ///
    /// - Throws: `SourceError` with `invalidRequest`.
    init(station text: String) throws(SourceError) {
        self.init(text: Self.withPath(text), url: try OriginURL(station: text))
    }

    /// The address with a path, which is `/` if it has none.
    static func withPath(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        guard let end = text[start...].firstIndex(where: { "/?#".contains($0) }) else {
            return "\(text)/"
        }
        return text[end] == "/" ? text : "\(text[..<end])/\(text[end...])"
    }
}

extension WebAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scheme, host and path.
    var description: String { self.url.display }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Only ``description``.
    var customMirror: Mirror { Mirror(self, children: ["url": self.description]) }
}
