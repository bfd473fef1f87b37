// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first packet of an Opus stream in Ogg (RFC 7845 §5.1); integers have their least significant
/// byte first.
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
    /// How many decoded samples to drop at the start.
    let preSkip: Int
    /// The gain for playback, in 1/256 dB.
    let outputGain: Int
    /// How channels are ordered: 0 mono or stereo, 1 up to eight channels in Vorbis order, 255
    /// undefined.
    let mappingFamily: Int

    /// Reads the packet; `nil` if it is not an OpusHead, has another version, or breaks a rule.
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

extension OpusHead {
    /// Which loudspeakers the channels are for; `nil` if the mapping family does not define
    /// positions that WAVE has.
    var channelLayout: ChannelLayout? {
        guard self.mappingFamily <= 1, self.channelCount <= 8 else { return nil }
        return .standard(self.channelCount)
    }
}

/// The duration of an Opus packet (RFC 6716 §3.1, §3.2).
///
///     configuration 5 bits | stereo 1 | code 2
///
///     code  0: one frame, 1 and 2: two, 3: as many as the low six bits of the next byte say
extension ByteView {
    /// The samples of a SILK frame at 48 kHz, by the two low bits of its configuration.
    private static let opusSILK: (Int64, Int64, Int64, Int64) = (480, 960, 1920, 2880)

    /// How many samples at 48 kHz the packet decodes to; the first two bytes are enough.
    ///
    /// If a packet holds several streams (RFC 7845 §5.1.1), all last as long as the first, and only
    /// the first is read. The result is 120 to 5,760; `nil` if there are no frames, more than 120
    /// ms of them, or no bytes.
    @inline(__always)
    var opusDuration: Int64? {
        guard self.count > 0 else { return nil }
        let frames: Int64
        switch self[0] & 3 {
        case 0: frames = 1
        case 3:
            guard self.count > 1 else { return nil }
            frames = Int64(self[1] & 0x3F)
        default: frames = 2
        }
        let samples = frames &* Self.opusFrameDuration(self[0] >> 3)
        return samples > 0 && samples <= 5760 ? samples : nil
    }

    /// The samples of a frame, by its configuration (RFC 6716 table 2).
    ///
    /// SILK: 10, 20, 40 or 60 ms; hybrid: 10 or 20 ms; CELT: 2.5 to 20 ms.
    @inline(__always)
    private static func opusFrameDuration(_ configuration: UInt8) -> Int64 {
        if configuration >= 16 { return 120 &<< Int64(configuration & 3) }
        if configuration >= 12 { return 480 &<< Int64(configuration & 1) }
        switch configuration & 3 {
        case 0: return Self.opusSILK.0
        case 1: return Self.opusSILK.1
        case 2: return Self.opusSILK.2
        default: return Self.opusSILK.3
        }
    }
}
