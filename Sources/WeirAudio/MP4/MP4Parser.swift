// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses ISO base media: MP4, M4A, 3GP, QuickTime, whole or in fragments (ISO 14496-12).
///
///     whole        ftyp  moov ( index )  mdat ( audio, maybe video )
///     index last   ftyp  mdat  moov             → wanted(after mdat), then wanted(first sample)
///     fragments    ftyp  moov ( no samples )  [ sidx ]  moof mdat  moof mdat …  [ mfra ]
///
/// The parser plays the first enabled audio track with a supported codec; if no such track is
/// enabled, the first track with a supported codec. It returns the packets in decoding order,
/// whatever their order in the file is. The parser skips the bytes between them without keeping
/// them. If the bytes of a packet are before the window, or far ahead of it, the parser asks the
/// reader to jump to them. If a reader joins in the middle, the parser first asks it to jump to the
/// index.
///
/// The parser keeps the tables of the track as stored, the boxes of one fragment, and the places of
/// some fragments. While the index arrives, the parser keeps the whole index, at most
/// ``AudioStreamLimits/index`` bytes.
struct MP4Parser: FormatParser {
    /// The position of the walk over boxes.
    enum Walk: Hashable {
        /// A box starts at the offset.
        case box(Int64)
        /// A fragment starts at the offset or after it.
        ///
        /// The parser reports the bytes before the fragment only if they are garbage.
        case scan(from: Int64, isGarbage: Bool)
        /// There are no more boxes.
        case over
    }

    /// Where the decoded duration of a packet comes from.
    enum DecodedDuration: Hashable {
        /// The tables.
        case asStored
        /// The codec; all packets have the same duration.
        case fixed(Int64)
        /// The first bytes of the packet.
        case opus
    }

    /// An offset to which the parser asked the reader to jump, and how many bytes the window had
    /// then.
    private typealias Request = (offset: Int64, count: Int)

    /// From this distance on, the parser asks the reader to jump instead of skipping bytes.
    static let longGap: Int64 = 16 << 20

    let limits: AudioStreamLimits
    let length: Int64?

    /// The position of the walk over boxes.
    var walk = Walk.box(0)
    /// The index; `nil` until the parser has read it.
    var movie: MP4Movie?
    /// The time lines of the edit list's parts; not empty once ``movie`` is set.
    var parts: [MP4TimeLine] = []
    /// The index of the current part.
    var part = 0
    /// The sample description of the format, from 0.
    var description = 0
    /// The time lines and the format for each sample description.
    var described: [Int: (parts: [MP4TimeLine], format: AudioFormat)] = [:]
    /// The sample description whose skipped samples were reported last.
    var refused: Int?
    /// The last reported format.
    var format: AudioFormat?
    /// Whether fragments may follow: the index says so, or has no samples.
    var isFragmented = false
    /// How to find out how many samples a packet decodes to.
    var decodedDuration = DecodedDuration.asStored
    /// Walks over the samples of the index.
    var samples: MP4SampleCursor?
    /// Walks over the samples of the current fragment.
    var fragment: MP4FragmentCursor?
    /// The known fragments.
    var fragments = MP4FragmentMap()
    /// When the next fragment without a time starts, in units of the track.
    var fragmentTime: Int64 = 0
    /// The start of the next packet as the reader stated it, until the stream shows the start.
    var declaredStart: SampleCount?
    /// The next packet, which has not arrived yet.
    var pending: MP4Sample?
    /// A packet that decodes to more than its duration, and the time line of its part.
    ///
    /// The parser holds the packet until it is known whether another packet follows.
    var held: (sample: MP4Sample, payload: ByteMemory, timeLine: MP4TimeLine)?
    /// Whether the walk over boxes waits until the samples of a fragment are taken.
    var isWalkHeld = false
    /// The counts since the front of the stream; `nil` once packets may be missing.
    var tally: MP4Tally? = MP4Tally()
    /// Events to return before the parser goes on.
    var events: [AudioStreamEvent] = []
    /// The offset at which a reader joined, if the parser needs the index first.
    var joined: Int64?
    /// Whether the stream is over.
    var isOver = false
    /// Whether the stream ends before the last sample does.
    var isCutShort = false
    private var request: Request?
    /// The last offset to which the parser asked the reader to jump, until the next packet is
    /// returned.
    var lastRequest: Int64?
    private var isRepositioned = true

