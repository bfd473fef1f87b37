// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes setup headers of Vorbis.
struct VorbisSetupBuilder {
    private(set) var bytes: [UInt8] = []
    private var used = 0

    /// Writes bits, the least significant first.
    mutating func write(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if self.used % 8 == 0 { self.bytes.append(0) }
            if value >> bit & 1 == 1 {
                self.bytes[self.bytes.count - 1] |= 1 << UInt8(self.used % 8)
            }
            self.used += 1
        }
    }

    /// A setup header that uses every form of codebook, both floors, coupling and submaps.
    ///
    /// - Parameters:
    ///   - modes: whether each mode has long blocks.
    ///   - channels: how many channels there are.
    /// - Returns: the packet.
    static func setup(modes: [Bool] = [false, true], channels: Int = 1) -> [UInt8] {
        var builder = VorbisSetupBuilder()
        builder.write(4 - 1, 8)
        builder.codebook(dimensions: 1, entries: 3) { builder in
            // In order: one entry of length 1, two of length 2.
            builder.write(1, 1)
            builder.write(0, 5)
            builder.write(1, 2)
            builder.write(2, 2)
            builder.write(0, 4)
        }
        builder.codebook(dimensions: 2, entries: 9) { builder in
            builder.write(0, 2)
            for _ in 0..<9 { builder.write(3, 5) }
            builder.write(1, 4)
            builder.write(0, 32)
            builder.write(0, 32)
            builder.write(4, 4)
            builder.write(0, 1)
            // 3 values, as 3² is 9.
            for _ in 0..<3 { builder.write(21, 5) }
        }
        builder.codebook(dimensions: 3, entries: 2) { builder in
            // Sparse: the second entry is not used.
            builder.write(0b10, 2)
            builder.write(1, 1)
            builder.write(0, 5)
            builder.write(0, 1)
            builder.write(2, 4)
            builder.write(0, 32)
            builder.write(0, 32)
            builder.write(0, 4)
            builder.write(1, 1)
            for _ in 0..<6 { builder.write(1, 1) }
        }
        builder.codebook(dimensions: 0, entries: 1) { builder in
            builder.write(0, 2)
            builder.write(0, 5)
            builder.write(0, 4)
        }
        builder.write(0, 6)
        builder.write(0, 16)
        builder.floorsAndResidues()
        builder.mapping(channels: channels)
        builder.write(modes.count - 1, 6)
        for isLong in modes {
            builder.write(isLong ? 1 : 0, 1)
            builder.write(0, 32)
            builder.write(0, 8)
        }
        builder.write(1, 1)
        return [5] + Array("vorbis".utf8) + builder.bytes
    }

    private mutating func codebook(dimensions: Int, entries: Int, _ rest: (inout Self) -> Void) {
        self.write(0x56_43_42, 24)
        self.write(dimensions, 16)
        self.write(entries, 24)
        rest(&self)
    }

    private mutating func floorsAndResidues() {
        self.write(2 - 1, 6)
        self.write(0, 16)
        for (value, count) in [
            (8, 8), (8000, 16), (64, 16), (6, 6), (0, 8), (1, 4), (0, 8), (1, 8),
        ] {
            self.write(value, count)
        }
        self.write(1, 16)
        self.write(2, 5)
        self.write(0, 4)
        self.write(1, 4)
        for subclasses in [0, 1] {
            self.write(2, 3)
            self.write(subclasses, 2)
            if subclasses > 0 { self.write(0, 8) }
            for _ in 0..<(1 << subclasses) { self.write(1, 8) }
        }
        self.write(1, 2)
        self.write(7, 4)
        for _ in 0..<6 { self.write(9, 7) }
        self.write(0, 6)
        self.write(2, 16)
        for _ in 0..<3 { self.write(0, 24) }
        self.write(2 - 1, 6)
        self.write(0, 8)
        self.write(0b101, 3)
        self.write(1, 1)
        self.write(0b10001, 5)
        self.write(0b010, 3)
        self.write(0, 1)
        for _ in 0..<5 { self.write(1, 8) }
    }

    private mutating func mapping(channels: Int) {
        self.write(0, 6)
        self.write(0, 16)
        self.write(1, 1)
        self.write(2 - 1, 4)
        let isCoupled = channels > 1
        self.write(isCoupled ? 1 : 0, 1)
        if isCoupled {
            let bits = Int.bitWidth - (channels - 1).leadingZeroBitCount
            self.write(0, 8)
            self.write(0, bits)
            self.write(1, bits)
        }
        self.write(0, 2)
        for _ in 0..<channels { self.write(1, 4) }
        for _ in 0..<2 { self.write(0, 24) }
    }
}
