// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of one format: takes from a window what it can.
protocol FormatParser: Sendable {
    /// The next event.
    ///
    /// What comes out depends on the bytes alone, never on how they were cut into chunks.
    ///
    /// - Parameter window: the stream from where this parser left off.
    /// - Returns: the next event; `nil` when more bytes are needed, or, at the end of the stream, when there is nothing
    ///   more. Once `nil` was returned at the end it stays `nil`.
    /// - Throws: the error that the parser cannot recover from; the parser is not asked again.
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent?

    /// The next bytes do not follow the last ones: after a seek, a join, a lost piece.
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

    /// Whether the stream ended before all was there that its headers describe, as far as known by now.
    var isCutShort: Bool { get }
}

extension FormatParser {
    var isCutShort: Bool { false }

    mutating func noticed(_: AudioTags) {}
}

/// A parser that goes by steps, each of which takes what is at the front of the window.
protocol SteppingParser: FormatParser {
    /// Events that are to be given out before the parser goes on.
    var queue: [AudioStreamEvent] { get set }
    /// Takes the next step.
    mutating func step(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep
}

/// What became of a parser's step.
enum ParserStep {
    /// Something was found.
    case event(AudioStreamEvent)
    /// Another step is to be taken.
    case again
    /// More bytes are needed, or, at the end of the stream, there is nothing more.
    case needsMore
}

extension SteppingParser {
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        while true {
            if !self.queue.isEmpty { return self.queue.removeFirst() }
            switch try self.step(&window) {
            case .event(let event): return event
            case .again: continue
            case .needsMore: return nil
            }
        }
    }
}

/// What bytes turn out to be that may be something of a kind: a frame, a header, a tag.
enum Reading<Value> {
    /// They are one.
    case found(Value)
    /// That cannot be told before more bytes have come.
    case needsMore
    /// They are none.
    case none
}

extension Reading: Sendable where Value: Sendable {}

/// The parser of the format that a stream turned out to have.
///
/// Those of the dense formats, with a packet every hundred bytes, are kept as they are: a call of a protocol's value
/// costs as much as such a packet does.
struct FoundParser: FormatParser {
    var mpeg: MPEGAudioParser?
    var adts: ADTSParser?
    private(set) var other: (any FormatParser)?

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
        case .loas: break
        case .ogg: self.other = OggParser(limits: limits, length: length)
        case .flac: self.other = FLACParser(limits: limits, length: length)
        case .wave: self.other = WAVEParser(limits: limits, length: length)
        case .mp4: self.other = MP4Parser(limits: limits, length: length)
        }
    }

    @inline(__always)
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        if self.mpeg != nil { return try self.mpeg?.next(&window) }
        if self.adts != nil { return try self.adts?.next(&window) }
        if self.other != nil { return try self.other?.next(&window) }
        // AAC in LOAS/LATM framing (ISO 14496-3 §1.7) is recognised and not parsed.
        throw AudioStreamError(
            .unsupported,
            at: window.offset,
            "This is AAC in LOAS/LATM framing, which cannot be played; AAC in ADTS or MP4 can"
        )
    }

    mutating func discontinued(start: SampleCount?) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
        self.other?.discontinued(start: start)
    }

    /// Sets the time of the first packet, where the caller jumped before the format was known; formats that have times of
    /// their own need none.
    mutating func begin(at start: SampleCount) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
    }

    /// Passes over what is left of a tag in front, about which everything was told.
    mutating func followTag() {
        self.mpeg?.sync.isJoining = true
        self.adts?.sync.isJoining = true
    }

    func seekMap(length: Int64?) -> SeekMap? {
        self.mpeg?.seekMap(length: length) ?? self.adts?.seekMap(length: length)
            ?? self.other?.seekMap(length: length)
    }

    var isCutShort: Bool { self.mpeg?.isCutShort ?? self.other?.isCutShort ?? false }

    mutating func noticed(_ tags: AudioTags) {
        self.mpeg?.noticed(tags)
        self.adts?.noticed(tags)
        self.other?.noticed(tags)
    }
}
