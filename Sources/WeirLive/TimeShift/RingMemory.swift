// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The newest bytes of a ring, in blocks.
struct RingMemory: Sendable {
    private let blockSize: Int
    private let limit: Int
    /// The blocks, all full but the last.
    private var blocks: [RingBlock] = []
    /// The offset of the first block in the stream, a multiple of the block size.
    private(set) var start: Int64 = 0

    /// An empty memory.
    ///
    /// - Parameters:
    ///   - block: how many bytes a block has.
    ///   - limit: how many bytes stay; one more block is being filled.
    init(block: Int, limit: Int) {
        self.blockSize = block
        self.limit = max(block, limit)
    }

    /// Appends bytes at the end.
    mutating func append(_ bytes: ByteMemory) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                if self.blocks.last?.room ?? 0 == 0 {
                    self.blocks.append(RingBlock(capacity: self.blockSize))
                }
                let count = self.blocks[self.blocks.count - 1].fill(rest)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Removes the oldest block, if there are more bytes than the limit allows.
    ///
    /// - Returns: its offset in the stream, and its bytes.
    mutating func evict() -> (offset: Int64, bytes: ByteMemory)? {
        guard self.blocks.count * self.blockSize > self.limit + self.blockSize else { return nil }
        let block = self.blocks.removeFirst()
        defer { self.start += Int64(self.blockSize) }
        return (self.start, block.view(0..<self.blockSize))
    }

    /// Contiguous bytes from an offset on.
    ///
    /// - Parameters:
    ///   - offset: from ``start`` to before the end.
    ///   - limit: how many bytes at most.
    /// - Returns: the bytes; none at the end.
    func bytes(at offset: Int64, limit: Int) -> ByteMemory {
        let place = Int(offset - self.start)
        let (index, within) = place.quotientAndRemainder(dividingBy: self.blockSize)
        guard place >= 0, index < self.blocks.count else { return .empty }
        let block = self.blocks[index]
        guard within < block.filled else { return .empty }
        return block.view(within..<min(block.filled, within + max(1, limit)))
    }

    /// Releases all blocks.
    mutating func removeAll() {
        self.blocks = []
    }
}

/// The slots of a ring's extents in its file.
///
/// A free slot is reused, the first one first. So the file is never larger than the most bytes kept at one time.
struct RingSlots: Sendable {
    private var slots: [Int64: Int] = [:]
    private var free: Set<Int> = []

    /// The slot of an extent, if it has one.
    func slot(of extent: Int64) -> Int? { self.slots[extent] }

    /// The slot of an extent; assigns one if it has none.
    mutating func assign(_ extent: Int64) -> Int {
        if let slot = self.slots[extent] { return slot }
        let slot = self.free.min() ?? self.slots.count
        self.free.remove(slot)
        self.slots[extent] = slot
        return slot
    }

    /// Frees the slots of all extents before one.
    mutating func release(before extent: Int64) {
        for (old, slot) in self.slots where old < extent {
            self.slots[old] = nil
            self.free.insert(slot)
        }
    }
}

/// The portions in which a ring is kept, and the limits of its index.
struct RingGeometry: Sendable {
    /// The number of bytes in a block; memory is allocated, and the disk is written, a block at a time.
    var block = 64 << 10
    /// How many bytes are dropped together; a multiple of ``block``.
    var extent = 1 << 20
    /// How many of the newest bytes stay in memory; older ones are written to disk.
    var memory = 1 << 20
    /// The smallest time between two joints.
    var markDistance = Duration.milliseconds(250)
    /// How many events are kept.
    var events = 16 << 10
    /// How many bytes the events may take.
    var eventBytes = 4 << 20
    /// How many headers of logical streams are kept.
    var links = 1 << 10
    /// How many bytes these headers may have together.
    var headBytes = 8 << 20
    /// How many joints are kept.
    var marks = 1 << 17
    /// How many packets are kept: half an hour of radio's shortest packets, 10 ms.
    var packets = 180_000
}
