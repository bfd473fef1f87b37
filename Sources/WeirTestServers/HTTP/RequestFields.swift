// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The value of a `Range` field: RFC 9110 §14.2, one range of bytes.
struct RangeField: Sendable {
    private var first: Int64?
    private var last: Int64?

    /// Reads the field.
    init(_ field: String) throws(ServerError) {
        guard field.hasPrefix("bytes=") else {
            throw .violation("Range is \(field), which does not begin with bytes=.")
        }
        guard !field.contains(",") else {
            throw .violation("Range is \(field), which is more than one range.")
        }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.contains(where: { !$0.isEmpty }) else {
            throw .violation("Range is \(field), which is not a range.")
        }
        for end in ends where !end.allSatisfy({ $0.isASCII && $0.isNumber }) {
            throw .violation("Range is \(field), in which \(end) is not a number.")
        }
        self.first = Int64(ends[0])
        self.last = Int64(ends[1])
        if let first, let last, last < first {
            throw .violation("Range is \(field), which ends before it begins.")
        }
    }

    /// The requested bytes of a file of this length.
    ///
    /// - Returns: `nil` if the file has no byte of the range, which is a 416.
    func range(in length: Int64) -> Range<Int64>? {
        guard let first else {
            let count = min(self.last ?? 0, length)
            return count > 0 ? (length - count)..<length : nil
        }
        guard first < length else { return nil }
        guard let last, last < length - 1 else { return first..<length }
        return first..<(last + 1)
    }
}

extension ServerRequest {
    /// The name and the password in the field `Authorization` (RFC 7617); `nil` for another scheme.
    var basicCredentials: (name: String, password: String)? {
        guard let field = self.value("authorization"), field.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6))),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
