// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of a frame of MPEG audio (ISO 11172-3 §2.4.1.3, 13818-3 §2.4.1; MPEG-2.5 as encoders
/// write it).
///
///     AAAAAAAA AAABBCCD EEEEFFGH IIJJKLMM
///     A 11  sync, all ones              G 1  padding: one slot more
///     B  2  version: 3 MPEG-1,          H 1  private
///           2 MPEG-2, 0 MPEG-2.5        I 2  mode: 0 stereo, 1 joint, 2 dual, 3 mono
///     C  2  layer: 3 I, 2 II, 1 III     J 2  mode extension
///     D  1  0: a CRC-16 follows         K 1  copyright
///     E  4  bit rate: 0 free, 15 bad    L 1  original
///     F  2  sample rate: 3 bad          M 2  emphasis: 2 is reserved, and met in the wild
struct MPEGFrameHeader: FrameHeader, Hashable {
    /// The four bytes.
    let word: UInt32

    static let byteCount = 4
    /// 8 kbit/s at 24 kHz in layer III, the lowest rate that encoders write.
    static let smallestFreeFrame = 24
    /// 640 kbit/s at 8 kHz, the highest rate that encoders write, and a padding slot.
    static let largestFreeFrame = 5761

    /// The bits of sync, version, layer and sample rate.
    private static let identity: UInt32 = 0xFFFE_0C00

    /// Reads a header; `nil` if it breaks a rule of the format.
    ///
    /// - Parameter word: its four bytes, the first as the most significant.
    @inline(__always)
    init?(word: UInt32) {
        let version = word >> 19 & 3
        let layer = word >> 17 & 3
        guard word & 0xFFE0_0000 == 0xFFE0_0000, version != 1, layer != 0,
            word >> 12 & 15 != 15, word >> 10 & 3 != 3,
            version != 0 || layer == 1
        else { return nil }
        self.word = word
    }

    @inline(__always)
    init?(_ view: ByteView, at offset: Int) {
        self.init(word: view.big(offset))
    }

    /// The layer: 1, 2 or 3.
    @inline(__always)
    var layer: Int { 4 - Int(self.word >> 17 & 3) }

    /// Whether a CRC-16 follows the header.
    @inline(__always)
    var isProtected: Bool { self.word >> 16 & 1 == 0 }

    /// Whether the frame is one slot longer.
    @inline(__always)
    var isPadded: Bool { self.word >> 9 & 1 == 1 }

    @inline(__always)
    var isFreeFormat: Bool { self.word >> 12 & 15 == 0 }

    /// Whether there is one channel.
    @inline(__always)
    var isMono: Bool { self.word >> 6 & 3 == 3 }

    /// How many channels there are.
    var channelCount: Int { self.isMono ? 1 : 2 }

    /// Whether the frame is MPEG-1, and not at one of the low sample rates.
    @inline(__always)
    var isMPEG1: Bool { self.word >> 19 & 3 == 3 }

    /// Three, but eight in layer I and in free format.
    ///
    /// Headers of layer I in MPEG-1 start with fifteen ones, as PCM just below zero does. In free
    /// format a frame may have any length.
    var agreement: Int { self.layer == 1 || self.isFreeFormat ? 8 : 3 }

    /// Whether the frames have the same layer; `false` if this one is in free format, with an
    /// unknown size.
    func isAkin(to other: MPEGFrameHeader) -> Bool {
        self.layer == other.layer && !self.isFreeFormat
    }

    /// Frames agree in version, layer, sample rate, number of channels, and on whether they are in
    /// free format.
    @inline(__always)
    func agrees(with other: MPEGFrameHeader) -> Bool {
        (self.word ^ other.word) & Self.identity == 0 && self.isMono == other.isMono
            && self.isFreeFormat == other.isFreeFormat
    }
}

extension MPEGFrameHeader {
    /// Bit rates in kbit/s by the four bits of the header (ISO 11172-3 table 3-B.2, 13818-3 table
    /// 2.4.2.3).
    ///
    /// The rows are: layer I, layer II and layer III of MPEG-1; layer I of MPEG-2; layers II and
    /// III of MPEG-2.
    private static let kilobits: [UInt32] = [
        0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0,
        0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0,
        0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0,
        0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0,
        0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0,
    ]

    /// Samples a second.
    @inline(__always)
    var sampleRate: Int { Int(self.rate) }

    @inline(__always)
    private var rate: UInt32 {
        let base: UInt32 =
            switch self.word >> 10 & 3 {
            case 0: 44_100
            case 1: 48_000
            default: 32_000
            }
        return switch self.word >> 19 & 3 {
        case 3: base
        case 2: base / 2
        default: base / 4
        }
    }

    /// The bit rate in kbit/s; 0 in free format.
    @inline(__always)
    var kilobitsPerSecond: Int {
        let row = self.isMPEG1 ? self.layer - 1 : (self.layer == 1 ? 3 : 4)
        return Int(Self.kilobits[row * 16 + Int(self.word >> 12 & 15)])
    }

    /// 384 in layer I, 1152 in layer II and in layer III of MPEG-1, 576 in layer III of the low
    /// rates.
    @inline(__always)
    var sampleCount: Int {
        switch self.layer {
        case 1: 384
        case 2: 1152
        default: self.isMPEG1 ? 1152 : 576
        }
    }

    /// How many bytes a padding slot has.
    @inline(__always)
    var slotSize: Int { self.layer == 1 ? 4 : 1 }

    /// The frame size (ISO 11172-3 §2.4.3.1).
    ///
    /// It is the duration of the samples times the bit rate, rounded down to slots, plus a slot if
    /// the frame is padded.
    @inline(__always)
    func frameSize(freeSize: Int) -> Int {
        let padding = self.isPadded ? self.slotSize : 0
        if self.isFreeFormat { return freeSize + padding }
        let bits = UInt64(self.kilobitsPerSecond) * 1000
        if self.layer == 1 { return self.quotient(bits * 12) * 4 + padding }
        return self.quotient(bits * UInt64(self.sampleCount / 8)) + padding
    }

    /// Divides a number by the sample rate, and rounds down.
    ///
    /// A division would cost more than the rest of the work for a frame.
    ///
    /// The factors are 2⁴² / rate, rounded up. The result is exact for numbers below
    /// 2⁴² / 48 000, and so below 2²⁶; the largest number is 384 000 × 144.
    ///
    /// - Parameter number: below 2²⁶; for a rate that is 1/2 or 1/4 of an MPEG-1 rate, below 2²⁵ or
    ///   2²⁴.
    /// - Returns: the quotient.
    @inline(__always)
    private func quotient(_ number: UInt64) -> Int {
        let factor: UInt64 =
            switch self.word >> 10 & 3 {
            case 0: 99_728_946
            case 1: 91_625_969
            default: 137_438_954
            }
        let halvings: UInt64 =
            switch self.word >> 19 & 3 {
            case 3: 0
            case 2: 1
            default: 2
            }
        return Int(((number &<< halvings) &* factor) &>> 42)
    }
}
