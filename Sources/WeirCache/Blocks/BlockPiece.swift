// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes inside one 64 KiB block of a resource, and their checksum.
///
/// Block n holds the bytes n·65,536 ..< (n+1)·65,536. A completely held block is one piece. If a
/// run covers only a part of a block, the piece has the checksum of just these bytes. So a run may
/// start and end anywhere.
struct BlockPiece: Hashable, Sendable {
    /// Bytes in a block.
    static let blockSize: Int64 = 65_536

    /// The position of the bytes in the resource; never empty, never in two blocks.
    let range: Range<Int64>
    /// CRC-32C of the bytes.
    let checksum: Checksum

    /// The number of its block.
    var block: Int64 { self.range.lowerBound / Self.blockSize }

    /// Cuts a range at the boundaries of blocks.
    static func ranges(in range: Range<Int64>) -> [Range<Int64>] {
        guard !range.isEmpty else { return [] }
        var ranges: [Range<Int64>] = []
        ranges.reserveCapacity(Self.count(in: range))
        var lower = range.lowerBound
        while lower < range.upperBound {
            let rest = Self.blockSize - lower % Self.blockSize
            let upper = lower + min(rest, range.upperBound - lower)
            ranges.append(lower..<upper)
            lower = upper
        }
        return ranges
    }

    /// How many blocks a range touches.
    static func count(in range: Range<Int64>) -> Int {
        guard !range.isEmpty else { return 0 }
        return Int((range.upperBound - 1) / Self.blockSize - range.lowerBound / Self.blockSize) + 1
    }

    /// Cuts bytes at the boundaries of blocks, and computes the checksum of each piece.
    ///
    /// - Parameters:
    ///   - bytes: as many bytes as `range` has.
    ///   - range: their position in the resource.
    /// - Returns: the pieces, in order.
    static func pieces(of bytes: UnsafeRawBufferPointer, at range: Range<Int64>) -> [BlockPiece] {
        self.ranges(in: range).map { part in
            var checksum = Checksum()
            let lower = Int(part.lowerBound - range.lowerBound)
            let upper = Int(part.upperBound - range.lowerBound)
            checksum.take(UnsafeRawBufferPointer(rebasing: bytes[lower..<upper]))
            return BlockPiece(range: part, checksum: checksum)
        }
    }
}
