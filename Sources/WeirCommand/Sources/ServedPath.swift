// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirHTTP

/// Paths as they stand in URLs that players are given.
enum ServedPath {
    /// A path with everything percent-encoded that a URL's path cannot hold as it is.
    static func encoded(_ path: FolderPath) -> String {
        let components = path.components.map { PercentCoding.component($0) }
        guard !components.isEmpty else { return "/" }
        return "/\(components.joined(separator: "/"))\(path.isFolder ? "/" : "")"
    }

    /// What stands before the path of a URL, user included; never printed.
    static func site(of url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return String(url[..<(url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex)])
    }

    /// The path that a target names; `nil` if it is not one, or leads upwards in any spelling.
    static func decoded(_ target: Substring) -> FolderPath? {
        let path = target.prefix { $0 != "?" }
        guard !self.climbs(path), let text = String(path).removingPercentEncoding else {
            return nil
        }
        return try? FolderPath(text)
    }

    /// Whether a path has a piece that leads upwards, in any spelling.
    static func climbs(_ path: Substring) -> Bool {
        path.split(separator: "/").contains { piece in
            let plain = piece.lowercased().replacing("%2e", with: ".")
            return plain == "." || plain == ".." || plain.contains("%2f") || plain.contains("%5c")
                || plain.contains("%00")
        }
    }
}
