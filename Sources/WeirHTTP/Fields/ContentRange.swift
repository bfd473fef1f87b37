// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// The `Content-Range` field of a response (RFC 9110 §14.4), with a half-open range.
///
/// ```
/// Content-Range: bytes 42-1233/1234     range 42..<1234, total 1234
/// Content-Range: bytes 42-1233/*        range 42..<1234, total unknown
/// Content-Range: bytes */1234           no range, total 1234 (416)
/// ```
///
/// A total that no resource has (2^63-1, 2^64-1, -1) counts as unknown.
struct ContentRange: Hashable {
    /// The range of the bytes in the body; never empty, `nil` in a 416.
    let range: Range<Int64>?
    /// The length of the resource, if the origin knows it.
    let total: Int64?

    /// Why a value is not a valid field.
    enum FieldError: Error, Hashable {
        /// A unit other than bytes.
        case otherUnit
        /// A value of another form than those above, or with numbers that no file has.
        case unreadable
        /// The last byte is at a position that no resource has: the stream has no end.
        case endless
        /// The last byte is before the first.
        case inverted(first: Int64, last: Int64)
        /// The last byte is behind the end.
        case pastTotal(first: Int64, last: Int64, total: Int64)
    }

    /// Reads a value; `nil` if ``init(parsing:)`` throws.
    init?(_ value: String) {
        do throws(FieldError) { try self.init(parsing: value) } catch { return nil }
    }

    /// Reads a value.
    ///
    /// Some servers send `bytes 0-N/N` for a whole resource of N bytes, where `0-(N-1)` is right.
    /// The value means `0..<N` if the body has N bytes.
    ///
    /// - Parameters:
    ///   - value: the field's value.
    ///   - bodyLength: the length of the body in bytes, if its head gives it.
    /// - Throws: the ``FieldError`` of the value.
    init(parsing value: String, bodyLength: Int64? = nil) throws(FieldError) {
        var rest = value.utf8[...]
        while let first = rest.first, first.isBlank { rest.removeFirst() }
        guard rest.count > 5,
            String(decoding: rest.prefix(5), as: UTF8.self).lowercased() == "bytes"
        else { throw rest.isEmpty ? .unreadable : .otherUnit }
        rest = rest.dropFirst(5)
        // RFC 9110 requires one space; some old servers wrongly send an equals sign.
        guard let separator = rest.popFirst(), separator.isBlank || separator == UInt8(ascii: "=")
        else { throw .otherUnit }
        while let first = rest.first, first.isBlank { rest.removeFirst() }
        while let last = rest.last, last.isBlank { rest.removeLast() }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { throw .unreadable }
        let span = rest[..<slash]
        let totalText = rest[rest.index(after: slash)...]
        let total: Int64?
        if totalText.elementsEqual("*".utf8) || ResourceLength.isUnknown(totalText) {
            total = nil
        } else {
            guard let number = Int64(lengthDigits: totalText) else { throw .unreadable }
            total = number
        }
        self.total = total
        if span.elementsEqual("*".utf8) {
            guard total != nil else { throw .unreadable }
            self.range = nil
            return
        }
        guard let dash = span.firstIndex(of: UInt8(ascii: "-")) else { throw .unreadable }
        let (start, end) = (span[..<dash], span[span.index(after: dash)...])
        if Int64(lengthDigits: start) != nil, ResourceLength.isUnknown(end) {
            throw .endless
        }
        guard let first = Int64(decimalDigits: start),
            let last = Int64(decimalDigits: end)
        else { throw .unreadable }
        guard first <= last else { throw .inverted(first: first, last: last) }
        guard let range = ResourceLength.checked(from: first, to: last.addingClamped(1)) else {
            throw .unreadable
        }
        if let total, last >= total {
            guard first == 0, last == total, total > 0, bodyLength == total else {
                throw .pastTotal(first: first, last: last, total: total)
            }
            self.range = 0..<total
            return
        }
        self.range = range
    }
}

extension ContentRange: CustomStringConvertible {
    /// The field's value.
    var description: String {
        let span = self.range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
        return "bytes \(span)/\(self.total.map { "\($0)" } ?? "*")"
    }
}

extension RequestedRange {
    /// The `Range` field of a request (RFC 9110 §14.2), with inclusive ends: `bytes=a-`,
    /// `bytes=a-b` or `bytes=-n`.
    ///
    /// `nil` for a range that the field cannot express: an empty range or a negative offset.
    var headerField: String? {
        guard !self.isEmpty else { return nil }
        switch self {
        case .from(let lower):
            return lower >= 0 ? "bytes=\(lower)-" : nil
        case .span(let span):
            return span.lowerBound >= 0 ? "bytes=\(span.lowerBound)-\(span.upperBound - 1)" : nil
        case .suffix(let count):
            return "bytes=-\(count)"
        }
    }
}

extension ResourceLength {
    /// Whether a field's value is a number of bytes that no resource has: negative, or too large.
    ///
    /// Servers of endless streams send 2^63-1, 2^64-1 or -1 for an unknown length.
    package static func isUnknown(_ value: some Collection<UInt8>) -> Bool {
        let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return false }
        return digits.count < value.count || Int64(lengthDigits: digits) == nil
    }
}

extension Int64 {
    /// Reads a number as header fields write it.
    ///
    /// `nil` for an empty value, for anything but digits, and for more than an `Int64` holds.
    init?(decimalDigits digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit.isASCIIDigit else { return nil }
            let (scaled, isTooBig) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooBigNow) = scaled.addingReportingOverflow(
                Int64(digit - UInt8(ascii: "0"))
            )
            guard !isTooBig, !isTooBigNow else { return nil }
            number = sum
        }
        self = number
    }

    /// Reads the length of a resource; also `nil` for more bytes than any resource has.
    init?(lengthDigits digits: some Collection<UInt8>) {
        guard let length = Int64(decimalDigits: digits).flatMap(ResourceLength.checked) else {
            return nil
        }
        self = length
    }
}
