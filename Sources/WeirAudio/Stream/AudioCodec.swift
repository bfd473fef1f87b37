// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the samples in the packets are coded.
public enum AudioCodec: Hashable, Sendable {
    /// MPEG audio layer I, II or III.
    case mpegLayer(Int)
    /// AAC, with the audio object type as far as the stream states it (ISO 14496-3 table 1.17: 2 is
    /// LC, 5 SBR, 29 PS).
    ///
    /// In ADTS, HE-AAC has the type 2, as LC has: see ``AudioFormat/mayDecodeToDoubleRate``.
    case aac(objectType: Int)
    /// Vorbis I.
    case vorbis
    /// Opus (RFC 6716).
    case opus
    /// FLAC (RFC 9639).
    case flac
    /// Apple Lossless.
    case alac
    /// Uncompressed samples.
    case pcm(PCMLayout)
    /// A codec that the container names and Weir does not support: its four letters, format tag or
    /// the like.
    case other(String)
}

/// How packets are laid out in the bytes of a stream.
public enum AudioContainer: String, Sendable, CaseIterable {
    /// Frames of MPEG-1, MPEG-2 or MPEG-2.5 audio, one after the other (ISO 11172-3, 13818-3).
    case mpegAudio
    /// AAC frames with ADTS headers (ISO 13818-7, 14496-3).
    case adts
    /// AAC in LOAS/LATM; the parser recognises and refuses it.
    case loas
    /// Ogg pages (RFC 3533).
    case ogg
    /// Native FLAC (RFC 9639).
    case flac
    /// RIFF, RIFX or RF64 WAVE.
    case wave
    /// ISO base media: MP4, M4A, MOV, fragmented or not (ISO 14496-12).
    case mp4
}

/// How an uncompressed sample is stored in memory.
public struct PCMLayout: Hashable, Sendable {
    /// The encoding of the bits of a sample.
    public enum Encoding: String, Hashable, Sendable {
        /// Two's complement.
        case signedInteger
        /// Offset binary, as in 8 bit WAVE.
        case unsignedInteger
        /// IEEE 754.
        case float
        /// ITU-T G.711 A-law.
        case aLaw
        /// ITU-T G.711 µ-law.
        case muLaw
    }

    /// The encoding of a sample's bits.
    public var encoding: Encoding
    /// How many bits a sample takes in memory, a multiple of 8.
    public var bitsPerSample: Int
    /// Whether the most significant byte comes first.
    public var isBigEndian: Bool

    /// A layout.
    public init(encoding: Encoding, bitsPerSample: Int, isBigEndian: Bool = false) {
        self.encoding = encoding
        self.bitsPerSample = bitsPerSample
        self.isBigEndian = isBigEndian
    }
}
