// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
        let bytes = Array(text)
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Self.digit(bytes[index + 1]), let low = Self.digit(bytes[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
                continue
            }
            out.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
            index += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
