// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Received bytes that are not passed on yet, in one piece, at their offsets in the stream.
///
/// The buffer copies the bytes, so that a few bytes do not keep a whole network chunk in memory.
struct StreamBuffer: Sendable {
    /// The offset of the first byte in the stream.
    private(set) var start: Int64 = 0
    private var storage: [UInt8] = []
    /// How many bytes at the front of the storage were dropped.
    private var droppedCount = 0

    /// How many bytes the buffer has.
    var count: Int { self.storage.count - self.droppedCount }
    /// The offset of the next byte.
    var end: Int64 { self.start + Int64(self.count) }

    /// Appends bytes.
    mutating func append(_ bytes: ByteMemory) {
        bytes.withUnsafeBytes { self.storage.append(contentsOf: $0) }
    }

    /// A copy of a part; bytes outside the buffer are left out.
    subscript(range: Range<Int64>) -> ByteMemory {
        let lower = min(max(range.lowerBound, self.start), self.end)
        let upper = min(max(range.upperBound, lower), self.end)
        let first = self.droppedCount + Int(lower - self.start)
        return self.storage.withUnsafeBytes { bytes in
            ByteMemory(copying: bytes[first..<first + Int(upper - lower)])
        }
    }

    /// Drops the bytes before an offset.
    mutating func drop(before offset: Int64) {
        let count = Int(min(max(offset, self.start), self.end) - self.start)
        self.start += Int64(count)
        self.droppedCount += count
        guard self.droppedCount >= self.storage.count / 2 else { return }
        self.storage.removeFirst(self.droppedCount)
        self.droppedCount = 0
    }

    /// Removes and returns the bytes before an offset.
    mutating func take(before offset: Int64) -> ByteMemory {
        defer { self.drop(before: offset) }
        return self[self.start..<max(self.start, offset)]
    }

    /// Drops everything, and continues at another offset.
    mutating func restart(at offset: Int64) {
        self.storage.removeAll(keepingCapacity: true)
        self.droppedCount = 0
        self.start = offset
    }
}
