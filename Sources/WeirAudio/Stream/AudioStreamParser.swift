// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes the bytes of a stream in chunks of any size and returns packets, formats and tags.
///
///     var parser = AudioStreamParser(hint: AudioTypeHint(mediaType: "audio/mpeg"))
///     for try await chunk in stream {
///         parser.push(ByteMemory(chunk))
///         while let event = try parser.next() { … }
///     }
///     parser.finish()
///     while let event = try parser.next() { … }
///
/// The events depend on the bytes alone, not on how they were cut. The parser recognises the format
/// by the bytes; the hint decides only if the bytes do not. Take all events of a chunk before you
/// push the next chunk: the parser keeps all bytes that it has not parsed yet in memory.
public struct AudioStreamParser: ~Copyable, Sendable {
    /// The format that the parser has recognised, or was given; `nil` before.
    public private(set) var container: AudioContainer?
    /// How many frames in a row agreed about the container, if frames decided it.
    public private(set) var agreeingFrameCount = 0

    private let length: Int64?
    private let limits: AudioStreamLimits
    private var window: ByteWindow
    private var tagReader: TagReader
    private var sniffer: Sniffer
    /// The parser of the format; `nil` while tags may still precede the first bytes of the format.
    var parser: FoundParser?
    private var failure: AudioStreamError?
    /// The fields of leading tags that the parser of the format will need, until that parser
    /// exists.
    private var openingTags: [AudioTags] = []
    private var hasTags = false
    private var hasPackets = false
    /// The start of the first packet, if the caller gave it before there was a parser.
    private var openingStart: SampleCount?

    /// A parser of a stream about which nothing is known yet.
    ///
    /// - Parameters:
    ///   - hint: the facts that the origin states about the stream.
    ///   - length: the length of the whole stream in bytes, if known; the parser computes durations
    ///     and bit rates with it. A length below 0 or above 2^62 counts as unknown.
    ///   - offset: the offset of the first pushed byte in the stream, cut to 0 through 2^62.
    ///   - limits: how much memory the parser may use.
    public init(
        hint: AudioTypeHint = AudioTypeHint(),
        length: Int64? = nil,
        startingAt offset: Int64 = 0,
        limits: AudioStreamLimits = AudioStreamLimits()
    ) {
        self.length = Self.length(length)
        self.limits = limits
        self.window = ByteWindow(offset: Self.offset(offset))
        self.tagReader = TagReader(limits: limits, length: Self.length(length))
        self.sniffer = Sniffer(hint: hint)
    }

    /// A parser of a stream whose format is already known; it does not guess.
    ///
    /// - Parameters:
    ///   - container: the format of the stream.
    ///   - length: the length of the whole stream in bytes, if known.
    ///   - offset: the offset of the first pushed byte in the stream.
    ///   - limits: how much memory the parser may use.
    public init(
        container: AudioContainer,
        length: Int64? = nil,
        startingAt offset: Int64 = 0,
        limits: AudioStreamLimits = AudioStreamLimits()
    ) {
        self.init(length: length, startingAt: offset, limits: limits)
        self.container = container
    }

    /// The offset of the first byte that the parser has not passed yet.
    public var offset: Int64 { self.window.offset }

    /// Takes the next bytes of the stream.
    public mutating func push(_ bytes: ByteMemory) {
        self.window.push(bytes)
    }

    /// Ends the stream; ``next()`` returns the remaining events.
    public mutating func finish() {
        self.window.finish()
    }

    /// Continues at another offset: after ``AudioStreamEvent/wanted(_:)``, a seek or a gap.
    ///
    /// - Parameters:
    ///   - offset: the offset of the next pushed byte in the stream.
    ///   - start: when the first packet from there starts, as a ``SeekPoint`` says. Formats that
    ///     have no times of their own need it; the others ignore it. `nil`: the time continues from
    ///     the last packet.
    public mutating func jump(to offset: Int64, start: SampleCount? = nil) {
        self.window.jump(to: Self.offset(offset))
        let start = start.map(Self.time)
        self.sniffer = Sniffer(hint: self.sniffer.hint)
        if self.parser == nil { self.openingStart = start }
        self.parser?.discontinued(start: start)
    }

    /// The map from times to bytes, as far as it is known now.
    ///
    /// - Returns: `nil` while the parser knows too little for a map.
    public func seekMap() -> SeekMap? {
        self.parser?.seekMap(length: self.length)
    }

    /// Whether the stream ended before all the bytes that its headers describe.
    ///
    /// The answer is final once the parser has taken all bytes up to the end of the stream. If the
    /// headers of a format do not state how much data follows, the answer is `false`. Exception:
    /// `true` for an Ogg stream that ends within a page.
    package var isCutShort: Bool { self.parser?.isCutShort ?? false }

    /// The next event.
    ///
    /// - Returns: `nil` when more bytes are needed, or, after ``finish()``, when there are no more
    ///   events.
    /// - Throws: the error that the parser cannot recover from; every further call throws it again.
    public mutating func next() throws(AudioStreamError) -> AudioStreamEvent? {
        if let failure = self.failure { throw failure }
        do throws(AudioStreamError) {
            return try self.parser == nil ? self.opened() : self.parsed()
        } catch {
            self.failure = error
            throw error
        }
    }

