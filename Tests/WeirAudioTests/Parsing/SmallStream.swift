// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirAudio

/// A small stream of each format.
enum SmallStream: String, CaseIterable {
    case mpeg, adts, vorbis, opus, oggFLAC, flac, wave, mp4, mp4IndexLast, mp4Fragments

    /// The stream's bytes, a few thousand at most.
    var bytes: [UInt8] {
        switch self {
        case .mpeg:
            var builder = MPEGStreamBuilder()
            return TagBytes.id3v2(4, [TagBytes.frame(4, "TIT2", [3] + Array("Title".utf8))])
                + builder.frames(8)
        case .adts:
            var builder = ADTSStreamBuilder()
            return builder.frames(12)
        case .vorbis: return OggFixture.vorbis(pages: 3)
        case .opus: return OggFixture.opus(pages: 3)
        case .oggFLAC: return OggFixture.flac()
        case .flac: return FLACBuilder().stream(frames: 6)
        case .wave:
            let builder = WAVEBuilder()
            return builder.file(builder.format(), builder.chunk("data", WAVEBuilder.samples(6000)))
        case .mp4: return MP4File(layout: .indexFirst).bytes
        case .mp4IndexLast: return MP4File(layout: .indexLast).bytes
        case .mp4Fragments: return MP4File(layout: .fragments).bytes
        }
    }

    /// The container that the parser must find.
    var container: AudioContainer {
        switch self {
        case .mpeg: .mpegAudio
        case .adts: .adts
        case .vorbis, .opus, .oggFLAC: .ogg
        case .flac: .flac
        case .wave: .wave
        case .mp4, .mp4IndexLast, .mp4Fragments: .mp4
        }
    }
}
