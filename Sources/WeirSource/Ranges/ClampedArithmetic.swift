// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// The sum.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isTooFar) = self.addingReportingOverflow(other)
        guard isTooFar else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference.
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, isTooFar) = self.subtractingReportingOverflow(other)
        guard isTooFar else { return difference }
        // Without a sign there is only one way out.
        return Self.isSigned && other < 0 ? .max : .min
    }

    /// The product.
    package func multipliedClamped(by other: Self) -> Self {
        let (product, isTooFar) = self.multipliedReportingOverflow(by: other)
        guard isTooFar else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}

extension Int64 {
    /// How many hundredths of a whole this is, from 0 to 100; 100 of nothing.
    package func percentage(of whole: Int64) -> Int {
        guard whole > 0 else { return 100 }
        return Int(Swift.min(100, Swift.max(0, Int128(self) * 100 / Int128(whole))))
    }

    /// A floating-point number without its fraction; the nearest number that there is, 0 for what is no number.
    package init(nearest number: Double) {
        if number.isNaN {
            self = 0
        } else if let exact = Int64(exactly: number.rounded(.towardZero)) {
            self = exact
        } else {
            self = number < 0 ? .min : .max
        }
    }
}
