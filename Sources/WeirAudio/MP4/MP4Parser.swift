// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses ISO base media: MP4, M4A, 3GP, QuickTime, whole or in fragments (ISO 14496-12).
///
///     whole        ftyp  moov ( index )  mdat ( audio, maybe video )
///     index last   ftyp  mdat  moov             → wanted(behind mdat), then wanted(first sample)
///     fragments    ftyp  moov ( no samples )  [ sidx ]  moof mdat  moof mdat …  [ mfra ]
///
/// The first enabled audio track that is known here is taken. Its packets come in the order of decoding, wherever they
/// lie: what is between them is skipped without being kept, and for what lies behind, or far ahead, the reader is
/// asked to go there. A reader that joins in the middle is asked for the index first.
///
/// It keeps the tables of the track as they are stored, one fragment's boxes, and where some fragments are. While the
/// index arrives, all of it, at most ``AudioStreamLimits/index`` bytes.
struct MP4Parser: FormatParser {
    /// Where boxes of the file are read next.
    enum Walk: Hashable {
        /// A box starts there.
        case box(Int64)
        /// Somewhere from there on a fragment starts; bytes on the way are garbage, or those of a join.
        case scan(from: Int64, isGarbage: Bool)
        /// There are no more.
        case over
    }

    /// What tells how many samples a packet decodes to.
    enum DecodedDuration: Hashable {
        /// The tables.
        case asStored
        /// The codec, which has the same for all.
        case fixed(Int64)
        /// The first bytes of the packet.
        case opus
    }

    /// An offset that the reader was asked to go to, and how many bytes were here when it was.
    private typealias Request = (offset: Int64, count: Int)

    /// From how many bytes ahead on the reader is asked to go there instead of passing over them.
    static let longGap: Int64 = 16 << 20

    let limits: AudioStreamLimits
    let length: Int64?

    /// Where boxes are read next.
    var walk = Walk.box(0)
    /// What the index says; `nil` before it was read.
    var movie: MP4Movie?
    /// When the samples of each part are played that the edit list names; some once ``movie`` is there.
    var parts: [MP4TimeLine] = []
    /// Which part is being played.
    var part = 0
    /// Which sample description the format is of, from 0.
    var description = 0
    /// What was worked out for each description.
    var described: [Int: (parts: [MP4TimeLine], format: AudioFormat)] = [:]
    /// A sample description whose samples were told to be passed over last.
    var refused: Int?
    /// What was reported of the format last.
    var format: AudioFormat?
    /// Whether fragments may follow: where the index says so, and where it has no samples.
    var isFragmented = false
    /// How many samples packets decode to, whatever the tables say.
    var decodedDuration = DecodedDuration.asStored
    /// Walks over the samples that the index knows of.
    var samples: MP4SampleCursor?
    /// Walks over the samples of the current fragment.
    var fragment: MP4FragmentCursor?
    /// Where the fragments are that are known.
    var fragments = MP4FragmentMap()
    /// When the next fragment starts that does not say so, in units of the track.
    var fragmentTime: Int64 = 0
    /// When the next packet starts as the reader says, until it is known from the stream.
    var declaredStart: SampleCount?
    /// The next packet, which has not come yet.
    var pending: MP4Sample?
    /// A packet that decodes to more than the time it is given, until it is known whether another one follows, and the
    /// time line of its part.
    var held: (sample: MP4Sample, payload: ByteMemory, timeLine: MP4TimeLine)?
    /// Whether the walk over boxes waits until the samples of a fragment are taken.
    var isWalkHeld = false
    /// What has been heard since the front; `nil` once something may be missing.
    var tally: MP4Tally? = MP4Tally()
    /// Events that wait to be taken.
    var events: [AudioStreamEvent] = []
    /// Where a reader came in that has to fetch the index first.
    var joined: Int64?
    /// Whether there is nothing more.
    var isOver = false
    /// Whether the stream ends before the last sample does.
    var isCutShort = false
    private var request: Request?
    /// Where the reader was last asked to go, until a packet came from there.
    var lastRequest: Int64?
    private var isRepositioned = true

    /// A parser of a stream's bytes from any of them on.
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

    /// Goes to a place: over bytes that are passed over, or by asking the reader.
    ///
    /// - Parameters:
    ///   - offset: where to.
    ///   - window: the stream.
    /// - Returns: the request for the reader; `nil` if the window is there, if maybe without bytes.
    mutating func go(to offset: Int64, _ window: inout ByteWindow) -> AudioStreamEvent? {
        if window.offset == offset { return nil }
        if window.offset < offset, offset - window.offset < Self.longGap {
            window.skip(offset - window.offset)
            return nil
        }
        return self.ask(for: offset, window)
    }

    /// Asks the reader to go to a place.
    mutating func ask(for offset: Int64, _ window: borrowing ByteWindow) -> AudioStreamEvent {
        self.request = (offset, window.count)
        self.lastRequest = offset
        return .wanted(offset)
    }

    /// Sees where a reader is that was asked to go somewhere.
    private mutating func arrive(
        _ request: Request,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> Bool {
        if window.offset != request.offset {
            // Nothing has come since it was asked.
            if window.count == request.count, !window.isAtEnd { return false }
            guard window.offset < request.offset else {
                throw AudioStreamError(
                    .unreachable,
                    at: window.offset,
                    self.movie == nil
                        ? "The index lies before the place where reading started, at byte \(request.offset)"
                        : "The audio lies behind, at byte \(request.offset), and the stream is read only forwards"
                )
            }
            window.skip(request.offset - window.offset)
        }
        self.request = nil
        return true
    }

    /// Sees where the stream goes on after a break.
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

    /// When the samples of the current part are played; there once ``movie`` is.
    var timeLine: MP4TimeLine? {
        self.parts.indices.contains(self.part) ? self.parts[self.part] : nil
    }

    /// The part in which a reader joins that comes to a sample.
    ///
    /// - Parameter time: of the sample, in units of the track.
    /// - Returns: the part in which it is played when the reader says; else the first in which it is played.
    private func part(of time: Int64) -> Int {
        guard self.parts.count > 1 else { return 0 }
        let start = self.declaredStart?.rawValue
        return self.parts.firstIndex { start == $0.start(time) }
            ?? self.parts.firstIndex { time >= $0.usedStart && time < $0.usedEnd ?? .max } ?? 0
    }

    /// Goes on with the first packet from a place on.
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
            // Tables tell the time by themselves.
            self.declaredStart = nil
        }
    }
}

/// What has come of a stream of fragments since its front.
struct MP4Tally: Hashable, Sendable {
    /// Samples that are heard.
    var heard: Int64 = 0
    /// All samples.
    var decoded: Int64 = 0
    /// Bytes of packets.
    var bytes: Int64 = 0

    /// Counts a packet; sums stay at the end of what 64 bits hold.
    mutating func add(_ packet: AudioPacket) {
        let heard = packet.duration - packet.trimStart - packet.trimEnd
        self.heard = (SampleCount(self.heard) + heard).rawValue
        self.decoded = (SampleCount(self.decoded) + packet.duration).rawValue
        self.bytes = (SampleCount(self.bytes) + SampleCount(Int64(packet.payload.count))).rawValue
    }
}
