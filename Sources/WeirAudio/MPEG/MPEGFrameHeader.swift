// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of a frame of MPEG audio (ISO 11172-3 §2.4.1.3, 13818-3 §2.4.1; MPEG-2.5 as practice has it).
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
    /// Which standard a frame follows.
    enum Version: Sendable {
        /// ISO 11172-3: 32, 44.1 and 48 kHz.
        case mpeg1
        /// ISO 13818-3: half of these rates.
        case mpeg2
        /// No standard: a quarter of these rates, layer III only.
        case mpeg25
    }

    /// The four bytes.
    let word: UInt32

    static let byteCount = 4
    /// Header, checksum and the shortest side information.
    static let smallestFreeFrame = 24
    /// 640 kbit/s at 8 kHz, the most that an encoder makes, and a padding slot.
    static let largestFreeFrame = 5761

    /// Version, layer and sample rate, and that it is a header at all.
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

    /// Which standard the frame follows.
    var version: Version {
        switch self.word >> 19 & 3 {
        case 3: .mpeg1
        case 2: .mpeg2
        default: .mpeg25
        }
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

    /// Whether it is MPEG-1, and not one of the low sample rates.
    @inline(__always)
    var isMPEG1: Bool { self.word >> 19 & 3 == 3 }

    /// Three; eight in layer I, whose headers start with fifteen ones as small negative numbers do, and in free format,
    /// where any distance will do.
    var agreement: Int { self.layer == 1 || self.isFreeFormat ? 8 : 3 }

    /// Frames agree in version, layer, sample rate, number of channels, and on whether they are in free format.
    @inline(__always)
    func agrees(with other: MPEGFrameHeader) -> Bool {
        (self.word ^ other.word) & Self.identity == 0 && self.isMono == other.isMono
            && self.isFreeFormat == other.isFreeFormat
    }
}
