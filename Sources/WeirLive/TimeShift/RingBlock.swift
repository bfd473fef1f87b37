// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Memory that is filled once, front to back.
///
/// `@unchecked Sendable`: the filler of the block writes each byte once, before it moves ``filled`` behind the
/// byte. Only bytes before ``filled`` are lent. Filling, and lending from a block that is being filled, happen
/// under the lock of the block's owner. Lent bytes are never written again.
final class RingBlock: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    /// How many bytes it holds.
    private(set) var filled = 0

    /// A block.
    ///
    /// - Parameter capacity: how many bytes it can take, from 1.
    init(capacity: Int) {
        self.memory = .allocate(byteCount: max(1, capacity), alignment: 16)
    }

    deinit {
        self.memory.deallocate()
    }

    /// How many more bytes it can take.
    var room: Int { self.memory.count - self.filled }

    /// Takes as many bytes as there is room for.
    ///
    /// - Returns: how many it took.
    func fill(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, self.room)
        guard count > 0 else { return 0 }
        UnsafeMutableRawBufferPointer(rebasing: self.memory[self.filled...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        self.filled += count
        return count
    }

    /// Lends the free space to a writer.
    ///
    /// - Parameter write: gets the free space, and returns how many bytes it wrote.
    /// - Throws: the error of `write`.
    func fill<Failure: Error>(
        _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: self.memory[self.filled...])
        self.filled += min(max(0, try write(rest)), rest.count)
    }

    /// A part of its bytes, counted from the front; keeps the block alive.
    func view(_ range: Range<Int>) -> ByteMemory {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= self.filled,
            "outside of the block"
        )
        return ByteMemory(
            UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(self.memory)[range]),
            owner: self
        )
    }
}
