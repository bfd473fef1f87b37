// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The value of a `Range` field (RFC 9110 §14.1.2, §14.2).
///
///     ranges-specifier = range-unit "=" range-set
///     range-set        = 1#range-spec
///     range-spec       = int-range / suffix-range / other-range
///     int-range        = first-pos "-" [ last-pos ]
///     suffix-range     = "-" suffix-length
///
/// Inclusive ends exist only here: the ranges that this type returns are half-open.
enum RangeField: Hashable, Sendable {
    /// The field does not count, so the answer is the whole resource.
    ///
    /// It has another unit, is malformed, has a last position before the first, or has more than
    /// one range.
    case ignored
    /// The field is well formed, but no resource can satisfy it: `bytes=-0`.
    case unsatisfiable
    /// One range; a number that is too large counts as the largest one, past every end.
    case one(RequestedRange)

    /// Reads the field's value.
    init(_ value: String) {
        var scanner = ASCIIScanner(value)
        guard scanner.skip(caseInsensitive: "bytes="), let range = Self.onlyElement(&scanner) else {
            self = .ignored
            return
        }
        self = range
    }

    /// Reads the form that players send, `bytes=0-65535` or `bytes=65536-`, with positions of at
    /// most 18 digits.
    ///
    /// - Returns: `nil` for any other form, which may be valid.
    init?(plain value: UnsafeRawBufferPointer) {
        let unit: StaticString = "bytes="
        var index = unit.utf8CodeUnitCount
        guard value.count > index, let start = value.baseAddress,
            memcmp(start, unit.utf8Start, index) == 0
        else { return nil }
        guard let first = Self.plainNumber(value, &index), index < value.count,
            value[index] == UInt8(ascii: "-")
        else { return nil }
        index += 1
        if index == value.count {
            self = .one(.from(first))
            return
        }
        guard let last = Self.plainNumber(value, &index), index == value.count, last >= first
        else { return nil }
        self = .one(.span(first..<(last + 1)))
    }

    private static func plainNumber(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Int64? {
        let start = index
        var number: Int64 = 0
        while index < bytes.count, index - start < 18 {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            number = number &* 10 &+ Int64(digit)
            index += 1
        }
        return index > start ? number : nil
    }

    /// Reads the only non-empty element of the list; `nil` if the list has no element, several, or
    /// a malformed one.
    private static func onlyElement(_ scanner: inout ASCIIScanner) -> RangeField? {
        var found: RangeField?
        while true {
            scanner.skipBlanks()
            if !scanner.isAtEnd, scanner.peek != UInt8(ascii: ",") {
                guard found == nil, let element = Self.element(&scanner) else { return nil }
                found = element
                scanner.skipBlanks()
            }
            if scanner.isAtEnd { return found }
            guard scanner.skip(UInt8(ascii: ",")) else { return nil }
        }
    }

    private static func element(_ scanner: inout ASCIIScanner) -> RangeField? {
        let first = scanner.number()
        guard scanner.skip(UInt8(ascii: "-")) else { return nil }
        let last = scanner.number()
        switch (first, last) {
        case (nil, nil):
            return nil
        case (nil, let count?):
            return count == 0 ? .unsatisfiable : .one(.suffix(count))
        case (let first?, nil):
            return .one(.from(first))
        case (let first?, let last?):
            guard last >= first else { return nil }
            // The largest position has no end after it, so the range is open.
            return last == .max ? .one(.from(first)) : .one(.span(first..<(last + 1)))
        }
    }
}
