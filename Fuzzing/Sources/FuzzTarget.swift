// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What is fuzzed, one after the other, each with a corpus of its own.
enum FuzzTarget: String, CaseIterable {
    /// The parsers of the formats, told what the bytes are.
    case mpeg, adts, ogg, flac, wave, mp4
    /// The whole: tags, guessing, and whatever parser comes of it.
    case any
    /// Tags by themselves, without their stream.
    case tags
    /// The blocks between the bytes of a radio stream.
    case icy
    /// Playlists.
    case playlist
    /// Searches that are answered with the input.
    case seek
    /// Listings of services.
    case xml

    /// The format that the bytes are said to be.
    var container: AudioContainer? {
        switch self {
        case .mpeg: .mpegAudio
        case .adts: .adts
        case .ogg: .ogg
        case .flac: .flac
        case .wave: .wave
        case .mp4: .mp4
        case .any, .tags, .icy, .playlist, .seek, .xml: nil
        }
    }

    /// Takes one input; a broken promise traps.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .mpeg, .adts, .ogg, .flac, .wave, .mp4, .any:
            StreamTrial(bytes, as: self.container).run()
        case .tags: TagTrial.run(bytes)
        case .icy: ICYTrial.run(bytes)
        case .playlist: _ = try? Playlist(ByteMemory(bytes))
        case .seek: SeekTrial.run(bytes)
        case .xml: XMLTrial.run(bytes)
        }
    }
}
