// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// The bytes of a connection that have come and belong to no packet yet, in one piece.
///
/// They are copied in: a chunk of the network, with all the memory it holds, is not kept for a few bytes of it.
struct UnprovenBytes: Sendable {
    /// Where the first lies, counted from the start of the connection's sound.
    private(set) var start: Int64 = 0
    private var storage: [UInt8] = []
    /// How many at the front of the storage are gone.
    private var gone = 0

    /// How many there are.
    var count: Int { self.storage.count - self.gone }
    /// Where the next byte will lie.
    var end: Int64 { self.start + Int64(self.count) }

    /// Bytes came.
    mutating func append(_ bytes: ByteMemory) {
        bytes.withUnsafeBytes { self.storage.append(contentsOf: $0) }
    }

    /// A copy of a part; what of it is not there is left out.
    subscript(range: Range<Int64>) -> ByteMemory {
        let lower = min(max(range.lowerBound, self.start), self.end)
        let upper = min(max(range.upperBound, lower), self.end)
        let first = self.gone + Int(lower - self.start)
        return self.storage.withUnsafeBytes { bytes in
            ByteMemory(copying: bytes[first..<first + Int(upper - lower)])
        }
    }

    /// Forgets what lies before an offset.
    mutating func drop(before offset: Int64) {
        let count = Int(min(max(offset, self.start), self.end) - self.start)
        self.start += Int64(count)
        self.gone += count
        guard self.gone >= self.storage.count / 2 else { return }
        self.storage.removeFirst(self.gone)
        self.gone = 0
    }
}
