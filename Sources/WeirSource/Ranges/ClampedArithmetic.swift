// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// The sum; on overflow, the nearest value.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isTooFar) = self.addingReportingOverflow(other)
        guard isTooFar else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference; on overflow, the nearest value.
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, isTooFar) = self.subtractingReportingOverflow(other)
        guard isTooFar else { return difference }
        // An unsigned difference can only be too small.
        return Self.isSigned && other < 0 ? .max : .min
    }

    /// The product; on overflow, the nearest value.
    package func multipliedClamped(by other: Self) -> Self {
        let (product, isTooFar) = self.multipliedReportingOverflow(by: other)
        guard isTooFar else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}

extension Int64 {
    /// This number as a percentage of a whole, from 0 to 100; 100 if the whole is not positive.
    package func percentage(of whole: Int64) -> Int {
        guard whole > 0 else { return 100 }
        return Int(Swift.min(100, Swift.max(0, Int128(self) * 100 / Int128(whole))))
    }

    /// A floating-point number without its fraction, or the nearest `Int64`; 0 for not-a-number.
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
