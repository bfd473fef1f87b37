// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which loudspeakers the channels of a frame are for: one position for each channel, in the order
/// of the bits.
///
/// The bits are the same as in WAVE (`dwChannelMask` of WAVEFORMATEXTENSIBLE): ``rawValue`` goes
/// into a WAV file unchanged. FLAC's comment, Core Audio's channel bitmap and libavcodec's native
/// order use the same bits. If a frame has more channels than positions, the channels without a
/// position come last.
public struct ChannelLayout: OptionSet, Hashable, Sendable {
    /// The mask; bits from 18 on have no position.
    public let rawValue: UInt32

    /// The layout of a mask.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// In front, left (FL).
    public static let frontLeft = ChannelLayout(rawValue: 1 << 0)
    /// In front, right (FR).
    public static let frontRight = ChannelLayout(rawValue: 1 << 1)
    /// In front, in the middle (FC).
    public static let frontCentre = ChannelLayout(rawValue: 1 << 2)
    /// For low frequencies (LFE).
    public static let lowFrequency = ChannelLayout(rawValue: 1 << 3)
    /// Behind, left (BL).
    public static let backLeft = ChannelLayout(rawValue: 1 << 4)
    /// Behind, right (BR).
    public static let backRight = ChannelLayout(rawValue: 1 << 5)
    /// In front, between left and the middle (FLC).
    public static let frontLeftOfCentre = ChannelLayout(rawValue: 1 << 6)
    /// In front, between right and the middle (FRC).
    public static let frontRightOfCentre = ChannelLayout(rawValue: 1 << 7)
    /// Behind, in the middle (BC).
    public static let backCentre = ChannelLayout(rawValue: 1 << 8)
    /// At the left side (SL).
    public static let sideLeft = ChannelLayout(rawValue: 1 << 9)
    /// At the right side (SR).
    public static let sideRight = ChannelLayout(rawValue: 1 << 10)
    /// Above (TC).
    public static let topCentre = ChannelLayout(rawValue: 1 << 11)
    /// In front above, left (TFL).
    public static let topFrontLeft = ChannelLayout(rawValue: 1 << 12)
    /// In front above, in the middle (TFC).
    public static let topFrontCentre = ChannelLayout(rawValue: 1 << 13)
    /// In front above, right (TFR).
    public static let topFrontRight = ChannelLayout(rawValue: 1 << 14)
    /// Behind above, left (TBL).
    public static let topBackLeft = ChannelLayout(rawValue: 1 << 15)
    /// Behind above, in the middle (TBC).
    public static let topBackCentre = ChannelLayout(rawValue: 1 << 16)
    /// Behind above, right (TBR).
    public static let topBackRight = ChannelLayout(rawValue: 1 << 17)

    /// Left and right.
    public static let stereo: ChannelLayout = [.frontLeft, .frontRight]

    /// The usual layout for a number of channels: the defaults of FLAC (RFC 9639 §9.1.3) and Vorbis
    /// (Vorbis I §4.3.9).
    ///
    /// One channel is the centre, two are left and right; then come 3.0, quadraphonic, 5.0, 5.1,
    /// 6.1 and 7.1.
    ///
    /// - Parameter channelCount: how many channels there are.
    /// - Returns: as many positions; no position for less than one and more than eight channels.
    public static func standard(_ channelCount: Int) -> ChannelLayout {
        let masks: [UInt32] = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
        return ChannelLayout(
            rawValue: masks.indices.contains(channelCount) ? masks[channelCount] : 0
        )
    }

    /// How many positions there are.
    public var count: Int { self.rawValue.nonzeroBitCount }

    /// The positions, each alone, in the order of the channels.
    public var positions: [ChannelLayout] {
        (0..<UInt32.bitWidth).map { ChannelLayout(rawValue: 1 << $0) }.filter(self.contains)
    }
}

extension ChannelLayout: CustomStringConvertible {
    /// The positions by their usual abbreviations, such as "FL FR FC LFE".
    public var description: String {
        self.positions.map { Self.names[$0.rawValue.trailingZeroBitCount] }.joined(separator: " ")
    }

    private static let names =
        [
            "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC",
            "TFR", "TBL", "TBC", "TBR",
        ] + (18..<UInt32.bitWidth).map { "\($0)" }
}

extension ChannelLayout {
    /// The layout that a container states; `nil` unless it has a position for each channel.
    ///
    /// - Parameters:
    ///   - mask: the mask of WAVE.
    ///   - channelCount: how many channels there are.
    init?(mask: UInt32, channelCount: Int) {
        self.init(rawValue: mask)
        guard self.count == channelCount, mask < 1 << 18 else { return nil }
    }
}
