// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How packets are laid out in the bytes of a stream.
public enum AudioContainer: String, Sendable, CaseIterable {
    /// Frames of MPEG-1, MPEG-2 or MPEG-2.5 audio, one after the other (ISO 11172-3, 13818-3).
    case mpegAudio
    /// AAC frames with ADTS headers (ISO 13818-7, 14496-3).
    case adts
    /// AAC in LOAS/LATM; recognised, and refused.
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
