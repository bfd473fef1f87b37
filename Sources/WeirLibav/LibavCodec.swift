// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
import WeirAudio

/// A decoder of the library, and the data that it needs before the first packet.
struct LibavCodec {
    /// Its name in messages for people.
    let name: String
    /// Its name in the C interface.
    let codec: weir_av_codec
    private let kind: AudioCodec

    /// The decoder for a codec; `nil` when no build of the library has one.
    init?(_ kind: AudioCodec) {
        switch kind {
        case .mpegLayer(1): (self.name, self.codec) = ("MPEG layer I", WEIR_AV_MP1)
        case .mpegLayer(2): (self.name, self.codec) = ("MPEG layer II", WEIR_AV_MP2)
        case .mpegLayer(3): (self.name, self.codec) = ("MP3", WEIR_AV_MP3)
        case .aac(42): (self.name, self.codec) = ("xHE-AAC (USAC)", WEIR_AV_USAC)
        case .aac: (self.name, self.codec) = ("AAC", WEIR_AV_AAC)
        case .vorbis: (self.name, self.codec) = ("Vorbis", WEIR_AV_VORBIS)
        case .opus: (self.name, self.codec) = ("Opus", WEIR_AV_OPUS)
        case .flac: (self.name, self.codec) = ("FLAC", WEIR_AV_FLAC)
        case .alac: (self.name, self.codec) = ("Apple Lossless", WEIR_AV_ALAC)
        case .mpegLayer, .pcm, .other: return nil
        }
        self.kind = kind
    }

    /// Whether the decoder needs packets without the header of their container.
    func dropsHeaders(_ format: AudioFormat) -> Bool {
        // An AudioSpecificConfig applies to all packets; without one, the decoder needs the ADTS
        // headers.
        if case .aac = self.kind { return !format.configuration.isEmpty }
        return false
    }

    /// A format's configuration in the form that the library expects.
    func extradata(_ format: AudioFormat) -> [UInt8] {
        switch self.kind {
        case .alac where !format.configuration.starts(with: [0, 0, 0, 36] + Array("alac".utf8)):
            // The library expects the box around the magic cookie: its size, its name, a version.
            return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + format.configuration
        default:
            // The library reads Vorbis headers in Matroska's lacing.
            return format.configuration
        }
    }
}
#endif
