// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// AES for one block (FIPS 197), written as in the standard and slow; not Apple's.
struct StubAES: Sendable {
    /// The round keys, one after the other.
    private let schedule: [UInt8]

    /// Expands a key (§5.2).
    ///
    /// - Parameter key: 16, 24 or 32 bytes.
    init(key: [UInt8]) {
        let words = key.count / 4
        var schedule = key
        var constant: UInt8 = 1
        for word in words..<(4 * (words + 7)) {
            var last = Array(schedule.suffix(4))
            if word.isMultiple(of: words) {
                last = [last[1], last[2], last[3], last[0]].map { Self.box[Int($0)] }
                last[0] ^= constant
                constant = Self.doubled(constant)
            } else if words > 6, word % words == 4 {
                last = last.map { Self.box[Int($0)] }
            }
            let before = schedule[(4 * (word - words))..<(4 * (word - words) + 4)]
            schedule += zip(before, last).map { $0 ^ $1 }
        }
        self.schedule = schedule
    }

    /// Encrypts a block (§5.1).
    func encrypted(_ block: [UInt8]) -> [UInt8] {
        let last = self.schedule.count / 16 - 1
        var state = self.joined(block, 0)
        for round in 1...last {
            // SubBytes and ShiftRows.
            state = (0..<16).map { Self.box[Int(state[($0 + 4 * ($0 % 4)) % 16])] }
            if round < last { state = Self.mixed(state, Self.forwards) }
            state = self.joined(state, round)
        }
        return state
    }

    /// Decrypts a block (§5.3).
    func decrypted(_ block: [UInt8]) -> [UInt8] {
        let last = self.schedule.count / 16 - 1
        var state = block
        for round in (1...last).reversed() {
            state = self.joined(state, round)
            if round < last { state = Self.mixed(state, Self.backwards) }
            state = (0..<16).map { Self.inverseBox[Int(state[($0 + 12 * ($0 % 4)) % 16])] }
        }
        return self.joined(state, 0)
    }

    /// AddRoundKey.
    private func joined(_ state: [UInt8], _ round: Int) -> [UInt8] {
        zip(state, self.schedule[(16 * round)..<(16 * round + 16)]).map { $0 ^ $1 }
    }

    /// MixColumns: each byte is the sum of its column's bytes, each multiplied by one of four numbers.
    private static func mixed(_ state: [UInt8], _ products: [[UInt8]]) -> [UInt8] {
        (0..<16).map { index in
            let column = index / 4 * 4
            return (0..<4).reduce(UInt8(0)) { sum, row in
                sum ^ products[row][Int(state[column + (index + row) % 4])]
            }
        }
    }

    private static let forwards = [2, 3, 1, 1].map { factor in table(factor) }
    private static let backwards = [14, 11, 13, 9].map { factor in table(factor) }

    private static func table(_ factor: UInt8) -> [UInt8] {
        (0...255).map { product(factor, UInt8($0)) }
    }

    private static func doubled(_ byte: UInt8) -> UInt8 {
        byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1B)
    }

    /// A product in GF(2⁸) (§4.2).
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (left, right, sum) = (left, right, UInt8(0))
        while right > 0 {
            if right & 1 == 1 { sum ^= left }
            left = doubled(left)
            right >>= 1
        }
        return sum
    }

    /// The S-box (§5.1.1): the inverse in GF(2⁸), then an affine map.
    private static let box: [UInt8] = (0...255).map { value in
        let byte = UInt8(value)
        let inverse = (1...255).map { UInt8($0) }.first { product(byte, $0) == 1 } ?? 0
        let turned = (0...4).map { inverse << $0 | (inverse >> 1) >> (7 - $0) }
        return turned.reduce(0x63, ^)
    }

    private static let inverseBox: [UInt8] = {
        var inverse = [UInt8](repeating: 0, count: 256)
        for (value, byte) in box.enumerated() { inverse[Int(byte)] = UInt8(value) }
        return inverse
    }()
}
