// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The channel order of decoders, and the permutation to the order of WAVE.
///
/// WAVE has left, right, centre, low frequencies, back, side. AAC and ALAC begin with the centre
/// (ISO 14496-3 table 1.19). Opus has the centre between left and right (RFC 7845 §5.1.1.2, as
/// Vorbis). FLAC has the order of WAVE.
enum ChannelOrder {
    /// For each channel of WAVE, the channel of the decoder.
    ///
    /// - Parameters:
    ///   - format: the format of the packets.
    ///   - channelCount: how many decoded channels there are.
    /// - Returns: `nil` if the order is already the order of WAVE, or is unknown.
    static func source(of format: AudioFormat, channelCount: Int) -> [Int]? {
        switch format.codec {
        case .aac:
            channelCount == 8 && Self.channelConfiguration(format) == 12
                ? [1, 2, 0, 7, 5, 6, 3, 4] : Self.centreFirst[channelCount]
        case .alac: Self.centreFirst[channelCount]
        case .opus: Self.centreSecond[channelCount]
        default: nil
        }
    }

    /// The channelConfiguration of an AudioSpecificConfig whose type and frequency take nine bits,
    /// as in these streams.
    private static func channelConfiguration(_ format: AudioFormat) -> UInt8? {
        guard format.configuration.count >= 2 else { return nil }
        return format.configuration[1] >> 3 & 0xF
    }

    /// C L R; C L R Cs; C L R Ls Rs; C L R Ls Rs LFE; C L R Ls Rs Cs LFE; C Lc Rc L R Ls Rs LFE.
    private static let centreFirst: [Int: [Int]] = [
        3: [1, 2, 0],
        4: [1, 2, 0, 3],
        5: [1, 2, 0, 3, 4],
        6: [1, 2, 0, 5, 3, 4],
        7: [1, 2, 0, 6, 5, 3, 4],
        8: [3, 4, 0, 7, 5, 6, 1, 2],
    ]

    /// L C R; L C R Ls Rs; L C R Ls Rs LFE; L C R Ls Rs Cs LFE; L C R Ls Rs Lb Rb LFE.
    private static let centreSecond: [Int: [Int]] = [
        3: [0, 2, 1],
        5: [0, 2, 1, 3, 4],
        6: [0, 2, 1, 5, 3, 4],
        7: [0, 2, 1, 6, 5, 3, 4],
        8: [0, 2, 1, 7, 5, 6, 3, 4],
    ]

    /// Moves the channels of every frame.
    ///
    /// - Parameters:
    ///   - samples: whole frames, interleaved.
    ///   - source: for each channel, the index of its source channel.
    static func arrange(_ samples: inout [Float], by source: [Int]) {
        let channels = source.count
        guard channels > 0, samples.count % channels == 0 else { return }
        var frame = [Float](repeating: 0, count: channels)
        for start in stride(from: 0, to: samples.count, by: channels) {
            for channel in 0..<channels { frame[channel] = samples[start + source[channel]] }
            for channel in 0..<channels { samples[start + channel] = frame[channel] }
        }
    }
}
