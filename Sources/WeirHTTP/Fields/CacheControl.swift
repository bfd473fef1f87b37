// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The `Cache-Control` field of a response, as far as it concerns the cache of one user (RFC 9111
/// §5.2.2).
///
/// ```
/// Cache-Control: no-store, max-age=600, no-cache="Set-Cookie"
///                ^token    ^token=token ^token=quoted-string
/// ```
///
/// `private`, `public` and `s-maxage` concern shared caches and are ignored, as are unknown
/// directives. Reading never fails: it skips unreadable text up to the next comma.
struct CacheControl: Hashable {
    /// `no-store`.
    private(set) var forbidsStoring = false
    /// `no-cache` for the whole response; the form with field names concerns only those fields
    /// (§5.2.2.4).
    private(set) var wantsRevalidation = false
    /// `must-revalidate`.
    private(set) var forbidsStaleness = false
    /// The smallest `max-age` in seconds: 0 if it is not a number (§4.2.1), at most 2^31 (§1.2.2).
    private(set) var maximumAge: Int64?

    private static let largestAge: Int64 = 1 << 31

    /// Reads the values of all `Cache-Control` fields, however they are split.
    init(_ values: [String]) {
        for value in values { self.read(value.utf8[...]) }
    }

    private mutating func read(_ text: Substring.UTF8View) {
        var rest = text
        while !rest.isEmpty {
            let name = rest.prefix {
                !$0.isBlank && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",")
            }
            rest = rest[name.endIndex...].drop(while: \.isBlank)
            var argument: [UInt8]?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isBlank)
                argument = Self.argument(&rest)
            }
            self.take(String(decoding: name, as: UTF8.self).lowercased(), argument)
            rest = rest.drop { $0 != UInt8(ascii: ",") }
                .drop { $0.isBlank || $0 == UInt8(ascii: ",") }
        }
    }

    /// A token, or the text between two quotes.
    ///
    /// Without a second quote, the first quote is part of a token, which ends at the next comma or
    /// blank. So the directives after it are not lost.
    private static func argument(_ rest: inout Substring.UTF8View) -> [UInt8] {
        if rest.first == UInt8(ascii: "\"") {
            var quoted = rest.dropFirst()
            var bytes: [UInt8] = []
            while let byte = quoted.popFirst() {
                guard byte != UInt8(ascii: "\"") else {
                    rest = quoted
                    return bytes
                }
                bytes.append(byte == UInt8(ascii: "\\") ? quoted.popFirst() ?? byte : byte)
            }
        }
        let token = rest.prefix { $0 != UInt8(ascii: ",") && !$0.isBlank }
        rest = rest[token.endIndex...]
        return Array(token)
    }

    private mutating func take(_ name: String, _ argument: [UInt8]?) {
        switch name {
        case "no-store": self.forbidsStoring = true
        case "no-cache" where argument?.isEmpty ?? true: self.wantsRevalidation = true
        case "must-revalidate": self.forbidsStaleness = true
        case "max-age":
            let age = Self.seconds(argument ?? [])
            self.maximumAge = min(age, self.maximumAge ?? age)
        default: break
        }
    }

    /// A number of seconds (§1.2.2); 0 for anything else.
    static func seconds(_ digits: [UInt8]) -> Int64 {
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return 0 }
        return min(Int64(decimalDigits: digits) ?? self.largestAge, self.largestAge)
    }
}
