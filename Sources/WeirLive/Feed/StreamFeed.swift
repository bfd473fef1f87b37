// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Turns the bytes of one connection into a station's stream: separates titles from sound, and
/// drops other bytes.
///
/// The feed returns only bytes in which a parser found packets, and the bytes between these
/// packets. A web page instead of sound, a broken frame at the end, or garbage at the beginning
/// reaches no listener. When the stream changes within a connection, the new one begins where the
/// old one ended. The feed holds back less than a packet in a sound stream, and otherwise at most
/// ``limit`` bytes.
///
/// The feed has two kinds of offsets: one counts the connection's sound from its first byte on, the
/// other counts the station's stream over all connections. ``shift`` converts the first into the
/// second.
struct StreamFeed: ~Copyable {
    /// How the feed treats the connection's bytes.
    enum Phase {
        /// As sound, or as bytes before the sound.
        case parsing
        /// As a playlist of this kind, which the feed reads completely.
        case collecting(Playlist.Kind?)
        /// The feed needs no more bytes.
        case over
    }

    /// A finding of the parser; its offsets count from the connection's first byte.
    private enum Finding {
        case sign(StreamSign)
        case packet(StreamPacket)
    }

    /// How many bytes the first probe for another format looks at, while no packet is found.
    static let firstProbe = 4 << 10
    /// The largest probe: enough to recognize a format behind 16 KiB of garbage.
    static let lastProbe = 33 << 10
    /// How many bytes are skipped when they are of no known format.
    static let stride = 16 << 10
    /// How many titles wait for their sound at most.
    static let titleLimit = 64
    /// No packet counts as longer than this, in seconds.
    static let longestPacket: Int64 = 60

    let hint: AudioTypeHint
    let display: String
    /// How many bytes in a row may contain no sound.
    let limit: Int

    var phase = Phase.parsing
    var titles: ICYDemultiplexer?
    var parser: AudioStreamParser
    /// The offset at which the parser began.
    var parserStart: Int64 = 0
    var held = StreamBuffer()
    /// Whether the parser has found a packet.
    var isProven = false
    /// The end of the proven sound in the current batch.
    var provenEnd: Int64 = 0
    /// The findings that are not written yet, in order.
    private var findings: [Finding] = []
    /// The positions of the pages, if the stream is Ogg.
    var pages = OggPageMap()
    /// Titles whose sound has not been written yet.
    var waitingTitles: [ICYMetadata] = []
    /// The offset from which the next probe for another format looks.
    var probeStart: Int64 = 0
    var probeCount = StreamFeed.firstProbe
    var isFinished = false

    var sampleRate = 0
    var section = 0
    /// The station's time of the next packet.
    private(set) var time: Duration
    /// The difference from the connection's offset to the stream's offset.
    private var shift: Int64
    /// The end of the written bytes, counted in the connection.
    private var written: Int64 = 0
    /// The offset in the station's stream of the next written byte.
    private var position: Int64 { self.written + self.shift }
    private var outcome = FeedOutcome()

    /// A feed at the start of a connection's body.
    ///
    /// - Parameters:
    ///   - info: the facts from the response head.
    ///   - charset: the charset of titles that are not UTF-8.
    ///   - time: the station's time of the first sound.
    ///   - position: the offset of the first byte in the station's stream.
    ///   - limit: how many bytes in a row may contain no sound.
    init(
        _ info: StationInfo,
        charset: ICYCharset?,
        time: Duration,
        position: Int64,
        limit: Int
    ) {
        self.hint = AudioTypeHint(mediaType: info.mediaType)
        self.display = info.display
        self.limit = limit
        self.time = time
        self.shift = position
        self.titles = info.headers.metadataInterval.flatMap {
            ICYDemultiplexer(interval: $0, charset: charset)
        }
        self.parser = AudioStreamParser(hint: self.hint, limits: Self.limits)
    }

    /// How much a station's parser keeps at most.
    static let limits = AudioStreamLimits(packet: 1 << 20, tag: 1 << 20, index: 1 << 20)

    /// Takes the next bytes of the body.
    ///
    /// - Parameter bytes: the bytes as received, with titles in them.
    /// - Returns: the steps and the sound found in them.
    mutating func push(_ bytes: ByteMemory) -> FeedOutcome {
        if self.titles == nil {
            self.hear(bytes)
        } else {
            self.titles?.push(bytes)
            while let piece = self.titles?.next() {
                switch piece {
                case .audio(let audio, _): self.hear(audio)
                case .metadata(let metadata): self.keep(metadata)
                }
            }
        }
        return self.taken()
    }

    /// The body has ended.
    mutating func finish() -> FeedOutcome {
        self.isFinished = true
        switch self.phase {
        case .parsing:
            self.parser.finish()
            self.drain()
            if case .collecting(let kind) = self.phase { self.read(kind) }
        case .collecting(let kind): self.read(kind)
        case .over: break
        }
        return self.taken()
    }

    private mutating func taken() -> FeedOutcome {
        defer { self.outcome = FeedOutcome() }
        return self.outcome
    }

    // MARK: Bytes

    private mutating func hear(_ bytes: ByteMemory) {
        switch self.phase {
        case .over: return
        case .collecting:
            self.held.append(bytes)
            if self.held.count > Playlist.maximumByteCount {
                self.fail(.unreadablePlaylist(from: self.display))
            }
        case .parsing:
            if self.parser.container == nil || self.parser.container == .ogg {
                self.pages.push(bytes, at: self.held.end)
            }
            self.held.append(bytes)
            self.parser.push(bytes)
            self.drain()
            if case .parsing = self.phase { self.probe() }
            guard case .parsing = self.phase, self.held.count > self.limit else { return }
            self.fail(
                StationFailure(
                    .notAudio,
                    "\(self.display) sends bytes that are not audio in a known format; Weir connects again."
                )
            )
        }
    }

