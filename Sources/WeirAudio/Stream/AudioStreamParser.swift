// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes the bytes of a stream in any portions and gives packets, formats and tags.
///
///     var parser = AudioStreamParser(hint: AudioTypeHint(mediaType: "audio/mpeg"))
///     for try await chunk in stream {
///         parser.push(ByteMemory(chunk))
///         while let event = try parser.next() { … }
///     }
///     parser.finish()
///     while let event = try parser.next() { … }
///
/// What comes out depends on the bytes alone, not on how they were cut. The format is found by what the bytes are;
/// the hint counts where they do not tell. All events of a chunk are to be taken before the next is pushed; bytes that are
/// not taken are kept, and add up.
public struct AudioStreamParser: ~Copyable, Sendable {
    /// What the bytes turned out to be; `nil` until then.
    public private(set) var container: AudioContainer?
    /// How many frames in a row agreed about the container, where it is told by frames.
    public private(set) var agreeingFrameCount = 0

    private let length: Int64?
    private let limits: AudioStreamLimits
    private var window: ByteWindow
    private var tagReader: TagReader
    private var sniffer: Sniffer
    /// The parser of the format; `nil` where tags may stand, and then the first bytes of the format.
    var parser: FoundParser?
    private var failure: AudioStreamError?
    /// What parsers want of the tags that stood before the format was known.
    private var openingTags: [AudioTags] = []
    private var hasTags = false
    private var hasPackets = false
    /// The start of the first packet, where the caller named it before there was a parser.
    private var openingStart: SampleCount?

    /// A parser of a stream of which nothing is known yet.
    ///
    /// - Parameters:
    ///   - hint: what its origin says of it.
    ///   - length: how many bytes the whole stream has, if known; durations and bit rates are worked out with it. What no
    ///     stream has, below 0 or above 2^62, counts as unknown.
    ///   - offset: where in the stream the first pushed byte lies; from 0 to 2^62, or the nearer of the two is taken.
    ///   - limits: how much may be kept.
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

    /// A parser of a stream whose format is known already: nothing is guessed.
    ///
    /// - Parameters:
    ///   - container: what the stream is.
    ///   - length: how many bytes the whole stream has, if known.
    ///   - offset: where in the stream the first pushed byte lies.
    ///   - limits: how much may be kept.
    public init(
        container: AudioContainer,
        length: Int64? = nil,
        startingAt offset: Int64 = 0,
        limits: AudioStreamLimits = AudioStreamLimits()
    ) {
        self.init(length: length, startingAt: offset, limits: limits)
        self.container = container
    }

    /// Where the first byte lies that the parser has not passed yet.
    public var offset: Int64 { self.window.offset }

    /// The next bytes of the stream.
    public mutating func push(_ bytes: ByteMemory) {
        self.window.push(bytes)
    }

    /// No more bytes will come; ``next()`` gives the events that are left.
    public mutating func finish() {
        self.window.finish()
    }

    /// The bytes that are pushed next lie elsewhere: after ``AudioStreamEvent/wanted(_:)``, a seek, a lost piece.
    ///
    /// - Parameters:
    ///   - offset: where in the stream they lie.
    ///   - start: when the first packet from there starts, as a ``SeekPoint`` says; needed by formats that have no
    ///     times of their own, and ignored by the others. `nil`: time goes on.
    public mutating func jump(to offset: Int64, start: SampleCount? = nil) {
        self.window.jump(to: Self.offset(offset))
        let start = start.map(Self.time)
        self.sniffer = Sniffer(hint: self.sniffer.hint)
        if self.parser == nil { self.openingStart = start }
        self.parser?.discontinued(start: start)
    }

    /// How to find the byte for a time, as far as that is known by now.
    ///
    /// - Returns: `nil` before the first format, and for streams without length.
    public func seekMap() -> SeekMap? {
        self.parser?.seekMap(length: self.length)
    }

    /// Whether the stream ended before all was there that its headers describe.
    ///
    /// That is known when everything was taken up to the end of the stream, at the latest. Formats whose headers do not
    /// tell how much there is are never known to be cut short, but for an Ogg stream that ends within a page.
    package var isCutShort: Bool { self.parser?.isCutShort ?? false }

    /// The next event.
    ///
    /// - Returns: `nil` when more bytes are needed, or, after ``finish()``, when that was all.
    /// - Throws: the error that the parser cannot recover from, at every further call, too.
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
                "The stream ends before its first packet; it is cut short, or it is no audio"
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

    /// Keeps of a tag what a parser may want: what is to be dropped at the ends; no pictures, and no long texts.
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
                "This is a playlist (\(kind)), not audio; play what it lists"
            )
        case .unknown: throw self.unknown()
        }
    }

    private mutating func unknown() -> AudioStreamError {
        let offset = self.window.offset
        if self.window.count == 0 && self.window.isAtEnd || self.tagReader.isEndLost {
            let reason = self.hasTags ? "There is a tag and no audio" : "There are no bytes"
            return AudioStreamError(.ended, at: offset, reason)
        }
        let view = self.window.peek(upTo: 8192)
        if case .found(let name) = ForeignFormat.find(view, isAtEnd: true) {
            return AudioStreamError(
                .unsupported,
                at: offset,
                "This is \(name), which Weir cannot take apart; give it to a player that can"
            )
        }
        return AudioStreamError(
            .unrecognized,
            at: offset,
            "These bytes are no audio format that Weir knows"
        )
    }
}

/// How much memory a parser uses, whatever a stream asks for.
///
/// Beside these a parser keeps less than 1 MiB, not counting the chunk that it was given last. A large part is
/// in memory more than once while it is read: as gathered bytes and as the values read from them, and an unsynchronised
/// tag once more.
public struct AudioStreamLimits: Hashable, Sendable {
    /// The longest packet in bytes; one that claims more is an error.
    public var packet: Int
    /// The largest tag in bytes that is read, its pictures included.
    ///
    /// A larger one is passed over with a trouble event.
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

/// Which lengths and offsets a stream can have: the rule for those that callers name.
///
/// What has passed can be added to the size of anything in memory, since the longest stream has half of what an `Int64`
/// holds. Numbers that stand in a stream itself are checked where they are read.
extension AudioStreamParser {
    /// The longest stream: 2^62 bytes, as for resources in WeirSource.
    private static let maximumLength: Int64 = 1 << 62

    /// A claimed length; `nil`, unknown, for one that no stream has.
    static func length(_ claim: Int64?) -> Int64? {
        claim.flatMap { $0 >= 0 && $0 <= self.maximumLength ? $0 : nil }
    }

    /// An offset; the nearest where there can be bytes.
    static func offset(_ claim: Int64) -> Int64 { min(max(claim, 0), self.maximumLength) }

    /// A time that a caller names; the nearest to which the samples of a stream can be added.
    private static func time(_ claim: SampleCount) -> SampleCount {
        SampleCount(min(max(claim.rawValue, -self.maximumLength), self.maximumLength))
    }
}
