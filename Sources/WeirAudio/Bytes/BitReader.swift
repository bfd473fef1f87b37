// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads bits, the most significant of each byte first; past the end there is nothing, not even a trap.
struct BitReader {
    private let view: ByteView
    /// How many bits have been read.
    private(set) var position: Int

    init(_ view: ByteView, at position: Int = 0) {
        self.view = view
        self.position = position
    }

    /// How many bits are left.
    var remaining: Int { self.view.count * 8 - self.position }

    /// The next bits as a number.
    ///
    /// - Parameter count: how many, 0 to 64.
    /// - Returns: `nil` if there are not as many.
    mutating func read(_ count: Int) -> UInt64? {
        guard count >= 0, count <= 64, count <= self.remaining else { return nil }
        var value: UInt64 = 0
        var left = count
        while left > 0 {
            let used = self.position & 7
            let taken = min(8 - used, left)
            let byte = self.view[self.position >> 3]
            let bits = (byte &<< UInt8(used)) >> UInt8(8 - taken)
            value = value << UInt64(taken) | UInt64(bits)
            self.position += taken
            left -= taken
        }
        return value
    }

    /// Goes on, at most to the end.
    ///
    /// - Returns: whether there were as many bits.
    @discardableResult
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= self.remaining else { return false }
        self.position += count
        return true
    }
}
