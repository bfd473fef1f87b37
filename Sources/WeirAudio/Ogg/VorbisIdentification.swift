// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first header packet of a Vorbis stream (Vorbis I §4.2.2); integers have their least
/// significant byte first.
///
///     offset 0   1, "vorbis"
///            7   version, 0           32 bits
///           11   channels              8
///           12   sample rate          32
///           16   bit rate: maximum    32   all three signed; 0 or less: not stated
///           20             nominal    32
///           24             minimum    32
///           28   block sizes          4 + 4   exponents of 2, 6 to 13; short: low bits
///           29   framing bit           1
struct VorbisIdentification: Hashable, Sendable {
    /// How many bytes the packet has.
    static let byteCount = 30

    /// How many channels there are, 1 to 255.
    let channelCount: Int
    /// Samples a second, from 1.
    let sampleRate: Int
    /// The rate in bits a second that the encoder aimed at, if stated.
    let nominalBitRate: Int?
    /// How many samples a short block has, 64 to 8,192.
    let shortBlock: Int
    /// How many samples a long block has, from ``shortBlock`` to 8,192.
    let longBlock: Int

    /// Reads the packet; `nil` if it is not such a header, or breaks a rule.
    ///
    /// - Parameter view: the packet.
    init?(_ view: ByteView) {
        guard view.count >= Self.byteCount, view.matches("\u{1}vorbis"),
            view.little(7, UInt32.self) == 0
        else { return nil }
        self.channelCount = Int(view[11])
        self.sampleRate = Int(view.little(12, UInt32.self))
        let nominal = Int(view.little(20, Int32.self))
        self.nominalBitRate = nominal > 0 ? nominal : nil
        let short = Int(view[28] & 0xF)
        let long = Int(view[28] >> 4)
        guard self.channelCount > 0, self.sampleRate > 0, short >= 6, short <= long, long <= 13,
            view[29] & 1 == 1
        else { return nil }
        self.shortBlock = 1 << short
        self.longBlock = 1 << long
    }
}
