// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The bytes that a generation has accepted and not yet written to its file, in the order of their arrival.
///
/// Readers get them from memory. Pure; ``Generation`` writes them.
struct AcceptedBytes: Sendable {
    /// How much memory may wait for the disk before a fetch waits, too: 8 MiB.
    static let limit: Int64 = 8 << 20
    /// The least memory that a piece counts for.
    private static let leastWeight: Int64 = 1024
    /// A smaller piece is copied, since it would keep the memory of a whole receive buffer.
    private static let leastShared = 32 << 10

    /// The accepted ranges.
    private(set) var ranges = RangeSet<Int64>()
    /// How many bytes wait.
    private(set) var count: Int64 = 0
    /// How much memory they count for.
    private(set) var weight: Int64 = 0
    private var pieces: [ByteChunk] = []
    /// The pieces before this one are written.
    private var firstIndex = 0

    var isEmpty: Bool { self.count == 0 }

    /// The piece to write next.
    var first: ByteChunk? { self.isEmpty ? nil : self.pieces[self.firstIndex] }

    /// Adds bytes that are neither held nor accepted yet.
    mutating func add(_ bytes: ByteMemory, at offset: Int64) {
        let isSmall = bytes.count < Self.leastShared
        let own = isSmall ? ByteMemory(bytes.withUnsafeBytes { Array($0) }) : bytes
        let piece = ByteChunk(at: offset, memory: own)
        self.pieces.append(piece)
        self.ranges.insert(contentsOf: piece.range)
        self.count += Int64(piece.count)
        self.weight += Self.weight(of: piece)
    }

    /// Removes the first piece, which the file has now.
    mutating func removeFirst() {
        guard let piece = self.first else { return }
        self.ranges.remove(contentsOf: piece.range)
        self.count -= Int64(piece.count)
        self.weight -= Self.weight(of: piece)
        self.firstIndex += 1
        // Moves each piece once on average.
        guard self.isEmpty || self.firstIndex > self.pieces.count / 2 else { return }
        self.pieces.removeFirst(self.firstIndex)
        self.firstIndex = 0
    }

    /// The accepted bytes from an offset up to an end or the end of their piece; `nil` if the offset is in no piece.
    ///
    /// Takes time in proportion to the number of pieces: at most 8,192, and few while the disk keeps up.
    func chunk(at offset: Int64, before end: Int64) -> ByteChunk? {
        guard !self.isEmpty, offset < end, self.ranges.contains(offset) else { return nil }
        let piece = self.pieces[self.firstIndex...].last { $0.range.contains(offset) }
        return piece?.clamped(to: offset..<end)
    }

    private static func weight(of piece: ByteChunk) -> Int64 {
        max(Int64(piece.count), Self.leastWeight)
    }
}
