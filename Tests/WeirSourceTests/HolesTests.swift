// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("Runs and holes of a range set")
struct HolesTests {
    /// The simplest model: one flag for each byte.
    private struct Model {
        var isHeld: [Bool]

        func run(containing offset: Int) -> Range<Int64>? {
            guard self.isHeld.indices.contains(offset), self.isHeld[offset] else { return nil }
            return self.stretch(around: offset, held: true)
        }

        func hole(containing offset: Int, before end: Int) -> Range<Int64>? {
            guard offset >= 0, offset < end, !self.isHeld[offset] else { return nil }
            return self.stretch(around: offset, held: false).clamped(to: 0..<Int64(end))
        }

        func firstMissing(in range: Range<Int>) -> Int64? {
            range.first { !self.isHeld[$0] }.map(Int64.init)
        }

        private func stretch(around offset: Int, held: Bool) -> Range<Int64> {
            let lower = self.isHeld[..<offset].lastIndex { $0 != held }.map { $0 + 1 } ?? 0
            let upper = self.isHeld[offset...].firstIndex { $0 != held } ?? self.isHeld.count
            return Int64(lower)..<Int64(upper)
        }
    }

    @Test("bisection finds the same as a list of flags", arguments: 0..<40 as Range<UInt64>)
    func agreesWithModel(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let size = 48
        var model = Model(isHeld: Array(repeating: false, count: size))
        var set = RangeSet<Int64>()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let lower = Int.random(in: 0..<(size - 8), using: &generator)
            let range = lower..<Int.random(in: lower...(lower + 7), using: &generator)
            let isInserted = Int.random(in: 0..<4, using: &generator) > 0
            for offset in range { model.isHeld[offset] = isInserted }
            let bytes = Int64(range.lowerBound)..<Int64(range.upperBound)
            if isInserted { set.insert(contentsOf: bytes) } else { set.remove(contentsOf: bytes) }
        }
        #expect(set.byteCount == Int64(model.isHeld.count { $0 }), "seed \(seed)")
        for offset in 0..<size {
            #expect(
                set.run(containing: Int64(offset)) == model.run(containing: offset),
                "seed \(seed)"
            )
            for end in 0...size {
                #expect(
                    set.hole(containing: Int64(offset), before: Int64(end))
                        == model.hole(containing: offset, before: end),
                    "seed \(seed), offset \(offset), end \(end)"
                )
                guard offset <= end else { continue }
                #expect(
                    set.firstMissing(in: Int64(offset)..<Int64(end))
                        == model.firstMissing(in: offset..<end),
                    "seed \(seed), \(offset)..<\(end)"
                )
            }
        }
    }

    @Test("offsets outside of everything are in no run and no hole")
    func outside() {
        let set = RangeSet<Int64>(10..<20)
        #expect(set.run(containing: -1) == nil)
        #expect(set.run(containing: .max) == nil)
        #expect(set.hole(containing: -1, before: 100) == nil)
        #expect(set.hole(containing: 100, before: 100) == nil)
        #expect(set.hole(containing: 25, before: .max) == 20..<Int64.max)
        #expect(RangeSet<Int64>().hole(containing: 0, before: .max) == 0..<Int64.max)
        #expect(RangeSet<Int64>().byteCount == 0)
    }

    @Test("a resource is complete when its length is known and nothing is missing")
    func completeness() {
        func isComplete(_ held: RangeSet<Int64>, _ length: Int64?) -> Bool {
            Availability(held: held, length: length).isComplete
        }
        #expect(!isComplete(RangeSet(0..<10), nil))
        #expect(isComplete(RangeSet(0..<10), 10))
        #expect(!isComplete(RangeSet(0..<10), 11))
        #expect(!isComplete(RangeSet(1..<10), 10))
        #expect(!isComplete(RangeSet([0..<4, 5..<10]), 10))
        #expect(isComplete(RangeSet([0..<5, 5..<10]), 10))
        #expect(isComplete(RangeSet(), 0))
        #expect(!isComplete(RangeSet(), 1))
    }
}
