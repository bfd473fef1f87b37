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
        var rest = text[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            self.query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        } else {
            self.query = nil
        }
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

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
}
