// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of a FLAC frame (RFC 9639 §9.1).
///
///     1111 1111 | 1111 100V | BBBB RRRR | CCCC DDD0 | number, 1 to 7 bytes |
///     [B 8/16] | [R 8/16] | CRC-8
///
///     V  0: the number counts frames, all blocks but the last have one size; 1: it counts samples
///     B  block size: 0 reserved, 1: 192, 2-5: 144 << B, 8-15: 1 << B,
///        6 and 7: the size less 1 is stored after the number
///     R  sample rate: 0: as in STREAMINFO, 1-11: a table, 15 forbidden,
///        12 in kHz, 13 in Hz, 14 in 10 Hz: the rate is stored after the number and B
///     C  channels: 0-7: the number less 1, 8: left and side, 9: side and right,
///        10: mid and side, 11-15 reserved
///     D  bits: 0: as in STREAMINFO, 1: 8, 2: 12, 3 reserved, 4: 16, 5: 20, 6: 24, 7: 32
struct FLACFrameHeader: Hashable, Sendable {
    /// The most bytes that a header takes.
    static let maximumByteCount = 16

    /// How many samples the frame holds, 1 to 65,535.
    let blockSize: Int
    /// Samples a second, from 1; `nil` if the header leaves it to a STREAMINFO that was not given.
    let sampleRate: Int?
    /// How many channels there are, 1 to 8.
    let channelCount: Int
    /// Which of two channels, 0 or 1, is coded as their difference and has one more bit; `nil` if
    /// neither is.
    let sideChannel: Int?
    /// How many bits a sample has; `nil` if the header leaves it to a STREAMINFO that was not
    /// given.
    let bitsPerSample: Int?
    /// Whether blocks differ in size, and ``number`` counts samples.
    let isVariable: Bool
    /// The number of the frame, below 2^31, or of its first sample, below 2^36.
    let number: UInt64
    /// How many bytes the header has, with its checksum: 6 to 16.
    let byteCount: Int

    /// Reads a header, and checks its CRC-8.
    ///
    /// Reserved and forbidden values make the header invalid. A header that contradicts STREAMINFO
    /// is still valid: see ``agrees(with:)``.
    ///
    /// - Parameters:
    ///   - view: the bytes from the possible start of the header.
    ///   - info: the STREAMINFO, for the values that the header leaves to it.
    /// - Returns: the header, if it is whole and valid.
    static func read(_ view: ByteView, info: FLACStreamInfo?) -> Reading<FLACFrameHeader> {
        guard view.count >= 4 else { return self.readStart(view) }
        guard view[0] == 0xFF, view[1] & 0xFE == 0xF8 else { return .none }
        let blockCode = Int(view[2] >> 4)
        let rateCode = Int(view[2] & 0xF)
        let channelCode = Int(view[3] >> 4)
        let bitsCode = Int(view[3] >> 1 & 0x7)
        guard blockCode != 0, rateCode != 15, channelCode < 11, bitsCode != 3, view[3] & 1 == 0
        else {
            return .none
        }
        guard view.count > 4 else { return .needsMore }
        let isVariable = view[1] & 1 == 1
        let numberCount = self.numberByteCount(view[4])
        guard numberCount > 0, isVariable || numberCount < 7 else { return .none }
        let blockCount = blockCode == 6 ? 1 : blockCode == 7 ? 2 : 0
        let rateCount = rateCode == 12 ? 1 : rateCode > 12 ? 2 : 0
        let count = 4 + numberCount + blockCount + rateCount + 1
        guard view.count >= count else { return .needsMore }
        guard FLACChecksum.crc8(view[0..<count]) == 0 else { return .none }
        guard let number = self.number(view[4..<4 + numberCount]),
            let blockSize = self.blockSize(blockCode, view, at: 4 + numberCount)
        else { return .none }
        let rate = self.sampleRate(rateCode, view, at: 4 + numberCount + blockCount)
        guard rate != 0 || rateCode == 0 else { return .none }
        let bits = self.bitDepths[bitsCode]
        let header = FLACFrameHeader(
            blockSize: blockSize,
            sampleRate: rateCode == 0 ? info?.sampleRate : rate,
            channelCount: channelCode < 8 ? channelCode + 1 : 2,
            sideChannel: channelCode < 8 ? nil : channelCode == 9 ? 0 : 1,
            bitsPerSample: bits == 0 ? info?.bitsPerSample : bits,
            isVariable: isVariable,
            number: number,
            byteCount: count
        )
        return .found(header)
    }

