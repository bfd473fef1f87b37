// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The `ETag` field of a response (RFC 9110 §8.8.3).
struct EntityTag: Hashable {
    /// The tag with its quotes, without `W/`.
    let quoted: String
    /// Whether the origin marked it as weak: equal tags do not mean equal bytes.
    let isWeak: Bool
    /// Whether the origin left out the quotes, as Yandex.Disk does.
    ///
    /// The tag still counts as strong. But the origin may not recognize the tag with quotes, and it
    /// would read an `If-Range` without quotes as a date.
    let isBare: Bool

    /// Reads a value.
    ///
    /// - Returns: `nil` for an empty value, for a tag above 1,024 bytes, and for characters that a
    ///   tag may not hold.
    init?(_ value: String) {
        var text = value[...]
        let isWeak = text.hasPrefix("W/") || text.hasPrefix("w/")
        if isWeak { text = text.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        let isQuoted = text.utf8.count >= 2 && text.utf8.first == quote && text.utf8.last == quote
        let opaque = isQuoted ? text.dropFirst().dropLast() : text
        guard !opaque.isEmpty || isQuoted, opaque.utf8.count <= 1024,
            opaque.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != quote })
        else { return nil }
        self.quoted = "\"\(opaque)\""
        self.isWeak = isWeak
        self.isBare = !isQuoted
    }

    /// Whether this tag and the given text are hexadecimal hashes of equal length with different
    /// values.
    ///
    /// A hash has at least 32 digits; upper and lower case are equal.
    func contradicts(_ tag: String) -> Bool {
        let own = self.quoted.dropFirst().dropLast()
        guard own.utf8.count == tag.utf8.count, tag.utf8.count >= 32,
            own.utf8.allSatisfy({ $0.hexDigitValue != nil }),
            tag.utf8.allSatisfy({ $0.hexDigitValue != nil })
        else { return false }
        return own.lowercased() != tag.lowercased()
    }
}
