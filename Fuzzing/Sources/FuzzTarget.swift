// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The fuzz targets, each with a corpus of its own.
enum FuzzTarget: String, CaseIterable {
    /// The parsers of the formats, each with its container given.
    case mpeg, adts, ogg, flac, wave, mp4
    /// The whole parser: tags, the guess of the type, and the parser that follows from it.
    case any
    /// Tags alone, without their stream.
    case tags
    /// The metadata blocks between the bytes of a radio stream.
    case icy
    /// Playlists of stations and files.
    case playlist
    /// HLS playlists.
    case hls
    /// Searches whose reads return the input's bytes.
    case seek
    /// The listings of cloud services.
    case xml

    /// The container given to the parser; `nil` if it must guess.
    var container: AudioContainer? {
        switch self {
        case .mpeg: .mpegAudio
        case .adts: .adts
        case .ogg: .ogg
        case .flac: .flac
        case .wave: .wave
        case .mp4: .mp4
        case .any, .tags, .icy, .playlist, .hls, .seek, .xml: nil
        }
    }

    /// Runs one input; a broken promise traps.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .mpeg, .adts, .ogg, .flac, .wave, .mp4, .any:
            StreamTrial(bytes, as: self.container).run()
        case .tags: TagTrial.run(bytes)
        case .icy: ICYTrial.run(bytes)
        case .playlist: _ = try? Playlist(ByteMemory(bytes))
        case .hls: HLSTrial.run(bytes)
        case .seek: SeekTrial.run(bytes)
        case .xml: XMLTrial.run(bytes)
        }
    }
}
