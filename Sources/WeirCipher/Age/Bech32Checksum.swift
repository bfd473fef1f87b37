// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The checksum of a Bech32 text, a BCH code over groups of five bits (BIP-173, "Checksum").
struct Bech32Checksum {
    /// 30 bits: six groups, the first one in the highest bits.
    private var state: UInt32 = 1

    /// Starts with what stands before the separator: the high bits of each character, a zero, the low bits of each.
    ///
    /// - Parameter prefix: characters of ASCII in lower case.
    init(prefix: some Collection<UInt8>) {
        for character in prefix { self.take(character >> 5) }
        self.take(0)
        for character in prefix { self.take(character & 0x1F) }
    }

    /// Whether what was taken ends with its checksum.
    var isValid: Bool { self.state == 1 }

    /// The six groups that have to follow what was taken.
    var values: [UInt8] {
        var padded = self
        for _ in 0..<6 { padded.take(0) }
        let sum = padded.state ^ 1
        return (0..<6).map { UInt8(sum >> UInt32(5 * (5 - $0)) & 0x1F) }
    }

    /// Takes the next group of five bits.
    mutating func take(_ value: UInt8) {
        let top = self.state >> 25
        self.state = (self.state & 0x1FF_FFFF) << 5 ^ UInt32(value)
        for (bit, generator) in Self.generators.enumerated() where top >> UInt32(bit) & 1 == 1 {
            self.state ^= generator
        }
    }

    private static let generators: [UInt32] = [
        0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
    ]
}
