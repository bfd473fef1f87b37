// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads bits, the most significant of each byte first; a read past the end returns `nil`.
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
    /// - Returns: `nil` if fewer bits are left.
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

    /// Skips bits.
    ///
    /// - Returns: `false`, without skipping, if fewer bits are left.
    @discardableResult
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= self.remaining else { return false }
        self.position += count
        return true
    }
}

/// Reads bits as Vorbis packs them (Vorbis I §2.1): the least significant of each byte first.
struct VorbisBitReader {
    private let view: ByteView
    /// How many bits have been read.
    private var position = 0

    init(_ view: ByteView) {
        self.view = view
    }

    /// The next bits as a number.
    ///
    /// - Parameter count: how many, 0 to 32.
    /// - Returns: `nil` if fewer bits are left.
    mutating func read(_ count: Int) -> Int? {
        guard count >= 0, count <= 32, count <= self.view.count * 8 - self.position else {
            return nil
        }
        var value: UInt64 = 0
        var taken = 0
        while taken < count {
            let used = self.position & 7
            let bits = min(8 - used, count - taken)
            let byte = UInt64(self.view[self.position >> 3]) >> UInt64(used)
            value |= (byte & (1 << UInt64(bits) - 1)) << UInt64(taken)
            taken += bits
            self.position += bits
        }
        return Int(value)
    }

    /// The next bit.
    mutating func flag() -> Bool? { self.read(1).map { $0 == 1 } }

    /// Skips a number of bits, from 0.
    ///
    /// - Returns: `nil`, without skipping, if fewer bits are left.
    mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, count <= self.view.count * 8 - self.position else { return nil }
        self.position += count
        return ()
    }
}
