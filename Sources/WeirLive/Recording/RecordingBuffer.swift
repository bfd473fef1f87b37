// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// Bytes that have come and of which it is not known yet whether, and in which file, they are written.
struct RecordingBuffer: Sendable {
    private var bytes: [UInt8] = []
    /// Where the first of them is in the stream.
    private(set) var start: Int64 = 0

    /// Where the next one goes.
    var end: Int64 { self.start + Int64(self.bytes.count) }

    /// Lets all go, and goes on elsewhere.
    mutating func restart(at offset: Int64) {
        self.bytes.removeAll(keepingCapacity: true)
        self.start = offset
    }

    /// Puts bytes to the end.
    mutating func append(_ more: ByteMemory) {
        more.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }

    /// Takes what is before an offset.
    mutating func take(to offset: Int64) -> ByteMemory {
        let count = self.index(offset)
        let taken = ByteMemory(copying: self.bytes[..<count])
        self.drop(to: offset)
        return taken
    }

    /// Lets go what is before an offset.
    mutating func drop(to offset: Int64) {
        let count = self.index(offset)
        self.bytes.removeFirst(count)
        self.start += Int64(count)
    }

    /// A copy of the bytes of a range, as far as they are here.
    func copy(_ range: Range<Int64>) -> [UInt8] {
        Array(self.bytes[self.index(range.lowerBound)..<self.index(range.upperBound)])
    }

    private func index(_ offset: Int64) -> Int {
        Int(min(max(offset - self.start, 0), Int64(self.bytes.count)))
    }
}
