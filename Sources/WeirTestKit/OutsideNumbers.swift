// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Numbers that input may claim: the limits of arithmetic at some widths, and their neighbours.
package enum OutsideNumbers {
    /// Numbers around 0, 2^31, 2^32, 2^53, 2^62 and 2^63, two to each side, and their negatives; in order.
    package static let all: [Int64] = {
        var numbers: Set<Int64> = []
        for centre in [0, 1 << 31, 1 << 32, 1 << 53, 1 << 62, Int64.max] {
            for step in -2...2 {
                let (number, isTooLarge) = centre.addingReportingOverflow(Int64(step))
                guard !isTooLarge else { continue }
                numbers.insert(number)
                numbers.insert(0 &- number)
            }
        }
        numbers.insert(.min)
        return numbers.sorted()
    }()

    /// The numbers that are not negative.
    package static let natural = all.filter { $0 >= 0 }

    /// The numbers as text, and some that do not fit an `Int64`.
    package static let texts =
        all.map(String.init) + [
            "9223372036854775808", "9223372036854775809", "18446744073709551614",
            "18446744073709551615", "18446744073709551616", "1" + String(repeating: "0", count: 40),
        ]

    /// The numbers as floating-point numbers, with infinities and NaN.
    package static let fractions: [Double] =
        all.map(Double.init) + [0.5, -0.5, 1e18, -1e18, 1e300, -1e300, .infinity, -.infinity, .nan]
}
