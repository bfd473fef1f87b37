// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// This number times one over another, rounded down, without an overflow in between.
    ///
    /// - Parameters:
    ///   - numerator: from 0.
    ///   - denominator: from 1; `nil` comes back for less.
    /// - Returns: `nil` if the result does not fit.
    func scaled(by numerator: Int64, over denominator: Int64) -> Int64? {
        guard denominator > 0 else { return nil }
        let product = Int128(self) * Int128(numerator)
        let quotient = product / Int128(denominator)
        let isRoundedUp = product < 0 && quotient * Int128(denominator) != product
        return Int64(exactly: isRoundedUp ? quotient - 1 : quotient)
    }
}