    /// Whether rate, channels and bits are the same as in STREAMINFO.
    func agrees(with info: FLACStreamInfo) -> Bool {
        self.sampleRate == info.sampleRate && self.channelCount == info.channelCount
            && self.bitsPerSample == info.bitsPerSample
    }

    /// The number that the next frame should have.
    var followingNumber: UInt64 { self.number &+ (self.isVariable ? UInt64(self.blockSize) : 1) }

    // MARK: Fields

    private static let bitDepths = [0, 8, 12, 0, 16, 20, 24, 32]
    private static let sampleRates = [
        0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
    ]

    /// Decides with fewer bytes than the four fixed ones.
    private static func readStart(_ view: ByteView) -> Reading<FLACFrameHeader> {
        if view.count > 0, view[0] != 0xFF { return .none }
        if view.count > 1, view[1] & 0xFE != 0xF8 { return .none }
        if view.count > 2, view[2] >> 4 == 0 || view[2] & 0xF == 15 { return .none }
        return .needsMore
    }

    /// How many bytes a number takes, by its first byte; 0 if the byte cannot start a number
    /// (§9.1.5).
    private static func numberByteCount(_ first: UInt8) -> Int {
        let ones = (~first).leadingZeroBitCount
        return ones == 0 ? 1 : ones == 1 || ones == 8 ? 0 : ones
    }

    /// A number in UTF-8's original form, before UTF-8 was limited to 21 bits (§9.1.5).
    private static func number(_ view: ByteView) -> UInt64? {
        if view.count == 1 { return UInt64(view[0]) }
        var number = view.count == 7 ? 0 : UInt64(view[0] & (0x7F >> UInt8(view.count)))
        for index in 1..<view.count {
            guard view[index] & 0xC0 == 0x80 else { return nil }
            number = number << 6 | UInt64(view[index] & 0x3F)
        }
        return number
    }

    private static func blockSize(_ code: Int, _ view: ByteView, at offset: Int) -> Int? {
        switch code {
        case 1: 192
        case 2...5: 144 << code
        case 6: Int(view[offset]) + 1
        // 65,536 is forbidden: STREAMINFO could not state it (§9.1.6).
        case 7: view.big(offset, UInt16.self) == .max ? nil : Int(view.big(offset, UInt16.self)) + 1
        default: 1 << code
        }
    }

    private static func sampleRate(_ code: Int, _ view: ByteView, at offset: Int) -> Int {
        switch code {
        case 12: Int(view[offset]) * 1000
        case 13: Int(view.big(offset, UInt16.self))
        case 14: Int(view.big(offset, UInt16.self)) * 10
        default: self.sampleRates[code]
        }
    }
}

extension ByteView {
    /// The offset of the first sync code of a FLAC frame, `FF F8` or `FF F9` (RFC 9639 §9.1).
    ///
    /// The search tests sixteen bytes at a time for an `FF` and a fitting byte after it.
    ///
    /// - Parameter offset: where to begin, from 0.
    /// - Returns: the offset of the code's first byte; `nil` if there is no code; even then, a last
    ///   byte `FF` may begin one.
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

    /// Not 0 if there are sync codes in the nine bytes at an offset, which the view must have.
    @inline(__always)
    private func syncs(_ offset: Int) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let start = UnsafeRawPointer(self.base + offset)
        let first = start.loadUnaligned(as: UInt64.self)
        let second = start.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
        // A byte of `misfit` is 0 if both bytes fit.
        let misfit = ~first | (second ^ (ones &* 0xF8)) & (ones &* 0xFE)
        return (misfit &- ones) & ~misfit & (ones &<< 7)
    }
}
