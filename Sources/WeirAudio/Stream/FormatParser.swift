// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of one format: takes from a window what it can.
protocol FormatParser: Sendable {
    /// Goes on.
    ///
    /// What comes out depends on the bytes alone, never on how they were cut into chunks.
    ///
    /// - Parameter window: the stream from where this parser left off.
    /// - Returns: the next event; `nil` when more bytes are needed, or, at the end of the stream, when there is nothing
    ///   more. Once `nil` was returned at the end it stays `nil`.
    /// - Throws: what cannot be got over; the parser is not asked again.
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent?

    /// What comes next is not what followed: after a seek, a join, a lost piece.
    ///
    /// - Parameter start: when the next packet starts, for formats that cannot tell by themselves; `nil`: time goes on
    ///   as if nothing were missing.
    mutating func discontinued(start: SampleCount?)

    /// How to find the byte for a time, as far as known by now.
    ///
    /// - Parameter length: of the stream in bytes, if known.
    /// - Returns: `nil` before that is known.
    func seekMap(length: Int64?) -> SeekMap?

    /// A tag stood before the first byte of this format.
    mutating func noticed(_ tags: AudioTags)
}

extension FormatParser {
    mutating func noticed(_: AudioTags) {}
}

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

/// Refuses AAC in LOAS/LATM framing (ISO 14496-3 §1.7), which is recognised and not parsed.
struct LOASParser: FormatParser {
    /// A parser that parses nothing.
    ///
    /// - Parameters:
    ///   - limits: not used.
    ///   - length: not used.
    init(limits: AudioStreamLimits, length: Int64?) {}

    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        throw AudioStreamError(
            .unsupported,
            at: window.offset,
            "This is AAC in LOAS/LATM framing, which cannot be played; AAC in ADTS or MP4 can"
        )
    }

    mutating func discontinued(start: SampleCount?) {}

    func seekMap(length: Int64?) -> SeekMap? { nil }
}
