// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The largest resource, and arithmetic on numbers from outside")
struct ResourceLengthTests {
    @Test("a length from 0 to 2^62 is accepted, and no other number")
    func lengths() {
        let most = ResourceLength.maximum
        #expect(most == 1 << 62)
        for number in OutsideNumbers.all {
            #expect((ResourceLength.checked(number) != nil) == (0...most).contains(number))
        }
    }

    @Test("a range is accepted if both bounds are lengths in order")
    func ranges() {
        for lower in OutsideNumbers.all {
            for upper in OutsideNumbers.all {
                let isRange =
                    ResourceLength.checked(lower) != nil && ResourceLength.checked(upper) != nil
                    && lower <= upper
                let range = ResourceLength.checked(from: lower, to: upper)
                #expect((range != nil) == isRange)
                if let range { #expect((range.lowerBound, range.upperBound) == (lower, upper)) }
            }
        }
    }

    @Test("clamped arithmetic gives the exact result, or the nearest number")
    func arithmetic() {
        for left in OutsideNumbers.all {
            for right in OutsideNumbers.all {
                let (a, b) = (Int128(left), Int128(right))
                #expect(left.addingClamped(right) == Int64(clamping: a + b))
                #expect(left.subtractingClamped(right) == Int64(clamping: a - b))
                #expect(left.multipliedClamped(by: right) == Int64(clamping: a * b))
            }
            let (a, b) = (UInt64(bitPattern: left), UInt64.max - 1)
            #expect(a.addingClamped(b) == UInt64(clamping: UInt128(a) + UInt128(b)))
            #expect(a.subtractingClamped(b) == (a > b ? a - b : 0))
        }
    }

    @Test("a share of a whole is 0 to 100 %")
    func percentages() {
        for part in OutsideNumbers.all {
            for whole in OutsideNumbers.all {
                #expect((0...100).contains(part.percentage(of: whole)))
            }
        }
        #expect((Int64(1) << 61).percentage(of: 1 << 62) == 50)
        #expect(Int64(0).percentage(of: 0) == 100)
    }

    @Test("a floating-point number becomes the nearest whole one towards zero")
    func floatingPoint() {
        for (number, expected) in [
            (0.9, 0), (-0.9, 0), (9_007_199_254_740_992, 1 << 53), (9.3e18, .max), (-9.3e18, .min),
            (.infinity, .max), (-.infinity, .min), (.nan, 0),
        ] as [(Double, Int64)] {
            #expect(Int64(nearest: number) == expected)
        }
    }
}
