// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// How much a decoder must be given before the first sample that is to be right.
enum Preroll {
    /// Samples before the one that is wanted, at the format's rate.
    static func samples(_ format: AudioFormat) -> SampleCount {
        switch format.codec {
        // The bit reservoir reaches 511 bytes back (ISO 11172-3 §2.4.2.7), at the lowest rates nine frames, and the
        // first frame overlaps with one more.
        case .mpegLayer: SampleCount(10 * 1152)
        // Overlap of one, and the state of SBR.
        case .aac: SampleCount(4 * 1024)
        // RFC 7845 §4.6: 80 ms.
        case .opus: SampleCount(3840)
        // The longest block overlaps with the one before.
        case .vorbis: SampleCount(8192)
        case .flac, .alac, .pcm, .other: 0
        }
    }
}
