// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("The checksums of blocks")
struct BlockChecksumsTests {
    private static let size: Int64 = 5 * 65_536 + 1000
    private static let content = PatternBytes.bytes(in: 0..<size)

    private static func pieces(_ range: Range<Int64>) -> [BlockPiece] {
        self.content[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes {
            BlockPiece.pieces(of: $0, at: range)
        }
    }

    private static func checksum(_ range: Range<Int64>) -> Checksum {
        Checksum().taking(self.content[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    @Test("the checksums of two pieces give the checksum of both, wherever the cut is")
    func joining() {
        let bytes = PatternBytes.bytes(in: 0..<300)
        let whole = Checksum().taking(bytes)
        for cut in 0...bytes.count {
            let first = Checksum().taking(bytes[..<cut])
            let second = Checksum().taking(bytes[cut...])
            #expect(first.joined(with: second, count: Int64(bytes.count - cut)) == whole)
        }
        let long = Checksum().taking(Self.content)
        let cut = 77_777
        #expect(
            Checksum().taking(Self.content[..<cut]).joined(
                with: Checksum().taking(Self.content[cut...]),
                count: Self.size - Int64(cut)
            ) == long
        )
    }

    @Test("a range is cut and counted at block borders")
    func cutting() {
        let block = BlockPiece.blockSize
        for lower in [0, 1, block - 1, block, block + 1] {
            for upper in [lower, lower + 1, block, 2 * block - 1, 2 * block, 2 * block + 1]
            where upper >= lower {
                let ranges = BlockPiece.ranges(in: lower..<upper)
                #expect(ranges.count == BlockPiece.count(in: lower..<upper))
                #expect(RangeSet(ranges) == RangeSet(lower..<upper))
                #expect(ranges.allSatisfy { $0.lowerBound / block == ($0.upperBound - 1) / block })
            }
        }
        #expect(BlockPiece.count(in: (.max - 1) ..< .max) == 1)
    }

    @Test(
        "after any insertions and removals, the checksums fit the bytes",
        arguments: [1, 2, 3]
    )
    func property(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var checksums = BlockChecksums()
        var held = RangeSet<Int64>()
        for round in 0..<400 {
            let lower = Int64.random(in: 0..<Self.size, using: &generator)
            let length = Int64.random(
                in: 1...(Bool.random(using: &generator) ? 300 : 90_000),
                using: &generator
            )
            let range = lower..<min(Self.size, lower + length)
            if Int.random(in: 0..<8, using: &generator) == 0 {
                let removed = RangeSet(checksums.remove(range))
                #expect(held.isSuperset(of: removed), "seed \(seed), round \(round)")
                #expect(removed.isSuperset(of: held.intersection(RangeSet(range))))
                held.subtract(removed)
            } else {
                for hole in RangeSet(range).subtracting(held).ranges {
                    for piece in Self.pieces(hole) { checksums.insert(piece) }
                    held.insert(contentsOf: hole)
                }
            }
            #expect(checksums.held == held, "seed \(seed), round \(round)")
            let pieces = checksums.pieces(in: 0..<Self.size)
            #expect(RangeSet(pieces.map(\.range)) == held)
            for piece in pieces {
                #expect(
                    piece.checksum == Self.checksum(piece.range),
                    "seed \(seed), round \(round)"
                )
            }
            // One piece for each block that a run overlaps.
            #expect(pieces.count == held.ranges.reduce(0) { $0 + BlockPiece.count(in: $1) })
        }
        for run in held.ranges {
            let runs = checksums.runs(in: run)
            #expect(runs.map(\.range) == [run])
            #expect(runs.flatMap(\.pieces) == checksums.pieces(in: run))
        }
    }

    @Test("a piece that overlaps others replaces them")
    func replacing() {
        var checksums = BlockChecksums()
        for piece in Self.pieces(0..<100) { checksums.insert(piece) }
        for piece in Self.pieces(200..<300) { checksums.insert(piece) }
        for piece in Self.pieces(50..<200) { checksums.insert(piece) }
        #expect(checksums.held == RangeSet([50..<300]))
        #expect(checksums.piece(at: 60)?.checksum == Self.checksum(50..<300))
    }

    @Test("a range is widened to the pieces at its ends")
    func widening() {
        var checksums = BlockChecksums()
        for piece in Self.pieces(10..<150_000) { checksums.insert(piece) }
        #expect(checksums.widened(70_000..<70_001) == 65_536..<131_072)
        #expect(checksums.widened(20..<131_073) == 10..<150_000)
        #expect(checksums.widened(65_536..<131_072) == 65_536..<131_072)
    }

    @Test("a range far larger than the held bytes takes no time for the empty part")
    func hugeRanges() {
        var checksums = BlockChecksums()
        for piece in Self.pieces(0..<100) { checksums.insert(piece) }
        #expect(checksums.pieces(in: 0 ..< .max).count == 1)
        #expect(checksums.remove(0 ..< .max) == [0..<100])
        #expect(checksums.held.isEmpty)
    }

    @Test("a run that is too long for one record is cut in two")
    func longRuns() {
        var checksums = BlockChecksums()
        let blocks = Int64(JournalRecord.maximumChecksums) + 1
        for block in 0..<blocks {
            let lower = block * BlockPiece.blockSize
            checksums.insert(
                BlockPiece(range: lower..<lower + BlockPiece.blockSize, checksum: Checksum())
            )
        }
        let runs = checksums.runs(in: 0..<blocks * BlockPiece.blockSize)
        #expect(runs.map(\.checksums.count) == [JournalRecord.maximumChecksums, 1])
    }
}
