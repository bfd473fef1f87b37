// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Bytes of a stream that have come and are not passed on yet, in one piece, at their offsets in the stream.
///
/// They are copied in: a chunk of the network, with all the memory it holds, is not kept for a few bytes of it.
struct StreamBuffer: Sendable {
    /// Where the first byte lies in the stream.
    private(set) var start: Int64 = 0
    private var storage: [UInt8] = []
    /// How many bytes at the front of the storage were dropped.
    private var droppedCount = 0

    /// How many there are.
    var count: Int { self.storage.count - self.droppedCount }
    /// Where the next byte will lie.
    var end: Int64 { self.start + Int64(self.count) }

    /// Appends bytes.
    mutating func append(_ bytes: ByteMemory) {
        bytes.withUnsafeBytes { self.storage.append(contentsOf: $0) }
    }

    /// A copy of a part; what of it is not there is left out.
    subscript(range: Range<Int64>) -> ByteMemory {
        let lower = min(max(range.lowerBound, self.start), self.end)
        let upper = min(max(range.upperBound, lower), self.end)
        let first = self.droppedCount + Int(lower - self.start)
        return self.storage.withUnsafeBytes { bytes in
            ByteMemory(copying: bytes[first..<first + Int(upper - lower)])
        }
    }

    /// Drops what lies before an offset.
    mutating func drop(before offset: Int64) {
        let count = Int(min(max(offset, self.start), self.end) - self.start)
        self.start += Int64(count)
        self.droppedCount += count
        guard self.droppedCount >= self.storage.count / 2 else { return }
        self.storage.removeFirst(self.droppedCount)
        self.droppedCount = 0
    }

    /// Takes out what lies before an offset.
    mutating func take(before offset: Int64) -> ByteMemory {
        defer { self.drop(before: offset) }
        return self[self.start..<max(self.start, offset)]
    }

    /// Drops everything, and goes on at another offset.
    mutating func restart(at offset: Int64) {
        self.storage.removeAll(keepingCapacity: true)
        self.droppedCount = 0
        self.start = offset
    }
}
