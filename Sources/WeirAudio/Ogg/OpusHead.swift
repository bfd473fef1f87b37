// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first packet of an Opus stream in Ogg (RFC 7845 §5.1); integers have their least significant byte first.
///
///     offset 0   "OpusHead"
///            8   version               8 bits   the high four of them 0
///            9   channels              8        from 1
///           10   pre-skip             16        samples at 48 kHz
///           12   rate of the source   32
///           16   output gain          16        signed, 1/256 dB
///           18   mapping family        8
///           19   streams, coupled      8 + 8    not in family 0
///           21   mapping               8 for each channel
struct OpusHead: Hashable, Sendable {
    /// How many channels there are, 1 to 255.
    let channelCount: Int
    /// How many decoded samples are to be dropped at the start.
    let preSkip: Int
    /// How much louder than coded it is to be played, in 1/256 dB.
    let outputGain: Int
    /// How channels lie in streams: 0 mono and stereo, 1 to eight in the order of Vorbis, 255 unknown, others later.
    let mappingFamily: Int

    /// Reads the packet; `nil` if it is none, of another version, or breaks a rule.
    ///
    /// - Parameter view: the packet.
    init?(_ view: ByteView) {
        guard view.count >= 19, view.matches("OpusHead"), view[8] & 0xF0 == 0 else { return nil }
        self.channelCount = Int(view[9])
        self.preSkip = Int(view.little(10, UInt16.self))
        self.outputGain = Int(view.little(16, Int16.self))
        self.mappingFamily = Int(view[18])
        guard self.channelCount > 0 else { return nil }
        if self.mappingFamily == 0 {
            guard self.channelCount <= 2 else { return nil }
        } else {
            guard view.count >= 21 + self.channelCount, view[19] > 0, view[20] <= view[19],
                Int(view[19]) + Int(view[20]) <= 255
            else { return nil }
        }
    }
}
