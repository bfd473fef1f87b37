// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the samples in the packets are coded.
public enum AudioCodec: Hashable, Sendable {
    /// MPEG audio layer I, II or III.
    case mpegLayer(Int)
    /// AAC; the audio object type as far as the stream says it (ISO 14496-3 table 1.17: 2 is LC, 5 SBR, 29 PS).
    ///
    /// In ADTS, HE-AAC shows as 2: see ``AudioFormat/mayDecodeToDoubleRate``.
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
    /// Something that the container names and no parser here knows: its four letters, format tag or the like.
    case other(String)
}
