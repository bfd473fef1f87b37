// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole

@Suite("The pieces in a page")
struct ShownPiecesTests {
    private static let limit = ResourceTable.runLimit

    private static func shown(_ runs: [Range<Int64>]) -> [[Int64]] {
        let set = RangeSet(runs)
        let pieces = ConsoleState.Pieces(
            CachedPieces(held: set, verified: RangeSet(), damaged: set)
        )
        #expect(pieces.verified.isEmpty && pieces.bad == pieces.held)
        return pieces.held
    }

    /// Runs of one byte with these gaps between them.
    private static func runs(gaps: [Int64]) -> [Range<Int64>] {
        var runs: [Range<Int64>] = [5..<6]
        for gap in gaps {
            let start = runs[runs.count - 1].upperBound + gap
            runs.append(start..<start + 1)
        }
        return runs
    }

    @Test("few pieces are sent unchanged", arguments: [0, 1, 2, 2047, 2048])
    func few(count: Int) {
        let runs = (0..<count).map { Int64($0) * 10..<Int64($0) * 10 + 3 }
        #expect(Self.shown(runs) == runs.map { [$0.lowerBound, $0.upperBound] })
    }

    @Test("of too many pieces those closest together are joined")
    func closest() {
        // Every second gap is wider than the others, and no two gaps are equal.
        let gaps = (1...4000).map { Int64($0 % 2 == 0 ? $0 : 100_000 + $0) }
        let shown = Self.shown(Self.runs(gaps: gaps))
        #expect(shown.count == Self.limit)
        let left = zip(shown, shown.dropFirst()).map { $1[0] - $0[1] }
        #expect(Set(left) == Set(gaps.sorted(by: >).prefix(Self.limit - 1)))
    }

    @Test(
        "the first and the last byte stay, no held byte is left out, and the order stays",
        arguments: [1, 2, 3, 4, 5] as [UInt64]
    )
    func claims(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2049..<6000, using: &generator)
        var runs: [Range<Int64>] = []
        var place: Int64 = 0
        for _ in 0..<count {
            place += Int64.random(in: 1...1_000_000, using: &generator)
            let end = place + Int64.random(in: 1...50, using: &generator)
            runs.append(place..<end)
            place = end
        }
        let shown = Self.shown(runs)
        #expect(shown.count <= Self.limit, "seed \(seed)")
        #expect(shown.first?[0] == runs.first?.lowerBound)
        #expect(shown.last?[1] == runs.last?.upperBound)
        #expect(shown.allSatisfy { $0.count == 2 && $0[0] < $0[1] })
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0[1] < $1[0] })
        let claimed = RangeSet(shown.map { $0[0]..<$0[1] })
        #expect(RangeSet(runs).isSubset(of: claimed), "seed \(seed)")
        // The shown runs add only gaps: every end of a shown run is an end of a held run.
        #expect(Set(shown.map { $0[0] }).isSubset(of: runs.map(\.lowerBound)))
        #expect(Set(shown.map { $0[1] }).isSubset(of: runs.map(\.upperBound)))
    }

    @Test("equal gaps are joined until the limit holds")
    func alike() {
        let shown = Self.shown(Self.runs(gaps: Array(repeating: 7, count: 10_000)))
        #expect(shown.count == Self.limit)
    }

    @Test("the limit always holds, wherever the wide gaps are")
    func narrowFirst() {
        let narrow = Array(repeating: Int64(1), count: 3000)
        let wide = Array(repeating: Int64(2), count: 2000)
        #expect(Self.shown(Self.runs(gaps: wide + narrow)).count <= Self.limit)
        #expect(Self.shown(Self.runs(gaps: narrow + wide)).count <= Self.limit)
    }
}
