// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Makes FLAC streams in which a test can choose every field; the values of the samples do not matter.
struct FLACBuilder {
    /// How the channels of a frame are coded.
    enum Coding: CaseIterable {
        case constant
        case verbatim
        case fixed
        case linear
        case escaped
    }

    var sampleRate = 44_100
    var channels = 2
    var bits = 16
    var blockSize = 64
    var isVariable = false
    var total: Int64 = 0
    var info: [UInt8] { self.streamInfo(minimum: self.blockSize, maximum: self.blockSize) }

    func streamInfo(minimum: Int, maximum: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append(UInt64(minimum), 16)
        bits.append(UInt64(maximum), 16)
        bits.append(0, 48)
        bits.append(UInt64(self.sampleRate), 20)
        bits.append(UInt64(self.channels - 1), 3)
        bits.append(UInt64(self.bits - 1), 5)
        bits.append(UInt64(self.total), 36)
        return bits.bytes + [UInt8](repeating: 0, count: 16)
    }

    static func block(_ type: UInt8, isLast: Bool = false, _ payload: [UInt8], size: Int? = nil)
        -> [UInt8]
    {
        let count = size ?? payload.count
        let first = (isLast ? 0x80 : 0) | type
        return [first, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + payload
    }

    /// The marker and STREAMINFO alone.
    var head: [UInt8] { Array("fLaC".utf8) + Self.block(0, isLast: true, self.info) }

    /// A header from its codes; its checksum is right.
    static func header(
        variable: Bool = false,
        block: UInt64 = 7,
        rate: UInt64 = 9,
        channels: UInt64 = 1,
        bits: UInt64 = 4,
        reserved: UInt64 = 0,
        number: [UInt8] = [0],
        blockBytes: [UInt8] = [0, 63],
        rateBytes: [UInt8] = []
    ) -> [UInt8] {
        var writer = BitWriter()
        writer.append(0x7FFC, 15)
        writer.append(variable ? 1 : 0, 1)
        writer.append(block, 4)
        writer.append(rate, 4)
        writer.append(channels, 4)
        writer.append(bits, 3)
        writer.append(reserved, 1)
        let bytes = writer.bytes + number + blockBytes + rateBytes
        return bytes + [Self.crc8(bytes)]
    }

    /// A number in the variable-length coding of frame headers.
    static func coded(_ number: UInt64) -> [UInt8] {
        if number < 0x80 { return [UInt8(number)] }
        var count = 2
        while number >> UInt64(count == 7 ? 36 : 5 * count + 1) != 0 { count += 1 }
        var bytes: [UInt8] = []
        for index in 0..<count {
            let six = number >> UInt64(6 * (count - 1 - index)) & 0x3F
            bytes.append(UInt8(six) | 0x80)
        }
        bytes[0] = bytes[0] & 0x3F | UInt8(truncatingIfNeeded: 0xFF00 >> count)
        return bytes
    }

    /// A frame.
    ///
    /// - Parameters:
    ///   - number: the number of the frame or of its first sample.
    ///   - size: how many samples it holds; the nominal block size if `nil`.
    ///   - coding: the coding of all its channels.
    ///   - assignment: the channel code; independent channels, as many as the stream has, if `nil`.
    ///   - generator: makes up the other bits.
    /// - Returns: the frame's bytes.
    func frame(
        _ number: UInt64,
        size: Int? = nil,
        _ coding: Coding = .fixed,
        assignment: UInt64? = nil,
        using generator: inout SeededGenerator
    ) -> [UInt8] {
        let size = size ?? self.blockSize
        let codes: [Int: UInt64] = [8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7]
        let assigned = assignment ?? UInt64(self.channels - 1)
        var writer = BitWriter()
        writer.bytes = Self.header(
            variable: self.isVariable,
            rate: self.sampleRate == 44_100 ? 9 : 13,
            channels: assigned,
            bits: codes[self.bits] ?? 0,
            number: Self.coded(number),
            blockBytes: [UInt8((size - 1) >> 8), UInt8((size - 1) & 0xFF)],
            rateBytes: self.sampleRate == 44_100
                ? [] : [UInt8(self.sampleRate >> 8), UInt8(self.sampleRate & 0xFF)]
        )
        for channel in 0..<self.channels {
            let isSide =
                assigned == 9 && channel == 0 || (assigned == 8 || assigned == 10) && channel == 1
            Self.subframe(coding, size, self.bits + (isSide ? 1 : 0), &writer, &generator)
        }
        writer.align()
        let sum = Self.crc16(writer.bytes)
        return writer.bytes + [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    }

    private static func subframe(
        _ coding: Coding,
        _ size: Int,
        _ bits: Int,
        _ writer: inout BitWriter,
        _ generator: inout SeededGenerator
    ) {
        func noise(_ count: Int) {
            for start in stride(from: 0, to: count, by: 64) {
                writer.append(generator.next(), min(64, count - start))
            }
        }
        let order = min(size, 2)
        switch coding {
        case .constant:
            writer.append(0b0000_0000, 8)
            noise(bits)
        case .verbatim:
            writer.append(0b0000_0010, 8)
            noise(bits * size)
        case .fixed, .escaped:
            // One wasted bit.
            writer.append(UInt64(0b0001_0001 | order << 1), 8)
            writer.append(1, 1)
            noise((bits - 1) * order)
        case .linear:
            writer.append(UInt64(0b0100_0000 | (order - 1) << 1), 8)
            noise(bits * order)
            writer.append(11, 4)
            writer.append(3, 5)
            noise(12 * order)
        }
        guard coding != .constant, coding != .verbatim else { return }
        let partitions = size % 4 == 0 && size / 4 >= order ? 2 : 0
        writer.append(coding == .linear ? 1 : 0, 2)
        writer.append(UInt64(partitions), 4)
        for partition in 0..<1 << partitions {
            let count = (size >> partitions) - (partition == 0 ? order : 0)
            if coding == .escaped {
                writer.append(15, 4)
                writer.append(7, 5)
                noise(7 * count)
                continue
            }
            writer.append(3, coding == .linear ? 5 : 4)
            for _ in 0..<count {
                writer.append(1, Int(generator.next() % 5) + 1)
                noise(3)
            }
        }
    }

    /// A stream with frames of all codings; its last frame is shorter.
    func stream(frames: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var builder = self
        builder.total = Int64((frames - 1) * self.blockSize + self.blockSize / 2)
        var bytes = builder.head
        for index in 0..<frames {
            let number = UInt64(self.isVariable ? index * self.blockSize : index)
            let size = index == frames - 1 ? self.blockSize / 2 : self.blockSize
            let codings = Coding.allCases
            bytes += self.frame(
                number,
                size: size,
                codings[index % codings.count],
                using: &generator
            )
        }
        return bytes
    }

    // MARK: Checksums, bit by bit

    static func crc8(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ byte) { crc, _ in crc << 1 ^ (crc & 0x80 == 0 ? 0 : 0x07) }
        }
    }

    static func crc16(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in
                crc << 1 ^ (crc & 0x8000 == 0 ? 0 : 0x8005)
            }
        }
    }
}

/// Writes numbers bit by bit, the most significant bit first.
struct BitWriter {
    var bytes: [UInt8] = []
    private var used = 0

    mutating func append(_ value: UInt64, _ count: Int) {
        var left = count
        while left > 0 {
            if self.used == 0 { self.bytes.append(0) }
            let taken = min(8 - self.used, left)
            let part =
                UInt8(truncatingIfNeeded: value >> UInt64(left - taken))
                & UInt8(0xFF >> (8 - taken))
            self.bytes[self.bytes.count - 1] |= part << UInt8(8 - self.used - taken)
            self.used = (self.used + taken) & 7
            left -= taken
        }
    }

    mutating func align() { self.used = 0 }
}
