// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The parser of the format that a stream turned out to have.
///
/// Those of the dense formats, with a packet every hundred bytes, are kept as they are: a call of a protocol's value
/// costs as much as such a packet does.
struct FoundParser: Sendable {
    private var mpeg: MPEGAudioParser?
    private var adts: ADTSParser?
    private var other: (any FormatParser)?

    /// A parser at the start of a stream.
    ///
    /// - Parameters:
    ///   - container: what the stream is.
    ///   - limits: how much may be kept.
    ///   - length: how many bytes the stream has, if known.
    init(_ container: AudioContainer, limits: AudioStreamLimits, length: Int64?) {
        switch container {
        case .mpegAudio: self.mpeg = MPEGAudioParser(limits: limits, length: length)
        case .adts: self.adts = ADTSParser(limits: limits, length: length)
        case .loas: self.other = LOASParser(limits: limits, length: length)
        case .ogg: self.other = OggParser(limits: limits, length: length)
        case .flac: self.other = FLACParser(limits: limits, length: length)
        case .wave: self.other = WAVEParser(limits: limits, length: length)
        case .mp4: self.other = MP4Parser(limits: limits, length: length)
        }
    }

    /// See ``FormatParser/next(_:)``.
    @inline(__always)
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        if self.mpeg != nil { return try self.mpeg?.next(&window) }
        if self.adts != nil { return try self.adts?.next(&window) }
        return try self.other?.next(&window)
    }

    /// See ``FormatParser/discontinued(start:)``.
    mutating func discontinued(start: SampleCount?) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
        self.other?.discontinued(start: start)
    }

    /// Says what the first packet's time is, where the stream was gone on with elsewhere before its format was known;
    /// formats that have times of their own need no such word.
    mutating func begin(at start: SampleCount) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
    }

    /// See ``FormatParser/seekMap(length:)``.
    func seekMap(length: Int64?) -> SeekMap? {
        self.mpeg?.seekMap(length: length) ?? self.adts?.seekMap(length: length)
            ?? self.other?.seekMap(length: length)
    }

    /// See ``FormatParser/noticed(_:)``.
    mutating func noticed(_ tags: AudioTags) {
        self.mpeg?.noticed(tags)
        self.adts?.noticed(tags)
        self.other?.noticed(tags)
    }
}
