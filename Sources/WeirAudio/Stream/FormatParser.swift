// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A parser of one format.
protocol FormatParser: Sendable {
    /// The next event.
    ///
    /// The events depend on the bytes alone, never on how they were cut into chunks.
    ///
    /// - Parameter window: the stream from where this parser left off.
    /// - Returns: the next event; `nil` when more bytes are needed, or, at the end of the stream,
    ///   when there are no more events. After a `nil` at the end, every further call returns `nil`.
    /// - Throws: the error that the parser cannot recover from; the caller does not call the parser
    ///   again.
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent?

    /// Prepares for bytes that do not follow the last ones: after a seek, a join or a gap.
    ///
    /// - Parameter start: when the next packet starts, for formats without times of their own;
    ///   `nil`: the time continues as if no bytes were missing.
    mutating func discontinued(start: SampleCount?)

    /// The map from times to bytes, as far as it is known now.
    ///
    /// - Parameter length: the length of the stream in bytes, if known.
    /// - Returns: `nil` while there is no map.
    func seekMap(length: Int64?) -> SeekMap?

    /// Takes a tag that precedes the first byte of this format.
    mutating func noticed(_ tags: AudioTags)

    /// Whether the stream ended before all the bytes that its headers describe, as far as known
    /// now.
    var isCutShort: Bool { get }
}

extension FormatParser {
    var isCutShort: Bool { false }

    mutating func noticed(_: AudioTags) {}
}

/// A parser that works in steps; each step takes bytes from the front of the window.
protocol SteppingParser: FormatParser {
    /// Events to return before the parser goes on.
    var queue: [AudioStreamEvent] { get set }
    /// Takes the next step.
    mutating func step(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep
}

/// The result of a parser's step.
enum ParserStep {
    /// The parser has an event to return.
    case event(AudioStreamEvent)
    /// The parser must take another step.
    case again
    /// More bytes are needed, or, at the end of the stream, there are no more events.
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

/// The result of reading bytes that may be a value of some kind: a frame, a header, a tag.
enum Reading<Value> {
    /// The bytes are such a value.
    case found(Value)
    /// The parser needs more bytes to decide.
    case needsMore
    /// The bytes are not such a value.
    case none
}

extension Reading: Sendable where Value: Sendable {}

/// The parser of the format that a stream turned out to have.
///
/// The parsers of the dense formats, with a packet every hundred bytes, are stored as concrete
/// types: a call through a protocol costs as much as parsing such a packet.
struct FoundParser: FormatParser {
    var mpeg: MPEGAudioParser?
    var adts: ADTSParser?
    private(set) var other: (any FormatParser)?

    /// A parser at the start of a stream.
    ///
    /// - Parameters:
    ///   - container: the format of the stream.
    ///   - limits: how much memory the parser may use.
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
            "This is AAC in LOAS/LATM framing, which Weir cannot play; it can play AAC in ADTS or MP4"
        )
    }

    mutating func discontinued(start: SampleCount?) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
        self.other?.discontinued(start: start)
    }

    /// Sets the time of the first packet, if the caller jumped before the format was known.
    ///
    /// Formats with times of their own do not need it.
    mutating func begin(at start: SampleCount) {
        self.mpeg?.discontinued(start: start)
        self.adts?.discontinued(start: start)
    }

    /// Skips the rest of a leading tag, which the tag reader has already reported.
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
