// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The variables of a playlist: `{$name}` stands for a value (draft-pantos-hls-rfc8216bis §4.3).
struct PlaylistVariables {
    /// The values by name.
    private(set) var values: [String: String] = [:]
    /// How many bytes the values may still add to the text.
    private var budget = PlaylistLimits.bytes
    /// The variables of the multivariant playlist, for `IMPORT`.
    private let imported: [String: String]
    /// The query of the playlist's address, percent-decoded, for `QUERYPARAM`.
    private let query: [String: String]

    init(importing imported: [String: String], query: [String: String]) {
        self.imported = imported
        self.query = query
    }

    /// Takes the attributes of an `EXT-X-DEFINE`.
    ///
    /// A value that no quoted string may have (RFC 8216 §4.2), such as one from a query, has no effect. Neither has
    /// one with the start of a variable, which the player would take for a variable in its text.
    mutating func define(_ attributes: [String: String]) {
        let found: (name: String, value: String)? =
            if let name = attributes["NAME"], let value = attributes["VALUE"] {
                (name, value)
            } else if let name = attributes["IMPORT"], let value = self.imported[name] {
                (name, value)
            } else if let name = attributes["QUERYPARAM"], let value = self.query[name] {
                (name, value)
            } else {
                nil
            }
        guard let found, !found.value.contains(where: { $0 == "\"" || $0.isNewline }),
            Self.start(in: found.value[...]) == nil
        else { return }
        self.values[found.name] = found.value
    }

    /// A text with the values of its variables; `nil` if a variable is not defined, or the
    /// text gets longer than ``PlaylistLimits/lineBytes``.
    ///
    /// Variables inside of a value are not replaced.
    mutating func substituted(in text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let start = Self.start(in: rest) {
            let name = rest[rest.utf8.index(start, offsetBy: 2)...]
            guard let end = name.utf8.firstIndex(of: UInt8(ascii: "}")) else { break }
            guard let value = self.values[String(name[..<end])] else { return nil }
            result += rest[..<start]
            result += value
            self.budget -= value.utf8.count
            guard result.utf8.count <= PlaylistLimits.lineBytes, self.budget >= 0 else {
                return nil
            }
            rest = name[name.utf8.index(after: end)...]
        }
        return result + rest
    }

    /// Whether a text has the start of a variable.
    static func mayBe(in text: ArraySlice<UInt8>) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "{") && $1 == UInt8(ascii: "$") }
    }

    private static func start(in text: Substring) -> Substring.Index? {
        var index = text.utf8.startIndex
        while let brace = text.utf8[index...].firstIndex(of: UInt8(ascii: "{")) {
            let next = text.utf8.index(after: brace)
            if next < text.utf8.endIndex, text.utf8[next] == UInt8(ascii: "$") { return brace }
            index = next
        }
        return nil
    }
}
