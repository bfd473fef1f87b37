// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Turns the bytes of one connection into what is kept of a station: parts titles from sound, and sound from all else.
///
/// Only bytes that a parser has made packets of, and what lies between these, come out: a page instead of sound, a
/// broken frame at the end, garbage in front reach no listener, and when the stream becomes another in
/// mid-connection, the other begins where the one ended. What is held back is less than a packet in a sound stream,
/// and at most ``limit`` bytes else.
///
/// Two ways of counting: a connection's sound from its first byte on, and the station's stream over all connections.
/// ``shift`` leads from the first to the second.
struct StreamFeed: ~Copyable {
    /// What its bytes are taken for.
    enum Phase {
        /// Sound, or something before it.
        case parsing
        /// A playlist of this kind, of which all is wanted.
        case collecting(Playlist.Kind?)
        /// Nothing more is wanted.
        case over
    }

    /// What a parser found, counted in the connection.
    private enum Finding {
        case sign(StreamSign)
        case packet(StreamPacket)
    }

    /// How many bytes are looked at for another format, while no packet comes, first and then each time.
    static let firstProbe = 4 << 10
    /// As many as the format can be told from behind 16 KiB of garbage.
    static let lastProbe = 33 << 10
    /// How many bytes are passed over when they are no format.
    static let stride = 16 << 10
    /// How many titles wait for their sound.
    static let titleLimit = 64
    /// No packet is believed to last longer.
    static let longestPacket: Int64 = 60

    let hint: AudioTypeHint
    let display: String
    /// How many bytes in a row may be no sound.
    let limit: Int

    var phase = Phase.parsing
    var titles: ICYDemultiplexer?
    var parser: AudioStreamParser
    /// Where the parser began.
    var parserStart: Int64 = 0
    var held = StreamBuffer()
    /// Whether the parser has given a packet.
    var isProven = false
    /// Up to where the present batch is sound.
    var provenEnd: Int64 = 0
    /// What was found and is not written yet, in order.
    private var findings: [Finding] = []
    /// Where the pages lie, if it is Ogg.
    var pages = OggPageMap()
    /// Titles whose sound has not been written yet.
    var waitingTitles: [ICYMetadata] = []
    /// From where on the next look for another format is.
    var probeStart: Int64 = 0
    var probeCount = StreamFeed.firstProbe
    var isFinished = false

    var sampleRate = 0
    var section = 0
    /// The station's time of the next packet.
    private(set) var time: Duration
    /// The offset in the station's stream of what is written next.
    private(set) var position: Int64
    /// What is added to a connection's offset to have the stream's.
    private var shift: Int64 = 0
    /// Up to where bytes were written, counted in the connection.
    private var written: Int64 = 0
    private var outcome = FeedOutcome()

    /// A feed at the start of a connection's body.
    ///
    /// - Parameters:
    ///   - info: what the answer's head said.
    ///   - charset: how titles are coded that are not UTF-8.
    ///   - time: the station's time of the first sound to come.
    ///   - position: where in the station's stream its first byte will lie.
    ///   - limit: how many bytes in a row may be no sound.
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
        self.position = position
        self.titles = info.headers.metadataInterval.flatMap {
            ICYDemultiplexer(interval: $0, charset: charset)
        }
        self.parser = AudioStreamParser(hint: self.hint, limits: Self.limits)
    }

    /// What a station's parser keeps at most.
    static let limits = AudioStreamLimits(packet: 1 << 20, tag: 1 << 20, index: 1 << 20)

    /// The next bytes of the body.
    ///
    /// - Parameter bytes: as they came, titles in them.
    /// - Returns: what becomes of them.
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
                    "\(self.display) sends bytes that are no sound Weir knows; it is asked again."
                )
            )
        }
    }

    private mutating func keep(_ metadata: ICYMetadata) {
        if self.waitingTitles.count == Self.titleLimit { self.waitingTitles.removeFirst() }
        self.waitingTitles.append(metadata)
    }

    /// Nothing more is wanted.
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

    // MARK: What comes out

    /// A stream begins.
    ///
    /// - Parameters:
    ///   - container: what it is.
    ///   - start: its first byte, counted in the connection.
    mutating func begin(_ container: AudioContainer, at start: Int64) {
        self.isProven = true
        self.held.drop(before: start)
        self.written = self.held.start
        self.shift = self.position - self.written
        self.provenEnd = self.written
        self.outcome.steps.append(.stretch(container))
    }

    /// A header begins, and all before it is written.
    mutating func link(_ container: AudioContainer, head: ByteMemory, at start: Int64) {
        self.write(to: start)
        self.outcome.steps.append(.link(container, head: head, headOffset: self.position))
    }

    /// A packet was found.
    ///
    /// - Parameters:
    ///   - packet: the parser's.
    ///   - parts: where its bytes lie in the connection.
    ///   - isThere: whether they do; a reader of packets does not get one that is not.
    mutating func count(_ packet: AudioPacket, parts: [Range<Int64>], isThere: Bool) {
        let duration = self.duration(of: packet)
        if isThere {
            let place = RingPacket(
                packet,
                at: parts[0],
                time: self.time,
                sampleRate: self.sampleRate
            )
            let placed = PlacedPacket(packet: place, parts: Array(parts.dropFirst()))
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

    /// Something was found between packets; of troubles in a row the first is told.
    mutating func note(_ sign: StreamSign) {
        if case .trouble = sign, case .sign(.trouble)? = self.findings.last { return }
        self.findings.append(.sign(sign))
    }

    /// Writes what is proven.
    mutating func flush() {
        guard self.isProven else { return }
        // Without a title between them the bytes of all packets are written at once.
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
            // Of several for the same byte, or for bytes that were left out, the last counts.
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
        self.position += Int64(bytes.count)
        self.outcome.steps.append(.bytes(bytes))
    }
}

/// What a feed made of the bytes it was given.
struct FeedOutcome: Sendable {
    /// How a connection's bytes turned out not to be sound.
    enum Verdict: Hashable, Sendable {
        /// They are a playlist with these entries.
        case playlist([String])
        /// They are nothing that can be played.
        case failure(StationFailure)
    }

    /// What is to be kept, in order.
    var steps: [FeedStep] = []
    /// How much sound that is.
    var sound: Duration = .zero
    /// Why no more bytes are wanted; `nil`: they are.
    var verdict: Verdict?
}

/// What becomes of a connection's bytes, in the order of the sound; offsets are those of the station's stream.
enum FeedStep: Sendable {
    /// Bytes that follow are the beginning of a stream of this kind.
    case stretch(AudioContainer)
    /// A stream with a header begins where the next bytes lie.
    case link(AudioContainer, head: ByteMemory, headOffset: Int64)
    /// Bytes that are sound, as far as a parser can tell.
    case bytes(ByteMemory)
    /// What is said of the bytes that follow.
    case title(ICYMetadata)
    /// What a parser found before the next packet.
    case sign(StreamSign)
    /// A packet of the bytes before.
    case packet(StreamPacket)
}
