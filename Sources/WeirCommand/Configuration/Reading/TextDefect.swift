// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What is found in a TOML text before the parser sees it.
///
/// The parser assumes in places that a text is right, and ends the process, or worse, if it is not:
/// `[=]`, `a = [}` and `a = 1979-05-27T` are such texts. No value of ours is a date.
struct TextDefect: Hashable, Sendable {
    /// What it is.
    enum Kind: Hashable, Sendable {
        /// A section's bracket without a name behind it.
        case unnamedSection
        /// A value without quotes that is no number and neither `true` nor `false`; or none at all.
        case bareValue
    }

    var kind: Kind
    var position: TextPosition

    /// What is wrong, after the place.
    var sentence: String {
        switch self.kind {
        case .unnamedSection: "this section has no name; write it as [sources.NAME]."
        case .bareValue:
            "there must be a value here: a text in quotes, a list in brackets, a number, true or"
                + " false."
        }
    }

    /// Whether a value can stand without quotes: `true`, `false`, and numbers, of which the parser
    /// sees to the rest.
    static func isBareValue(_ text: String) -> Bool {
        if text == "true" || text == "false" { return true }
        let bytes = Array(text.utf8)
        let first = bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-") ? 1 : 0
        guard first < bytes.count else { return false }
        return bytes.indices.dropFirst(first).allSatisfy { index in
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                index > first
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                index > first && bytes[index - 1] | 0x20 == UInt8(ascii: "e")
            default: false
            }
        }
    }
}
