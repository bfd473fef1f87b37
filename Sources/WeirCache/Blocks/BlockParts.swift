// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The pieces of one block, in order; no two of them are adjacent.
struct BlockParts: Sendable {
    /// A piece, relative to its block.
    private struct Part {
        var lower: Int32
        var upper: Int32
        var checksum: Checksum
    }

    private var parts: [Part] = []

    var isEmpty: Bool { self.parts.isEmpty }

    /// All pieces.
    func pieces(ofBlock block: Int64) -> [BlockPiece] {
        self.parts.map { Self.piece($0, ofBlock: block) }
    }

    /// The pieces that a range of the resource touches.
    func pieces(ofBlock block: Int64, in range: Range<Int64>) -> [BlockPiece] {
        self.parts[self.indices(in: Self.relative(range, toBlock: block))].map {
            Self.piece($0, ofBlock: block)
        }
    }

    /// Adds a piece, joins it with adjacent pieces, and removes those that it overlaps.
    mutating func insert(_ piece: BlockPiece) {
        let place = Self.relative(piece.range, toBlock: piece.block)
        var new = Part(lower: place.lowerBound, upper: place.upperBound, checksum: piece.checksum)
        var replaced = self.indices(in: place)
        if let before = replaced.lowerBound > 0 ? self.parts[replaced.lowerBound - 1] : nil,
            before.upper == new.lower
        {
            replaced = (replaced.lowerBound - 1)..<replaced.upperBound
            new = Self.joined(before, new)
        }
        if let after = replaced.upperBound < self.parts.count
            ? self.parts[replaced.upperBound] : nil,
            after.lower == new.upper
        {
            replaced = replaced.lowerBound..<(replaced.upperBound + 1)
            new = Self.joined(new, after)
        }
        self.parts.replaceSubrange(replaced, with: CollectionOfOne(new))
    }

    /// Removes every piece that a range of the resource touches.
    ///
    /// - Returns: the removed pieces' ranges.
    mutating func remove(_ range: Range<Int64>, ofBlock block: Int64) -> [Range<Int64>] {
        let indices = self.indices(in: Self.relative(range, toBlock: block))
        let removed = self.parts[indices].map { Self.piece($0, ofBlock: block).range }
        self.parts.removeSubrange(indices)
        return removed
    }

    /// The parts that a range overlaps, found by bisection.
    private func indices(in range: Range<Int32>) -> Range<Int> {
        let first = self.firstIndex { $0.upper > range.lowerBound }
        let end = self.firstIndex { $0.lower >= range.upperBound }
        return first..<max(first, end)
    }

    /// The first part for which the condition is true; it must be true for all later parts as well.
    private func firstIndex(where isBehind: (Part) -> Bool) -> Int {
        var low = 0
        var high = self.parts.count
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self.parts[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func relative(_ range: Range<Int64>, toBlock block: Int64) -> Range<Int32> {
        let start = block * BlockPiece.blockSize
        let lower = max(range.lowerBound - start, 0)
        let upper = min(range.upperBound - start, BlockPiece.blockSize)
        return Int32(clamping: lower)..<Int32(clamping: max(lower, upper))
    }

    private static func piece(_ part: Part, ofBlock block: Int64) -> BlockPiece {
        let start = block * BlockPiece.blockSize
        return BlockPiece(
            range: (start + Int64(part.lower))..<(start + Int64(part.upper)),
            checksum: part.checksum
        )
    }

    private static func joined(_ left: Part, _ right: Part) -> Part {
        Part(
            lower: left.lower,
            upper: right.upper,
            checksum: left.checksum.joined(
                with: right.checksum,
                count: Int64(right.upper - right.lower)
            )
        )
    }
}

/// A run of held bytes with the checksum of its part in each block, as a journal claims it.
struct CheckedRun: Hashable, Sendable {
    /// The position of the bytes in the resource; never empty.
    let range: Range<Int64>
    /// One checksum for each block that the run touches, in order.
    let checksums: [Checksum]

    /// Creates a run; `nil` unless there is exactly one checksum for each of its blocks.
    init?(_ range: Range<Int64>, _ checksums: [Checksum]) {
        guard range.lowerBound >= 0, !range.isEmpty,
            checksums.count == BlockPiece.count(in: range)
        else { return nil }
        self.range = range
        self.checksums = checksums
    }

    /// Joins consecutive pieces; `nil` if there is a gap between them.
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
