// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// An address cut into its five parts, without decoding: `scheme://authority/path?query#fragment`.
///
/// The address is cut as by the regular expression in RFC 3986 appendix B, but only a valid scheme
/// counts as a scheme (§3.1). White space around the address is not part of it. The fragment is
/// dropped.
struct URLReference {
    let scheme: Substring?
    let authority: Substring?
    let path: Substring
    let query: Substring?

    init(_ text: String) {
        var rest: Substring
        (rest, self.query) = Self.cut(text)
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            self.scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        } else {
            self.scheme = nil
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            self.authority = rest[..<slash]
            rest = rest[slash...]
        } else {
            self.authority = nil
        }
        self.path = rest
    }

    /// Reads a path and a query behind the authority of an address.
    init(target: String) {
        (self.scheme, self.authority) = (nil, nil)
        (self.path, self.query) = Self.cut(target)
    }

    /// Drops white space and the fragment, and cuts off the query.
    private static func cut(_ text: String) -> (rest: Substring, query: Substring?) {
        var rest = text[...]
        while Self.mayBeBlank(rest.utf8.first), let first = rest.first, first.isWhitespace {
            rest.removeFirst()
        }
        while Self.mayBeBlank(rest.utf8.last), let last = rest.last, last.isWhitespace {
            rest.removeLast()
        }
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (rest, nil) }
        return (rest[..<mark], rest[rest.utf8.index(after: mark)...])
    }

    /// Whether a byte may be the first or the last one of a blank character.
    private static func mayBeBlank(_ byte: UInt8?) -> Bool {
        byte.map { $0 <= 0x20 || $0 >= 0x7F } ?? false
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
}
