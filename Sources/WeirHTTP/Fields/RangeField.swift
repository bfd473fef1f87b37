// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// The `Range` field of a request (RFC 9110 §14.2): where half-open ranges become inclusive ones.
enum RangeField {
    /// `bytes=a-`, `bytes=a-b` or `bytes=-n`.
    ///
    /// - Returns: `nil` for what the field cannot say: an empty range, a negative offset.
    static func value(_ range: RequestedRange) -> String? {
        guard !range.isEmpty else { return nil }
        switch range {
        case .from(let lower):
            return lower >= 0 ? "bytes=\(lower)-" : nil
        case .span(let span):
            return span.lowerBound >= 0 ? "bytes=\(span.lowerBound)-\(span.upperBound - 1)" : nil
        case .suffix(let count):
            return "bytes=-\(count)"
        }
    }
}
