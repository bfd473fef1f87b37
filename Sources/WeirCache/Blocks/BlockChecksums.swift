// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The checksums of all held bytes of a generation, by block.
///
/// Pure. Adjacent pieces of a block are joined into one. So a run has exactly one piece in each
/// block that it touches, even if several writes added it. A block takes some 80 bytes. A piece is
/// found by bisection of its block. Every operation except ``held`` and ``pieces`` takes time in
/// proportion to the blocks that its range touches, not to all held blocks.
struct BlockChecksums: Sendable {
    /// The pieces of each block that has held bytes.
    private var blocks: [Int64: BlockParts] = [:]

    /// All bytes that have a checksum.
    ///
    /// Takes time to sort the blocks.
    var held: RangeSet<Int64> {
        let pieces = self.pieces
        guard let first = pieces.first else { return RangeSet() }
        // In this order, each insertion is at the set's end.
        var held = RangeSet(first.range)
        for piece in pieces.dropFirst() { held.insert(contentsOf: piece.range) }
        return held
    }

    /// All pieces, in order.
    var pieces: [BlockPiece] {
        if self.blocks.count == 1, let (block, parts) = self.blocks.first {
            return parts.pieces(ofBlock: block)
        }
        return self.blocks.keys.sorted().flatMap { self.blocks[$0]?.pieces(ofBlock: $0) ?? [] }
    }

    /// All pieces that a range touches, in order, without cutting them.
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

    /// Widens a range of held bytes to the whole pieces at its ends.
    func widened(_ range: Range<Int64>) -> Range<Int64> {
        guard !range.isEmpty, let first = self.piece(at: range.lowerBound),
            let last = self.piece(at: range.upperBound - 1)
        else { return range }
        return first.range.lowerBound..<last.range.upperBound
    }

    /// Returns held bytes in the form in which a journal claims them.
    ///
    /// - Parameter range: one run of held bytes, from the start of a piece to the end of a piece.
    /// - Returns: the run, cut into several runs if it is too long for one record. A run with a
    ///   hole is left out.
    func runs(in range: Range<Int64>) -> [CheckedRun] {
        let pieces = self.pieces(in: range)
        let limit = JournalRecord.maximumChecksums
        return stride(from: 0, to: pieces.count, by: limit).compactMap { start in
            CheckedRun(pieces[start..<min(start + limit, pieces.count)])
        }
    }

    /// Adds a piece, and joins it with adjacent pieces.
    ///
    /// A piece that overlaps the new one is removed: its bytes outside the new piece have no
    /// checksum any more.
    mutating func insert(_ piece: BlockPiece) {
        self.blocks[piece.block, default: BlockParts()].insert(piece)
    }

    /// Removes every piece that a range touches.
    ///
    /// - Returns: the removed pieces' ranges, in order; these bytes have no checksum any more.
    @discardableResult
    mutating func remove(_ range: Range<Int64>) -> [Range<Int64>] {
        var removed: [Range<Int64>] = []
        for block in self.numbers(of: range) {
            removed += self.blocks[block]?.remove(range, ofBlock: block) ?? []
            if self.blocks[block]?.isEmpty == true { self.blocks[block] = nil }
        }
        return removed
    }

    /// The numbers of the blocks that a range touches, in order; for a long range, only blocks with
    /// pieces.
    private func numbers(of range: Range<Int64>) -> [Int64] {
        guard !range.isEmpty else { return [] }
        let first = range.lowerBound / BlockPiece.blockSize
        let last = (range.upperBound - 1) / BlockPiece.blockSize
        if last - first < Int64(self.blocks.count) { return Array(first...last) }
        return self.blocks.keys.filter { (first...last).contains($0) }.sorted()
    }
}
