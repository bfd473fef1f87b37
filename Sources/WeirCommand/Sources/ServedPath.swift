// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP

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

    /// What stands before the path of a URL, user included; never printed.
    static func site(of url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return String(url[..<(url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex)])
    }

    /// The path of a target, without its query.
    ///
    /// By bytes, as the origin will read it: with a combining mark behind it a sign is another one to a string.
    static func path(of target: Substring) -> Substring {
        target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The path that a target names; `nil` if it is not one, or leads upwards in any spelling.
    static func decoded(_ target: Substring) -> FolderPath? {
        let path = self.path(of: target)
        return self.climbs(path) ? nil : try? FolderPath(bytes: PercentCoding.decodedBytes(path))
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
