// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of a frame in an Audio Data Transport Stream (ISO 13818-7 §6.2, 14496-3 §1.A.3).
///
///     AAAAAAAA AAAABCCD EEFFFFGH HHIJKLMM MMMMMMMM MMMNNNNN NNNNNNOO (PPPPPPPP PPPPPPPP)
///     A 12  sync, all ones               I  1  original
///     B  1  1: MPEG-2, 0: MPEG-4         J  1  home
///     C  2  layer: always 0              K  1  copyright bit
///     D  1  0: a CRC follows             L  1  copyright start
///     E  2  object type less 1           M 13  bytes of the frame, with the header
///     F  4  sample rate, 13 to 15 bad    N 11  fullness of the buffer, 0x7FF: variable rate
///     G  1  private                      O  2  raw data blocks less 1
///     H  3  channels, 0: in the blocks   P 16  the offset of each later block; then the CRC
struct ADTSHeader: FrameHeader, Hashable {
    /// The first four bytes.
    let word: UInt32
    /// How many bytes the frame has.
    let size: Int
    /// How many raw data blocks the frame has, 1 to 4.
    let blockCount: Int

    static let byteCount = 7
    static let smallestFreeFrame = 7
    static let largestFreeFrame = 0

    /// Samples a second by the four bits of the header (ISO 14496-3 table 1.18).
    static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
        8000, 7350,
    ]

    @inline(__always)
    init?(_ view: ByteView, at offset: Int) {
        let word: UInt32 = view.big(offset)
        guard word & 0xFFF6_0000 == 0xFFF0_0000, word >> 10 & 15 < 13 else { return nil }
        let rest = view.big24(offset + 4)
        self.word = word
        self.size = Int((word & 3) << 11 | rest >> 13)
        self.blockCount = Int(rest & 3) + 1
        guard self.size >= self.headerCount else { return nil }
    }

    /// How many bytes the header has: 7, or, with a CRC, 9 and 2 for each block after the first.
    @inline(__always)
    var headerCount: Int { self.word >> 16 & 1 == 1 ? 7 : 7 + 2 * self.blockCount }

    /// The audio object type: 1 Main, 2 LC, 3 SSR, 4 LTP.
    var objectType: Int { Int(self.word >> 14 & 3) + 1 }

    /// The index of the sample rate in ``rates``.
    var rateIndex: Int { Int(self.word >> 10 & 15) }

    /// Samples a second of the core; SBR doubles it.
    var sampleRate: Int { Self.rates[self.rateIndex] }

    /// The channel configuration, 0 to 7.
    var channelConfiguration: Int { Int(self.word >> 6 & 7) }

    /// How many channels there are; `nil` if only the blocks state it.
    var channelCount: Int? {
        switch self.channelConfiguration {
        case 0: nil
        case 7: 8
        default: self.channelConfiguration
        }
    }

    /// The AudioSpecificConfig for a decoder (ISO 14496-3 §1.6.2.1).
    ///
    /// Object type 5 bits, sample rate 4, channels 4, and three zeros: 1024 samples a block, no
    /// core coder, no extension. Empty if only the blocks state the channels: a decoder refuses a
    /// configuration without channels. Without a configuration, the decoder takes the channels from
    /// the frames.
    var configuration: [UInt8] {
        guard self.channelConfiguration > 0 else { return [] }
        let bits = self.objectType << 11 | self.rateIndex << 7 | self.channelConfiguration << 3
        return [UInt8(bits >> 8), UInt8(bits & 0xFF)]
    }

    /// Frames agree in MPEG version, object type, sample rate and channels.
    @inline(__always)
    func agrees(with other: ADTSHeader) -> Bool {
        (self.word ^ other.word) & 0xFFFE_FDC0 == 0
    }

    func isAkin(to _: ADTSHeader) -> Bool { true }

    var agreement: Int { 3 }

    var isFreeFormat: Bool { false }

    @inline(__always)
    func frameSize(freeSize: Int) -> Int { self.size }

    /// 1024 for each raw data block.
    @inline(__always)
    var sampleCount: Int { 1024 &* self.blockCount }

    /// Whether to accept the frame without a following one.
    ///
    /// The frame must be long enough for a block. The header bits that never change within a stream
    /// must equal those of the earlier frame, if there is one.
    func isPlausible(_ frame: ByteView, after earlier: ADTSHeader?) -> Bool {
        guard frame.count > self.headerCount else { return false }
        guard let earlier else { return true }
        return (self.word ^ earlier.word) & 0xFFFF_FFF0 == 0
    }
}
