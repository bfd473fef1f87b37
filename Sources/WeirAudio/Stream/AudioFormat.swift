// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The format of a stream, as far as it has been read.
///
/// A parser reports the format when enough is known to set up a decoder. It reports the format
/// again whenever something in it changes: a duration becomes exact, a bit rate is measured, a
/// chained stream begins.
public struct AudioFormat: Hashable, Sendable {
    /// How packets are laid out in the stream.
    public var container: AudioContainer
    /// How samples are coded.
    public var codec: AudioCodec
    /// The number of this stream among the streams that follow each other, from 0.
    ///
    /// A new section starts where an Ogg stream is chained, or where the sample rate, the channels
    /// or the codec change. A new section needs a newly configured decoder; time continues.
    public var section: Int
    /// Samples a second; the unit of times and durations in the format and in its packets.
    public var sampleRate: Int
    /// How many channels there are; `nil` if only a decoder can find out.
    public var channelCount: Int?
    /// Which loudspeakers the channels are for, one position each; `nil` if the container does not
    /// say.
    ///
    /// WAVE names the positions in its long form. The specifications of FLAC, Vorbis and Opus
    /// define the positions; a FLAC file may also state them in the comment
    /// `WAVEFORMATEXTENSIBLE_CHANNEL_MASK`. For AAC and Apple Lossless only a decoder can find out.
    public var channelLayout: ChannelLayout?
    /// How many bits of a sample are used, for codecs without loss; `nil` for others.
    public var bitsPerSample: Int?
    /// The data that a decoder needs before the first packet; libavcodec calls it the extradata.
    ///
    /// AAC: the AudioSpecificConfig; empty if only the ADTS frames state the channels. Vorbis: its
    /// three header packets, laced as in Matroska (a byte 2, two lengths as runs of 255, the
    /// packets). Opus: the OpusHead packet. FLAC: the 34 bytes of STREAMINFO. ALAC: its magic
    /// cookie of 24 bytes or more. Empty for MPEG audio and PCM.
    public var configuration: [UInt8]
    /// How many samples each packet holds; `nil` if the number varies.
    public var samplesPerPacket: Int?
    /// How many bits a second the stream takes, if known.
    public var bitRate: AudioBitRate?
    /// How long the stream plays, if known.
    public var duration: AudioDuration?
    /// The samples to drop at either end, if the stream says so.
    public var trim: AudioTrim?
    /// The gain for playback in 1/256 dB, from an Opus header (RFC 7845 §5.1).
    public var outputGain: Int
    /// Whether decoding may give twice this sample rate, or two channels for one.
    ///
    /// True if the stream may be implicit HE-AAC, which its headers do not show. Take the rate and
    /// the channels from the first decoded frame.
    public var mayDecodeToDoubleRate: Bool

    /// A format with the required facts only.
    ///
    /// - Parameters:
    ///   - container: how packets are laid out in the stream.
    ///   - codec: how samples are coded.
    ///   - sampleRate: samples a second, from 1.
    ///   - channelCount: how many channels there are, if known.
    public init(container: AudioContainer, codec: AudioCodec, sampleRate: Int, channelCount: Int?) {
        self.container = container
        self.codec = codec
        self.section = 0
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.channelLayout = nil
        self.bitsPerSample = nil
        self.configuration = []
        self.samplesPerPacket = nil
        self.bitRate = nil
        self.duration = nil
        self.trim = nil
        self.outputGain = 0
        self.mayDecodeToDoubleRate = false
    }
}

/// How many bits a second a stream takes.
public struct AudioBitRate: Hashable, Sendable {
    /// The kind of average that the number is.
    public enum Kind: String, Hashable, Sendable {
        /// Every packet has this rate.
        case constant
        /// The average of the whole stream, counted by the parser or taken from the stream's
        /// tables.
        case average
        /// An average of the packets so far.
        case measured
        /// The rate that the encoder aimed at.
        case nominal
    }

    /// Bits a second.
    public var bitsPerSecond: Int
    /// The kind of average that the number is.
    public var kind: Kind

    /// A rate.
    public init(_ bitsPerSecond: Int, _ kind: Kind) {
        self.bitsPerSecond = bitsPerSecond
        self.kind = kind
    }
}

/// How long a stream plays, and how far that can be trusted.
public struct AudioDuration: Hashable, Sendable {
    /// The source of the number.
    public enum Certainty: String, Hashable, Sendable, Comparable {
        /// Computed from a bit rate and a length in bytes, or counted in a stream that is cut
        /// short.
        case estimated
        /// Taken from a header; only reading the whole stream could check it.
        case declared
        /// Counted, or implied by the bytes.
        case exact

        private var rank: Int {
            switch self {
            case .estimated: 0
            case .declared: 1
            case .exact: 2
            }
        }

        /// The more certain value is the greater.
        public static func < (left: Certainty, right: Certainty) -> Bool { left.rank < right.rank }
    }

    /// The samples that are heard, without the trimmed ones, at the format's sample rate.
    public var samples: SampleCount
    /// How far the number can be trusted.
    public var certainty: Certainty

    /// A duration.
    public init(_ samples: SampleCount, _ certainty: Certainty) {
        self.samples = samples
        self.certainty = certainty
    }
}

/// The samples that an encoder added at both ends of the source; a player drops them.
public struct AudioTrim: Hashable, Sendable {
    /// Decoded samples to drop at the start, decoder delay included.
    public var leading: SampleCount
    /// Decoded samples to drop at the end; `nil` while the number is unknown.
    public var trailing: SampleCount?

    /// A trim.
    public init(leading: SampleCount, trailing: SampleCount?) {
        self.leading = leading
        self.trailing = trailing
    }
}
