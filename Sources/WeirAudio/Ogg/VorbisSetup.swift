// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The modes of a Vorbis stream, from its third header packet: a packet's mode gives its block
/// size, and so its duration.
///
/// The modes come last, so the reader skips everything before them (Vorbis I §4.2.4): codebooks,
/// time domain transforms, floors, residues, mappings.
struct VorbisSetup: Hashable, Sendable {
    /// How many modes there are, 1 to 64.
    let modeCount: Int
    /// The modes that use long blocks, as bits.
    let longModes: UInt64

    /// Reads the packet; `nil` if it is not such a header, or breaks a rule.
    ///
    /// - Parameters:
    ///   - view: the packet, with its `5, "vorbis"`.
    ///   - channelCount: from the first header packet.
    init?(_ view: ByteView, channelCount: Int) {
        guard view.count > 7, view.matches("\u{5}vorbis") else { return nil }
        var reader = VorbisBitReader(view[7..<view.count])
        guard let codebooks = reader.read(8) else { return nil }
        for _ in 0...codebooks {
            guard Self.skipCodebook(&reader) != nil else { return nil }
        }
        guard let transforms = reader.read(6) else { return nil }
        for _ in 0...transforms {
            guard reader.read(16) == 0 else { return nil }
        }
        guard Self.skipFloors(&reader) != nil, Self.skipResidues(&reader) != nil,
            Self.skipMappings(&reader, channelCount: channelCount) != nil,
            let modes = reader.read(6)
        else { return nil }
        var long: UInt64 = 0
        for mode in 0...modes {
            guard let isLong = reader.flag(), reader.read(16) == 0, reader.read(16) == 0,
                reader.skip(8) != nil
            else { return nil }
            if isLong { long |= 1 << UInt64(mode) }
        }
        guard reader.flag() == true else { return nil }
        self.modeCount = modes + 1
        self.longModes = long
    }

    // MARK: Skipped parts

    /// A codebook (§3.2.1).
    private static func skipCodebook(_ reader: inout VorbisBitReader) -> Void? {
        guard reader.read(24) == 0x56_43_42, let dimensions = reader.read(16),
            let entries = reader.read(24),
            let isOrdered = reader.flag()
        else { return nil }
        if isOrdered {
            guard reader.skip(5) != nil else { return nil }
            var entry = 0
            // Every iteration reads at least a bit.
            while entry < entries {
                guard let run = reader.read(self.bitCount(entries - entry)) else { return nil }
                entry += run
            }
            guard entry == entries else { return nil }
        } else {
            guard let isSparse = reader.flag() else { return nil }
            for _ in 0..<entries {
                if isSparse {
                    guard let isUsed = reader.flag() else { return nil }
                    if !isUsed { continue }
                }
                guard reader.skip(5) != nil else { return nil }
            }
        }
        guard let lookup = reader.read(4), lookup <= 2 else { return nil }
        guard lookup > 0 else { return () }
        guard reader.skip(64) != nil, let bits = reader.read(4), reader.skip(1) != nil else {
            return nil
        }
        // The product fits: 24 bits of entries, 16 bits of dimensions and 5 bits of width are far
        // below 64.
        let values = lookup == 1 ? self.root(entries, dimensions) : entries * dimensions
        return reader.skip(values * (bits + 1))
    }

    /// The floors (§6.2.1, §7.2.2).
    private static func skipFloors(_ reader: inout VorbisBitReader) -> Void? {
        guard let floors = reader.read(6) else { return nil }
        for _ in 0...floors {
            switch reader.read(16) {
            case 0:
                guard reader.skip(8 + 16 + 16 + 6 + 8) != nil, let books = reader.read(4),
                    reader.skip((books + 1) * 8) != nil
                else { return nil }
            case 1:
                guard self.skipFloor1(&reader) != nil else { return nil }
            default:
                return nil
            }
        }
        return ()
    }

    private static func skipFloor1(_ reader: inout VorbisBitReader) -> Void? {
        guard let partitions = reader.read(5) else { return nil }
        var classes: [Int] = []
        for _ in 0..<partitions {
            guard let number = reader.read(4) else { return nil }
            classes.append(number)
        }
        var dimensions: [Int] = []
        for _ in 0..<(classes.max() ?? -1) + 1 {
            guard let size = reader.read(3), let subclasses = reader.read(2),
                reader.skip((subclasses > 0 ? 8 : 0) + (1 << subclasses) * 8) != nil
            else { return nil }
            dimensions.append(size + 1)
        }
        guard reader.skip(2) != nil, let range = reader.read(4) else { return nil }
        return reader.skip(classes.reduce(0) { $0 + dimensions[$1] * range })
    }

    /// The residues (§8.6.1).
    private static func skipResidues(_ reader: inout VorbisBitReader) -> Void? {
        guard let residues = reader.read(6) else { return nil }
        for _ in 0...residues {
            guard let type = reader.read(16), type <= 2, reader.skip(24 + 24 + 24) != nil,
                let classes = reader.read(6), reader.skip(8) != nil
            else { return nil }
            var books = 0
            for _ in 0...classes {
                guard let low = reader.read(3), let hasHigh = reader.flag(),
                    let high = reader.read(hasHigh ? 5 : 0)
                else { return nil }
                books += low.nonzeroBitCount + high.nonzeroBitCount
            }
            guard reader.skip(books * 8) != nil else { return nil }
        }
        return ()
    }

    /// The mappings (§4.2.4, step 5).
    private static func skipMappings(_ reader: inout VorbisBitReader, channelCount: Int) -> Void? {
        guard let mappings = reader.read(6) else { return nil }
        for _ in 0...mappings {
            guard reader.read(16) == 0, let hasSubmaps = reader.flag(),
                let submaps = hasSubmaps ? reader.read(4).map({ $0 + 1 }) : 1,
                let isCoupled = reader.flag()
            else { return nil }
            if isCoupled {
                guard let steps = reader.read(8),
                    reader.skip((steps + 1) * 2 * self.bitCount(channelCount - 1)) != nil
                else { return nil }
            }
            guard reader.read(2) == 0, reader.skip(submaps > 1 ? channelCount * 4 : 0) != nil,
                reader.skip(submaps * 24) != nil
            else { return nil }
        }
        return ()
    }

    /// How many bits a number has (§9.2.1, `ilog`).
    private static func bitCount(_ value: Int) -> Int {
        value <= 0 ? 0 : Int.bitWidth - value.leadingZeroBitCount
    }

    /// The greatest number whose power, with the dimensions as exponent, does not exceed the
    /// entries (§9.2.3, `lookup1_values`).
    private static func root(_ entries: Int, _ dimensions: Int) -> Int {
        guard dimensions > 0 else { return 0 }
        var low = 0
        var high = entries
        while low < high {
            let middle = (low + high + 1) / 2
            var power = 1
            var left = dimensions
            // A middle above 1 at least doubles the power: at most 24 iterations.
            while left > 0, power <= entries, middle > 1 {
                power *= middle
                left -= 1
            }
            if power <= entries { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