    private mutating func keep(_ metadata: ICYMetadata) {
        if self.waitingTitles.count == Self.titleLimit { self.waitingTitles.removeFirst() }
        self.waitingTitles.append(metadata)
    }

    /// Ends the feed with a failure.
    mutating func fail(_ failure: StationFailure) {
        self.end(.failure(failure))
    }

    private mutating func read(_ kind: Playlist.Kind?) {
        let bytes = self.held[self.held.start..<self.held.end]
        self.end(FeedOutcome.Verdict(playlist: bytes, kind: kind, from: self.display))
    }

    private mutating func end(_ verdict: FeedOutcome.Verdict) {
        self.phase = .over
        self.outcome.verdict = verdict
    }

    // MARK: Output

    /// A stream begins.
    ///
    /// - Parameters:
    ///   - container: the stream's container.
    ///   - start: its first byte, counted in the connection.
    mutating func begin(_ container: AudioContainer, at start: Int64) {
        self.isProven = true
        self.held.drop(before: start)
        // The stream does not count the bytes between the written ones and these.
        self.shift -= self.held.start - self.written
        self.written = self.held.start
        self.provenEnd = self.written
        self.outcome.steps.append(.stretch(container))
    }

    /// A header begins; all bytes before it are written first.
    mutating func link(_ container: AudioContainer, head: ByteMemory, at start: Int64) {
        self.write(to: start)
        self.outcome.steps.append(.link(container, head: head, headOffset: self.position))
    }

    /// A packet was found.
    ///
    /// - Parameters:
    ///   - packet: the parser's packet.
    ///   - parts: the positions of its bytes in the connection.
    ///   - isThere: whether the bytes are at these positions; if not, readers of packets do not get
    ///     the packet.
    mutating func count(_ packet: AudioPacket, parts: [Range<Int64>], isThere: Bool) {
        let duration = self.duration(of: packet)
        if isThere {
            let found = RingPacket(
                packet,
                at: parts[0],
                time: self.time,
                sampleRate: self.sampleRate
            )
            let placed = PlacedPacket(packet: found, parts: Array(parts.dropFirst()))
            self.findings.append(.packet(StreamPacket(packet, placed, duration: duration)))
        }
        self.provenEnd = max(self.provenEnd, parts.last?.upperBound ?? 0)
        self.time += duration
        self.outcome.sound += duration
    }

    private func duration(of packet: AudioPacket) -> Duration {
        guard self.sampleRate > 0 else { return .zero }
        let rate = Int64(self.sampleRate)
        let heard = packet.duration - packet.trimStart - packet.trimEnd
        let samples = min(max(0, heard.rawValue), Self.longestPacket * rate)
        let part = samples % rate * (1_000_000_000_000_000_000 / rate)
        return Duration(secondsComponent: samples / rate, attosecondsComponent: part)
    }

    /// The parser found a sign between packets; of several troubles in a row only the first is
    /// kept.
    mutating func note(_ sign: StreamSign) {
        if case .trouble = sign, case .sign(.trouble)? = self.findings.last { return }
        self.findings.append(.sign(sign))
    }

    /// Writes the proven bytes and findings.
    mutating func flush() {
        guard self.isProven else { return }
        // Without a waiting title, the bytes of all packets are written at once.
        if self.waitingTitles.isEmpty { self.writeBytes(to: self.provenEnd) }
        for finding in self.findings {
            switch finding {
            case .sign(let sign): self.outcome.steps.append(.sign(sign))
            case .packet(var packet):
                self.write(to: packet.placed.end)
                packet.move(by: self.shift)
                self.outcome.steps.append(.packet(packet))
            }
        }
        self.findings.removeAll(keepingCapacity: true)
        self.write(to: self.provenEnd)
        self.pages.drop(before: self.written)
    }

    private mutating func write(to end: Int64) {
        while let title = self.waitingTitles.first, title.audioOffset < end {
            self.writeBytes(to: max(self.written, title.audioOffset))
            self.waitingTitles.removeFirst()
            // Of several titles for the same byte, or for bytes that were left out, the last
            // counts.
            if let next = self.waitingTitles.first, next.audioOffset <= self.written { continue }
            self.outcome.steps.append(.title(title))
        }
        self.writeBytes(to: end)
    }

    private mutating func writeBytes(to end: Int64) {
        guard end > self.written else { return }
        let bytes = self.held[self.written..<end]
        self.held.drop(before: end)
        self.written = end
        self.outcome.steps.append(.bytes(bytes))
    }
}

/// The result of pushing bytes into a feed.
struct FeedOutcome: Sendable {
    /// Why a connection's bytes are not sound.
    enum Verdict: Hashable, Sendable {
        /// They are a playlist with these entries.
        case playlist([String])
        /// They cannot be played.
        case failure(StationFailure)
    }

    /// The steps to keep, in order.
    var steps: [FeedStep] = []
    /// How much sound the steps hold.
    var sound: Duration = .zero
    /// Why the feed needs no more bytes; `nil`: it needs more.
    var verdict: Verdict?
}

/// The parts of a station's stream, in the order of the sound, with offsets in the station's
/// stream.
enum FeedStep: Sendable {
    /// The following bytes begin a stream of this kind.
    case stretch(AudioContainer)
    /// A stream with a header begins at the next bytes.
    case link(AudioContainer, head: ByteMemory, headOffset: Int64)
    /// Bytes of sound, as far as a parser can tell.
    case bytes(ByteMemory)
    /// The station's metadata for the following bytes.
    case title(ICYMetadata)
    /// A sign that a parser found before the next packet.
    case sign(StreamSign)
    /// A packet in the preceding bytes.
    case packet(StreamPacket)
}
