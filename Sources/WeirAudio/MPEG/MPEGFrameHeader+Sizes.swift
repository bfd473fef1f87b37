// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGFrameHeader {
    /// Bit rates in kbit/s by the four bits of the header (ISO 11172-3 table 3-B.2, 13818-3 table 2.4.2.3); a row
    /// each for layers I, II and III of MPEG-1, layer I of MPEG-2, layers II and III of MPEG-2.
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
        let layer = self.layer
        let row = self.isMPEG1 ? layer - 1 : (layer == 1 ? 3 : 4)
        return Int(Self.kilobits[row * 16 + Int(self.word >> 12 & 15)])
    }

    /// 384 in layer I, 1152 in layer II and in layer III of MPEG-1, 576 in layer III of the low rates.
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

    /// A frame is as long as its samples last at its bit rate, rounded down to slots, and a slot more if it is padded
    /// (ISO 11172-3 §2.4.3.1).
    @inline(__always)
    func frameSize(freeSize: Int) -> Int {
        let padding = self.isPadded ? self.slotSize : 0
        if self.isFreeFormat { return freeSize + padding }
        let bits = UInt64(self.kilobitsPerSecond) * 1000
        if self.layer == 1 { return self.quotient(bits * 12) * 4 + padding }
        return self.quotient(bits * UInt64(self.sampleCount / 8)) + padding
    }

    /// A number over the sample rate, rounded down, without a division, which would cost more than all else of a frame.
    ///
    /// The factors are 2⁴² over the rate, rounded up. That is exact for numbers below 2⁴² over 48 000, and the largest
    /// is 384 000 × 144.
    ///
    /// - Parameter number: below 2²⁶, times the rate's share of that of MPEG-1.
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
