// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirSwiftUI

@Suite("The spans over the scrubber")
struct HeldSpansTests {
    private static func spans(_ runs: [Range<Int64>], of length: Int64?) -> HeldSpans {
        HeldSpans(Availability(held: RangeSet(runs), length: length), points: 100)
    }

    @Test("Runs of bytes become parts of the whole")
    func runsBecomeParts() {
        let held = Self.spans([0..<250, 500..<750], of: 1_000)
        #expect(held.spans == [0..<0.25, 0.5..<0.75])
        #expect(!held.isComplete)
    }

    @Test("Without a length there is no span")
    func unknownLength() {
        #expect(Self.spans([0..<250], of: nil).spans.isEmpty)
        #expect(Self.spans([], of: 0).spans.isEmpty)
        #expect(HeldSpans.none.spans.isEmpty)
    }

    @Test("A hole narrower than a point is not drawn, and the medium still is not complete")
    func narrowHole() {
        let held = Self.spans([0..<500, 501..<1_000], of: 1_000)
        #expect(held.spans == [0..<1])
        #expect(!held.isComplete)
    }

    @Test("A hole of a point and more is drawn")
    func wideHole() {
        let held = Self.spans([0..<500, 520..<1_000], of: 1_000)
        #expect(held.spans == [0..<0.5, 0.52..<1])
    }

    @Test("Held bytes behind the end of a shorter version draw nothing behind it")
    func pastTheEnd() {
        #expect(Self.spans([900..<2_000, 3_000..<4_000], of: 1_000).spans == [0.9..<1])
    }

    @Test("A scrubber without a width draws one span, and runs outside of the medium draw no span")
    func oddNumbers() {
        let held = Availability(held: RangeSet([-20..<(-10), 0..<10, 90..<110]), length: 100)
        #expect(HeldSpans(held, points: -1).spans == [0..<1])
        #expect(HeldSpans(held).spans == [0..<0.1, 0.9..<1])
        #expect(HeldSpans(Availability(held: RangeSet(0..<10), length: -1)).spans.isEmpty)
    }

    @Test("A complete medium is one span")
    func whole() {
        let held = Self.spans([0..<1_000], of: 1_000)
        #expect(held.spans == [0..<1])
        #expect(held.isComplete)
    }
}