    private mutating func parsed() throws(AudioStreamError) -> AudioStreamEvent? {
        if self.hasPackets { return try self.parser?.next(&self.window) }
        let event = try self.parser?.next(&self.window)
        if case .packet? = event { self.hasPackets = true }
        if event == nil, self.window.isAtEnd {
            throw AudioStreamError(
                .ended,
                at: self.window.offset,
                "The stream ends before its first packet; it is cut short, or it is not audio"
            )
        }
        return event
    }

    private mutating func opened() throws(AudioStreamError) -> AudioStreamEvent? {
        switch self.tagReader.read(&self.window) {
        case .needsMore: return nil
        case .found(let event):
            self.hasTags = true
            if case .tags(let tags) = event { self.keep(tags) }
            return event
        case .none: break
        }
        if self.container == nil { self.container = try self.guessed() }
        guard let container = self.container else { return nil }
        var parser = FoundParser(container, limits: self.limits, length: self.length)
        for tags in self.openingTags { parser.noticed(tags) }
        self.openingTags = []
        if let start = self.openingStart { parser.begin(at: start) }
        if self.tagReader.isEndLost { parser.followTag() }
        self.parser = parser
        return try self.parsed()
    }

    /// Keeps the fields of a tag that state how many samples to drop at the ends, but no pictures
    /// and no long texts.
    private mutating func keep(_ tags: AudioTags) {
        guard self.openingTags.count < 8, tags.encoderGap != nil else { return }
        var kept = AudioTags(kind: tags.kind, range: tags.range)
        kept.fields = tags.fields.filter { field in
            field.name.utf8.count < 256 && field.name.contains("iTunSMPB")
                && field.values.reduce(0) { $0 + $1.utf8.count } < 1024
        }
        self.openingTags.append(kept)
    }

    private mutating func guessed() throws(AudioStreamError) -> AudioContainer? {
        switch self.sniffer.guess(&self.window) {
        case .needsMore: return nil
        case .container(let container, let agreeingFrames):
            self.agreeingFrameCount = agreeingFrames
            return container
        case .page(let kind):
            throw AudioStreamError(
                .notAudio,
                at: self.window.offset,
                "This is \(kind), not audio; \(kind.advice)"
            )
        case .playlist(let kind):
            throw AudioStreamError(
                .notAudio,
                at: self.window.offset,
                "This is a playlist (\(kind)), not audio; play the addresses in it"
            )
        case .unknown: throw self.unknown()
        }
    }

    private mutating func unknown() -> AudioStreamError {
        let offset = self.window.offset
        if self.window.count == 0 && self.window.isAtEnd || self.tagReader.isEndLost {
            let reason = self.hasTags ? "There is a tag but no audio" : "There are no bytes"
            return AudioStreamError(.ended, at: offset, reason)
        }
        let view = self.window.peek(upTo: 8192)
        if case .found(let name) = ForeignFormat.find(view, isAtEnd: true) {
            return AudioStreamError(
                .unsupported,
                at: offset,
                "This is \(name), which Weir cannot parse; use a player that supports it"
            )
        }
        return AudioStreamError(
            .unrecognized,
            at: offset,
            "These bytes are not in an audio format that Weir can read"
        )
    }
}

/// How much memory a parser uses, whatever a stream asks for.
///
/// In addition to these limits, a parser keeps less than 1 MiB, not counting the last chunk. While
/// the parser reads a large part, memory holds the part more than once: as gathered bytes, as the
/// values read from them, and, if a tag is unsynchronised, as a third copy.
public struct AudioStreamLimits: Hashable, Sendable {
    /// The longest packet in bytes; a packet that claims more is an error.
    public var packet: Int
    /// The largest tag in bytes that the parser reads, with its pictures.
    ///
    /// The parser skips a larger tag with a trouble event.
    public var tag: Int
    /// The largest index of an MP4 file in bytes (`moov`, or one `moof`).
    public var index: Int

    /// Limits; the defaults are 4 MiB for a packet, 16 MiB for a tag, 64 MiB for an index.
    public init(packet: Int = 4 << 20, tag: Int = 16 << 20, index: Int = 64 << 20) {
        self.packet = packet
        self.tag = tag
        self.index = index
    }
}

/// Limits the lengths, offsets and times that callers pass.
///
/// The longest stream has half the range of an `Int64`, so that adding the size of anything in
/// memory to an offset cannot overflow. Parsers check the numbers in a stream where they read them.
extension AudioStreamParser {
    /// The longest stream: 2^62 bytes, as for resources in WeirSource.
    private static let maximumLength: Int64 = 1 << 62

    /// A claimed length; `nil`, unknown, if no stream can have it.
    static func length(_ claim: Int64?) -> Int64? {
        claim.flatMap { $0 >= 0 && $0 <= self.maximumLength ? $0 : nil }
    }

    /// An offset, cut to the range of possible offsets.
    static func offset(_ claim: Int64) -> Int64 { min(max(claim, 0), self.maximumLength) }

    /// A time from a caller, cut so that adding the samples of a stream cannot overflow.
    private static func time(_ claim: SampleCount) -> SampleCount {
        SampleCount(min(max(claim.rawValue, -self.maximumLength), self.maximumLength))
    }
}
