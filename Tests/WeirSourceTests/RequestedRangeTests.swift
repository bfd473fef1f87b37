// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@Suite("RequestedRange")
struct RequestedRangeTests {
    @Test("a range resolves to the bytes that a list of them gives, in every small case")
    func smallCases() {
        for length: Int64 in 0...6 {
            let offsets = Array(0..<length)
            for lower: Int64 in 0...8 {
                let from = RequestedRange.from(lower).resolved(inLength: length)
                #expect((from == nil) == (lower > length))
                #expect(from.map(Array.init) ?? [] == offsets.filter { $0 >= lower })
                for upper in lower...9 {
                    let span = RequestedRange.span(lower..<upper).resolved(inLength: length)
                    #expect((span == nil) == (lower > length))
                    #expect(
                        span.map(Array.init) ?? [] == offsets.filter { $0 >= lower && $0 < upper }
                    )
                    #expect(span?.lowerBound ?? lower == lower)
                }
            }
            for count: Int64 in 1...9 {
                let suffix = RequestedRange.suffix(count).resolved(inLength: length)
                #expect(suffix.map(Array.init) == offsets.suffix(Int(count)))
            }
        }
    }

    @Test("the largest numbers do not overflow")
    func largestNumbers() {
        let most = Int64.max
        for length in [0, 5, most] {
            #expect(RequestedRange.suffix(most).resolved(inLength: length) == 0..<length)
            #expect(RequestedRange.span(0..<most).resolved(inLength: length) == 0..<length)
            #expect(
                RequestedRange.from(most).resolved(inLength: length)
                    == (length == most ? most..<most : nil)
            )
        }
        #expect(
            RequestedRange.span((most - 1)..<most).resolved(inLength: most) == (most - 1)..<most
        )
    }

    @Test("a range has the bounds that are known without the length, and no others")
    func knownBounds() {
        let ranges: [RequestedRange] = [.from(7), .span(3..<9), .span(4..<4), .suffix(5)]
        #expect(ranges.map(\.knownLowerBound) == [7, 3, 4, nil])
        #expect(ranges.map(\.knownUpperBound) == [nil, 9, 4, nil])
        #expect(ranges.map(\.isEmpty) == [false, false, true, false])
        #expect(ranges.map(\.description) == ["7...", "3..<9", "4..<4", "last 5"])
        #expect(RequestedRange.whole == .from(0))
    }
}
