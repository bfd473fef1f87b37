// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// The newest bytes of a ring, in blocks.
struct RingMemory: Sendable {
    private let blockSize: Int
    private let limit: Int
    /// The blocks, all full but the last.
    private var blocks: [RingBlock] = []
    /// Where the first of them begins in the stream, a multiple of the block size.
    private(set) var start: Int64 = 0

    /// - Parameters:
    ///   - block: how many bytes a block has.
    ///   - limit: how many bytes stay; one block more is being filled.
    init(block: Int, limit: Int) {
        self.blockSize = block
        self.limit = max(block, limit)
    }

    /// Puts bytes to the end.
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

    /// Takes the oldest block away, if there is more than may stay.
    ///
    /// - Returns: where it begins in the stream, and its bytes.
    mutating func evict() -> (offset: Int64, bytes: ByteMemory)? {
        guard self.blocks.count * self.blockSize > self.limit + self.blockSize else { return nil }
        let block = self.blocks.removeFirst()
        defer { self.start += Int64(self.blockSize) }
        return (self.start, block.view(0..<self.blockSize))
    }

    /// Bytes from an offset on, as many as lie in one piece.
    ///
    /// - Parameters:
    ///   - offset: from ``start`` to before the end.
    ///   - limit: how many at most.
    /// - Returns: none at the end.
    func bytes(at offset: Int64, limit: Int) -> ByteMemory {
        let place = Int(offset - self.start)
        let (index, within) = place.quotientAndRemainder(dividingBy: self.blockSize)
        guard place >= 0, index < self.blocks.count else { return .empty }
        let block = self.blocks[index]
        guard within < block.filled else { return .empty }
        return block.view(within..<min(block.filled, within + max(1, limit)))
    }

    /// Lets all go.
    mutating func removeAll() {
        self.blocks = []
    }
}
