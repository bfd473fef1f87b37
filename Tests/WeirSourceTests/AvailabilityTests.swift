// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The availability at one moment")
struct AvailabilityTests {
    private static func fraction(_ runs: [Range<Int64>], of length: Int64?) -> Double? {
        Availability(held: RangeSet(runs), length: length).fraction
    }

    @Test("the fraction goes from 0 to 1, and is unknown without a length")
    func fraction() {
        #expect(Self.fraction([], of: 100) == 0)
        #expect(Self.fraction([0..<25, 50..<75], of: 100) == 0.5)
        #expect(Self.fraction([0..<100], of: 100) == 1)
        #expect(Self.fraction([0..<100], of: nil) == nil)
        #expect(Self.fraction([0..<100], of: -1) == nil)
    }

    @Test("an empty resource is held whole, and bytes outside of a resource do not count")
    func edges() {
        #expect(Self.fraction([], of: 0) == 1)
        #expect(Self.fraction([0..<10], of: 0) == 1)
        #expect(Self.fraction([90..<200], of: 100) == 0.1)
        #expect(Self.fraction([.min..<0, 100 ..< .max], of: 100) == 0)
        #expect(Self.fraction([.min ..< .max], of: 100) == 1)
    }

    @Test(
        "one missing byte always leaves the fraction below 1",
        arguments: [100, 1 << 53 + 1, .max] as [Int64]
    )
    func rounding(length: Int64) throws {
        let fraction = try #require(Self.fraction([1..<length], of: length))
        #expect(fraction < 1)
        #expect(Self.fraction([0..<length], of: length) == 1)
    }
}
