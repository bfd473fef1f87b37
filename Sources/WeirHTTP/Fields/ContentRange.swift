// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The `Content-Range` field of an answer (RFC 9110 §14.4), with a half-open range.
///
/// ```
/// Content-Range: bytes 42-1233/1234     range 42..<1234, total 1234
/// Content-Range: bytes 42-1233/*        range 42..<1234, total unknown
/// Content-Range: bytes */1234           no range, total 1234 (416)
/// ```
struct ContentRange: Hashable {
    /// The bytes that the body holds; never empty, `nil` in a 416.
    let range: Range<Int64>?
    /// The length of the resource, if the origin knows it.
    let total: Int64?

    /// Reads a value.
    ///
    /// - Returns: `nil` for another unit, for anything but the forms above, for a range that is turned
    ///   round or reaches past the total, and for numbers that no file has.
    init?(_ value: String) {
        var rest = value.utf8[...]
        while let first = rest.first, first.isBlank { rest.removeFirst() }
        guard rest.count > 5,
            String(decoding: rest.prefix(5), as: UTF8.self).lowercased() == "bytes"
        else { return nil }
        rest = rest.dropFirst(5)
        // RFC 9110 wants one space; an equals sign is an old mistake of some servers.
        guard let separator = rest.popFirst(), separator.isBlank || separator == UInt8(ascii: "=")
        else { return nil }
        while let first = rest.first, first.isBlank { rest.removeFirst() }
        while let last = rest.last, last.isBlank { rest.removeLast() }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let span = rest[..<slash]
        let totalText = rest[rest.index(after: slash)...]
        let total: Int64?
        if totalText.elementsEqual("*".utf8) {
            total = nil
        } else {
            guard let number = DecimalNumber.int64(totalText) else { return nil }
            total = number
        }
        self.total = total
        if span.elementsEqual("*".utf8) {
            guard total != nil else { return nil }
            self.range = nil
            return
        }
        guard let dash = span.firstIndex(of: UInt8(ascii: "-")),
            let first = DecimalNumber.int64(span[..<dash]),
            let last = DecimalNumber.int64(span[span.index(after: dash)...]),
            first <= last, last < Int64.max
        else { return nil }
        if let total, last >= total { return nil }
        self.range = first..<(last + 1)
    }
}
