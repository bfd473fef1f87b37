// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirLibav
import WeirAudio

/// A decoder of the library, and what it must be given before the first packet.
struct LibavCodec {
    /// How it is called in what is said to people.
    let name: String
    /// The library's own description of it; static memory.
    let codec: UnsafePointer<AVCodec>
    private let kind: AudioCodec

    /// The decoder for a codec; `nil` if the library has none.
    init?(_ kind: AudioCodec) {
        let identifier: AVCodecID
        switch kind {
        case .mpegLayer(1): (self.name, identifier) = ("MPEG layer I", AV_CODEC_ID_MP1)
        case .mpegLayer(2): (self.name, identifier) = ("MPEG layer II", AV_CODEC_ID_MP2)
        case .mpegLayer(3): (self.name, identifier) = ("MP3", AV_CODEC_ID_MP3)
        case .aac: (self.name, identifier) = ("AAC", AV_CODEC_ID_AAC)
        case .vorbis: (self.name, identifier) = ("Vorbis", AV_CODEC_ID_VORBIS)
        case .opus: (self.name, identifier) = ("Opus", AV_CODEC_ID_OPUS)
        case .flac: (self.name, identifier) = ("FLAC", AV_CODEC_ID_FLAC)
        case .alac: (self.name, identifier) = ("Apple Lossless", AV_CODEC_ID_ALAC)
        case .mpegLayer, .pcm, .other: return nil
        }
        guard let codec = avcodec_find_decoder(identifier) else { return nil }
        self.codec = codec
        self.kind = kind
    }

    /// Whether packets are to be given without the header of their container.
    func dropsHeaders(_ format: AudioFormat) -> Bool {
        // What an AudioSpecificConfig says counts for all packets; without one, ADTS headers must say it.
        if case .aac = self.kind { return !format.configuration.isEmpty }
        return false
    }

    /// A format's configuration as the library wants it.
    func extradata(_ format: AudioFormat) -> [UInt8] {
        switch self.kind {
        case .alac where !format.configuration.starts(with: [0, 0, 0, 36] + Array("alac".utf8)):
            // The library wants the box that the magic cookie lies in: its size, its name, a version.
            return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + format.configuration
        default:
            // The library knows Vorbis headers in the lacing of Matroska.
            return format.configuration
        }
    }
}
#endif
