// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A run of held bytes with the checksum of its part in each block: what a journal claims.
struct CheckedRun: Hashable, Sendable {
    /// The bytes' place in the resource; never empty.
    let range: Range<Int64>
    /// One for each block that the run touches, in order.
    let checksums: [Checksum]

    /// A run, if there is a checksum for each of its blocks and no more.
    init?(_ range: Range<Int64>, _ checksums: [Checksum]) {
        guard range.lowerBound >= 0, !range.isEmpty,
            checksums.count == BlockPiece.count(in: range)
        else { return nil }
        self.range = range
        self.checksums = checksums
    }

    /// Pieces that lie one after the other without a gap; `nil` for others.
    init?(_ pieces: some Collection<BlockPiece>) {
        guard let first = pieces.first else { return nil }
        var upper = first.range.lowerBound
        for piece in pieces {
            guard piece.range.lowerBound == upper else { return nil }
            upper = piece.range.upperBound
        }
        self.init(first.range.lowerBound..<upper, pieces.map(\.checksum))
    }

    /// The run's part in each block.
    var pieces: [BlockPiece] {
        zip(BlockPiece.ranges(in: self.range), self.checksums).map(BlockPiece.init)
    }
}
