// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source that has further sources below its address, such as the segments of a playlist.
package protocol NestingSource: ByteSource {
    /// The source below this one; `nil` if the names do not lead to one.
    ///
    /// Returns at once; the source that it returns may need requests before it has bytes.
    ///
    /// - Parameter names: the names of the levels below, from the outermost on.
    /// - Returns: the source.
    func source(below names: [Substring]) -> (any ByteSource)?
}

/// A source whose bytes a playlist names in parts.
package protocol PartedSource: ByteSource {
    /// The end of the part that a position is in; `nil` if it is in none.
    ///
    /// A player that asks for all bytes from a position on gets those of the part: it wants no
    /// others, and would leave most of them unread. Returns at once.
    func partEnd(at position: Int64) -> Int64?
}

/// A target of the form `LIST/~hls/ID/NAME`, which may repeat: `LIST/~hls/ID/NAME/~hls/ID/NAME`.
///
/// An `ID` begins with a tilde, or has at least 24 letters of base64url. So an origin's own folder `~hls` is part of an
/// ordinary path unless the names in it look like this; written as `%7Ehls`, it always is.
package struct NestedTarget: Hashable, Sendable {
    /// The segment of the path in front of each `ID`.
    package static let mark = "~hls"
    /// The least letters of an `ID` without a tilde.
    private static let leastLetters = 24

    /// The path of the outermost list, perhaps without a slash at its end.
    package let base: Substring
    package let query: Substring
    /// The `ID` of each level; empty if the path does not end like one of these addresses.
    package let names: [Substring]

    /// Reads a target; `nil` if it does not have this form.
    package init?(_ target: Substring) {
        guard target.utf8.contains(UInt8(ascii: "~")) else { return nil }
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let parts = target[..<end].split(separator: "/", omittingEmptySubsequences: false)
        guard
            let first = parts.indices.first(where: { index in
                parts[index] == Self.mark && index + 1 < parts.endIndex
                    && Self.isID(parts[index + 1])
            }), first > 0
        else { return nil }
        self.base = target[..<parts[first - 1].endIndex]
        self.query = target[end...]
        let levels = parts[first...]
        var names: [Substring] = []
        for index in stride(from: levels.startIndex, to: levels.endIndex, by: 3) {
            guard levels[index] == Self.mark, index + 2 < levels.endIndex,
                !levels[index + 2].isEmpty
            else {
                self.names = []
                return
            }
            names.append(levels[index + 1])
        }
        self.names = names
    }

    private static func isID(_ text: Substring) -> Bool {
        if text.utf8.first == UInt8(ascii: "~") { return true }
        return text.utf8.count >= self.leastLetters
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