    /// A parser of a stream, from any byte on.
    ///
    /// - Parameters:
    ///   - limits: how large the index, tags and packets may be.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
    }

    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        while true {
            if !self.events.isEmpty { return self.events.removeFirst() }
            if self.isRepositioned { try self.reposition(window) }
            if let request = self.request {
                guard try self.arrive(request, &window) else { return nil }
            }
            switch try self.step(&window) {
            case .again: continue
            case .needsMore: return nil
            case .event(let event):
                if case .packet = event { self.lastRequest = nil }
                return event
            }
        }
    }

    mutating func discontinued(start: SampleCount?) {
        self.isRepositioned = true
        self.declaredStart = start
    }

    func seekMap(length: Int64?) -> SeekMap? {
        guard let movie = self.movie, !self.parts.isEmpty else { return nil }
        return SeekMap(
            MP4SeekMethod(
                table: movie.track.table,
                fragments: self.isFragmented ? self.fragments : nil,
                parts: self.parts,
                track: movie.track.number,
                length: length ?? self.length
            )
        )
    }

    private mutating func step(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        if self.isOver {
            if let packet = self.releaseHeld() { return .event(packet) }
            window.drop(window.count)
            return .needsMore
        }
        if self.pending == nil {
            do throws(AudioStreamError) {
                self.pending = try self.nextSample()
            } catch {
                return try self.passFragment(error)
            }
        }
        if let sample = self.pending {
            if let packet = self.releaseHeld() { return .event(packet) }
            self.describe(sample)
            if !self.events.isEmpty { return .again }
            return try self.deliver(sample, &window)
        }
        self.isWalkHeld = false
        switch self.walk {
        case .box(let offset): return try self.readBox(at: offset, &window)
        case .scan(let start, let isGarbage):
            if window.offset < start, let wanted = self.go(to: start, &window) {
                return .event(wanted)
            }
            return self.scan(&window, from: start, isGarbage: isGarbage)
        case .over:
            if let packet = self.releaseHeld() { return .event(packet) }
            return self.finish()
        }
    }

    // MARK: Places

    /// Goes to an offset: skips bytes, or asks the reader to jump.
    ///
    /// - Parameters:
    ///   - offset: the wanted offset.
    ///   - window: the stream.
    /// - Returns: the request for the reader; `nil` if the window is at the offset, perhaps without
    ///   bytes.
    mutating func go(to offset: Int64, _ window: inout ByteWindow) -> AudioStreamEvent? {
        if window.offset == offset { return nil }
        if window.offset < offset, offset - window.offset < Self.longGap {
            window.skip(offset - window.offset)
            return nil
        }
        return self.ask(for: offset, window)
    }

    /// Asks the reader to jump to an offset.
    mutating func ask(for offset: Int64, _ window: borrowing ByteWindow) -> AudioStreamEvent {
        self.request = (offset, window.count)
        self.lastRequest = offset
        return .wanted(offset)
    }

    /// Checks whether the reader has followed a request.
    private mutating func arrive(
        _ request: Request,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> Bool {
        if window.offset != request.offset {
            // No bytes have arrived since the request.
            if window.count == request.count, !window.isAtEnd { return false }
            guard window.offset < request.offset else {
                throw AudioStreamError(
                    .unreachable,
                    at: window.offset,
                    self.movie == nil
                        ? "The index lies before the place where reading started, at byte \(request.offset)"
                        : "The audio lies earlier, at byte \(request.offset), and the stream can only be read"
                            + " forwards"
                )
            }
            window.skip(request.offset - window.offset)
        }
        self.request = nil
        return true
    }

    /// Checks where the stream continues after a jump.
    private mutating func reposition(_ window: borrowing ByteWindow) throws(AudioStreamError) {
        self.isRepositioned = false
        if let request = self.request ?? self.lastRequest.map({ (offset: $0, count: 0) }),
            request.offset == window.offset
        {
            return
        }
        self.request = nil
        self.lastRequest = nil
        guard self.movie != nil else {
            if case .box(let offset) = self.walk, offset != window.offset {
                self.joined = window.offset
            }
            return
        }
        if let pending = self.pending, pending.offset == window.offset { return }
        try self.join(at: window.offset)
    }

    /// The time line of the current part; not `nil` once ``movie`` is set.
    var timeLine: MP4TimeLine? {
        self.parts.indices.contains(self.part) ? self.parts[self.part] : nil
    }

    /// The part in which a reader joins at a sample.
    ///
    /// - Parameter time: the time of the sample, in units of the track.
    /// - Returns: the part that plays the sample at the time that the reader stated; otherwise the
    ///   first part that plays the sample.
    private func part(of time: Int64) -> Int {
        guard self.parts.count > 1 else { return 0 }
        let start = self.declaredStart?.rawValue
        return self.parts.firstIndex { start == $0.start(time) }
            ?? self.parts.firstIndex { time >= $0.usedStart && time < $0.usedEnd ?? .max } ?? 0
    }

    /// Continues with the first packet at or after an offset.
    mutating func join(at offset: Int64) throws(AudioStreamError) {
        guard let movie = self.movie else { return }
        self.isOver = false
        self.isWalkHeld = false
        self.pending = nil
        self.held = nil
        self.fragment = nil
        self.samples = nil
        self.tally = nil
        if self.isFragmented { self.walk = .scan(from: offset, isGarbage: false) }
        if let sample = try movie.track.table.sample(startingFrom: offset) {
            self.part = self.part(of: movie.track.table.time(of: sample))
            let first = movie.track.table.sample(at: self.timeLine?.usedStart ?? 0)
            self.samples = try MP4SampleCursor(movie.track.table, at: max(sample, first))
            // The tables state the time.
            self.declaredStart = nil
        }
    }
}

/// The counts of a stream of fragments since its front.
struct MP4Tally: Hashable, Sendable {
    /// Samples that are heard.
    var heard: Int64 = 0
    /// All samples.
    var decoded: Int64 = 0
    /// Bytes of packets.
    var bytes: Int64 = 0

    /// Counts a packet; sums are limited to the range of 64 bits.
    mutating func add(_ packet: AudioPacket) {
        let heard = packet.duration - packet.trimStart - packet.trimEnd
        self.heard = (SampleCount(self.heard) + heard).rawValue
        self.decoded = (SampleCount(self.decoded) + packet.duration).rawValue
        self.bytes = (SampleCount(self.bytes) + SampleCount(Int64(packet.payload.count))).rawValue
    }
}
