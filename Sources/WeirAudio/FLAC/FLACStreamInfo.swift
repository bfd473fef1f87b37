// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the STREAMINFO block of a FLAC stream says (RFC 9639 §8.2).
///
///     offset 0   minimum block size in samples      16 bits
///            2   maximum block size in samples      16
///            4   minimum frame size in bytes        24   0: unknown
///            7   maximum frame size in bytes        24   0: unknown
///           10   sample rate in Hz                  20
///                channels - 1                        3
///                bits a sample - 1                   5
///                samples in all                     36   0: unknown
///           18   MD5 of the samples                128   0: unknown
struct FLACStreamInfo: Hashable, Sendable {
    /// How many bytes it takes, without the block header.
    static let byteCount = 34

    /// The fewest samples of a block but the last, as said; 16 to 65,535 in a stream that keeps the rules.
    let minimumBlockSize: Int
    /// The most samples of a block, as said; 16 to 65,535 in a stream that keeps the rules.
    let maximumBlockSize: Int
    /// The fewest bytes of a frame; `nil` if unknown.
    let minimumFrameSize: Int?
    /// The most bytes of a frame; `nil` if unknown.
    let maximumFrameSize: Int?
    /// Samples a second, from 1.
    let sampleRate: Int
    /// How many channels there are, 1 to 8.
    let channelCount: Int
    /// How many bits a sample has, 4 to 32.
    let bitsPerSample: Int
    /// How many samples there are in all; `nil` if unknown.
    let totalSamples: Int64?
    /// The block as it is stored.
    let bytes: [UInt8]

    /// Whether all blocks but the last are of the same size.
    var isFixedBlockSize: Bool { self.minimumBlockSize == self.maximumBlockSize }

    /// Reads the block, without its block header.
    ///
    /// There is none if it is too short, or says a rate of 0 or fewer than 4 bits.
    ///
    /// - Parameter view: the block, from 34 bytes; what is behind them is not looked at.
    init?(_ view: ByteView) {
        guard view.count >= Self.byteCount else { return nil }
        self.minimumBlockSize = Int(view.big(0, UInt16.self))
        self.maximumBlockSize = Int(view.big(2, UInt16.self))
        let smallest = Int(view.big24(4))
        let largest = Int(view.big24(7))
        self.minimumFrameSize = smallest == 0 ? nil : smallest
        self.maximumFrameSize = largest == 0 ? nil : largest
        let packed = view.big(10, UInt64.self)
        self.sampleRate = Int(packed >> 44)
        self.channelCount = Int(packed >> 41 & 0x7) + 1
        self.bitsPerSample = Int(packed >> 36 & 0x1F) + 1
        let total = Int64(packed & 0xF_FFFF_FFFF)
        self.totalSamples = total == 0 ? nil : total
        self.bytes = view[0..<Self.byteCount].array
        guard self.sampleRate > 0, self.bitsPerSample >= 4 else { return nil }
    }
}
