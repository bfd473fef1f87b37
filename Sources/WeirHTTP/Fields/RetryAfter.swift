// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The `Retry-After` field of an answer (RFC 9110 §10.2.3).
enum RetryAfter {
    /// A delay longer than any that is waited for.
    static let forever = Duration.seconds(Int64(1) << 40)

    /// How long to wait.
    ///
    /// A date is counted from the answer's own `Date`, so that the origin's clock need not be right;
    /// without one it says nothing.
    ///
    /// - Parameters:
    ///   - value: seconds or a date.
    ///   - date: the answer's `Date` field.
    /// - Returns: zero or more, at most ``forever``; `nil` for what cannot be read.
    static func delay(_ value: String, date: String?) -> Duration? {
        let text = value.utf8.filter { !$0.isBlank }
        if !text.isEmpty, text.allSatisfy(\.isASCIIDigit) {
            guard let seconds = DecimalNumber.int64(text) else { return self.forever }
            return min(.seconds(seconds), self.forever)
        }
        guard let until = HTTPDate.seconds(value), let now = date.flatMap(HTTPDate.seconds) else {
            return nil
        }
        return .seconds(max(0, until - now))
    }
}
