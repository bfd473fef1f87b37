// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The checksums of everything that a generation holds, by block.
///
/// Pure. Pieces of a block that touch are one piece: so a run has exactly one in each block that it touches,
/// however it was written. A block takes some 80 bytes; a piece is found by bisection of its block, and every
/// operation but ``held`` takes time in proportion to the pieces that it names, none in proportion to those
/// that are held.
struct BlockChecksums: Sendable {
    /// The pieces of each block of which something is held.
    private var blocks: [Int64: BlockParts] = [:]

    /// Everything that has a checksum.
    ///
    /// Takes time to sort the blocks.
    var held: RangeSet<Int64> {
        var held = RangeSet<Int64>()
        // In order, each insertion is at the set's end.
        for piece in self.pieces { held.insert(contentsOf: piece.range) }
        return held
    }

    /// All pieces, in order.
    var pieces: [BlockPiece] {
        self.blocks.keys.sorted().flatMap { self.blocks[$0]?.pieces(ofBlock: $0) ?? [] }
    }

    /// The pieces that a range touches, in order, each whole.
    func pieces(in range: Range<Int64>) -> [BlockPiece] {
        self.numbers(of: range).flatMap { block in
            self.blocks[block]?.pieces(ofBlock: block, in: range) ?? []
        }
    }

    /// The piece that holds an offset.
    func piece(at offset: Int64) -> BlockPiece? {
        let block = offset / BlockPiece.blockSize
        return self.blocks[block]?.pieces(ofBlock: block, in: offset..<offset + 1).first
    }

    /// A range of held bytes, widened to the whole pieces at its ends.
    func widened(_ range: Range<Int64>) -> Range<Int64> {
        guard !range.isEmpty, let first = self.piece(at: range.lowerBound),
            let last = self.piece(at: range.upperBound - 1)
        else { return range }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// Held bytes as a journal claims them.
    ///
    /// - Parameter range: held in one run, from the start of a piece to the end of one.
    /// - Returns: the run, cut into several where one would be too long for a record; none if a part is not held.
    func runs(in range: Range<Int64>) -> [CheckedRun] {
        let pieces = self.pieces(in: range)
        let limit = JournalRecord.maximumChecksums
        return stride(from: 0, to: pieces.count, by: limit).compactMap { start in
            CheckedRun(pieces[start..<min(start + limit, pieces.count)])
        }
    }

    /// Adds a piece, and joins it with those it touches.
    ///
    /// A piece that it overlaps is replaced: what sticks out of the new one has no checksum any more.
    mutating func insert(_ piece: BlockPiece) {
        self.blocks[piece.block, default: BlockParts()].insert(piece)
    }

    /// Takes every piece away that a range touches.
    ///
    /// - Returns: what has no checksum any more: the pieces' ranges, in order.
    @discardableResult
    mutating func remove(_ range: Range<Int64>) -> [Range<Int64>] {
        var removed: [Range<Int64>] = []
        for block in self.numbers(of: range) {
            removed += self.blocks[block]?.remove(range, ofBlock: block) ?? []
            if self.blocks[block]?.isEmpty == true { self.blocks[block] = nil }
        }
        return removed
    }

    /// The blocks that a range touches, in order; where it names more than there are, those that are there.
    private func numbers(of range: Range<Int64>) -> [Int64] {
        guard !range.isEmpty else { return [] }
        let first = range.lowerBound / BlockPiece.blockSize
        let last = (range.upperBound - 1) / BlockPiece.blockSize
        if last - first < Int64(self.blocks.count) { return Array(first...last) }
        return self.blocks.keys.filter { (first...last).contains($0) }.sorted()
    }
}
