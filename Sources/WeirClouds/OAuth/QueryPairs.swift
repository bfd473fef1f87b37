// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP

/// A query as `application/x-www-form-urlencoded` is read: any text gives pairs, in their order.
enum QueryPairs {
    /// The decoded pairs; a part without `=` is a name with an empty value.
    ///
    /// What is not UTF-8 when decoded is replaced by U+FFFD, a percent sign without two hexadecimal
    /// digits stays.
    static func read(_ query: some StringProtocol) -> [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { part[part.index(after: $0)...] } ?? part[part.endIndex...]
            return (Self.decoded(part[..<(equals ?? part.endIndex)]), Self.decoded(value))
        }
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return PercentCoding.decoded(String(decoding: spaced, as: UTF8.self))
    }
}
