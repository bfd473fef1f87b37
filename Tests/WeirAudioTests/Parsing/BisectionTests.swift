// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Narrowing down the position of a time")
struct BisectionTests {
    @Test(
        "For packets of any size, a few reads find the mark of the time",
        arguments: 0..<TestLength.short(10, long: 40) as Range<UInt64>
    )
    func anyDistribution(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let largest = 1 << Int.random(in: 4...17, using: &generator)
        var marks: [Bisection.Mark] = []
        var offset: Int64 = 500
        var start: Int64 = 0
        for _ in 0..<20_000 {
            marks.append(.init(offset: offset, start: SampleCount(start)))
            offset += Int64.random(in: 1...Int64(largest), using: &generator)
            start += Int64.random(in: 1...5000, using: &generator)
        }
        for _ in 0..<50 {
            let target = Int64.random(in: 0..<start, using: &generator)
            var bisection = Bisection(
                target: SampleCount(target),
                lower: marks[0],
                end: offset,
                endStart: SampleCount(start)
            )
            var looks = 0
            while let look = bisection.nextRange {
                looks += 1
                #expect(look.count <= 64 << 10)
                bisection.learned(marks.filter { look.contains($0.offset) })
            }
            #expect(looks < Bisection.maximumReads)
            #expect(bisection.lower == marks.last { $0.start.rawValue <= target })
        }
    }
}
