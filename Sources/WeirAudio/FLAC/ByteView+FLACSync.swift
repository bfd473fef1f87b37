// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ByteView {
    /// Where the first sync code of a FLAC frame is, `FF F8` or `FF F9` (RFC 9639 §9.1).
    ///
    /// Sixteen bytes at a time are asked whether one of them is `FF` and the one behind it fits.
    ///
    /// - Parameter offset: where to begin, from 0.
    /// - Returns: the offset of its first byte; `nil` if there is none, though a last byte `FF` may begin one.
    func firstFLACSync(from offset: Int) -> Int? {
        let end = self.count &- 1
        var index = max(0, offset)
        while index < end {
            while index &+ 17 <= self.count {
                let found = self.syncs(index) | self.syncs(index &+ 8)
                if found != 0 { break }
                index &+= 16
            }
            let stop = min(index &+ 16, end)
            while index < stop {
                if self.base[index] == 0xFF, self.base[index &+ 1] & 0xFE == 0xF8 { return index }
                index &+= 1
            }
        }
        return nil
    }

    /// Whether there are sync codes in the nine bytes at an offset, which are there: not 0 if so.
    @inline(__always)
    private func syncs(_ offset: Int) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let start = UnsafeRawPointer(self.base + offset)
        let first = start.loadUnaligned(as: UInt64.self)
        let second = start.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
        // A byte of this is 0 where both fit.
        let misfit = ~first | (second ^ (ones &* 0xF8)) & (ones &* 0xFE)
        return (misfit &- ones) & ~misfit & (ones &<< 7)
    }
}
