// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses MPEG audio: MPEG-1, 2 and 2.5, layers I to III (ISO 11172-3, 13818-3).
///
/// The first packet starts at 0, or at the time given with a discontinuity. The frame that holds an
/// encoder's tag is not a packet. A layer III packet is independent if it takes nothing from the
/// bit reservoir (`main_data_begin` is 0). Any other packet needs frames before it: up to nine in
/// MPEG-1, since its main data may begin up to 511 bytes earlier. In MPEG-2 it may need more, see
/// ``AudioFormat/reservoirPreroll``. A frame that the end of the stream cuts is not a packet
/// either: ffprobe lists such a frame, but no decoder plays it.
///
/// A new section begins where sample rate, number of channels, version or layer change, and where a
/// tag in mid-stream shows that files were joined.
struct MPEGAudioParser: FrameParser {
    static let noFrame = "The stream has no frame of MPEG audio"

    let limits: AudioStreamLimits
    /// How many bytes the stream has, if known.
    let length: Int64?
    var sync: FrameSync<MPEGFrameHeader>
    var tally = FrameTally()
    /// The part of the stream that the next frame belongs to; `nil` before the first frame.
    var piece: MPEGPiece? {
        didSet { self.bounds = self.piece?.bounds ?? (0, .max, .max) }
    }
    /// The bounds of the piece.
    private var bounds: MPEGPiece.Bounds = (0, .max, .max)
    /// When the next frame starts.
    var time: Int64 = 0
    /// The last reported format.
    var reported: AudioFormat?
    /// The first audio frame of the section, and when it starts.
    var first: Bisection.Mark?
    /// The first audio frame of the stream.
    private(set) var opening: Bisection.Mark?
    /// The parts of the stream, from its first on, as far as a search has found them.
    var outline: MPEGOutline?
    /// Whether the stream ends before the end that its tag states.
    private(set) var isCutShort = false
    /// The place and the part where the last search has ended, until the parser jumps.
    private var landing: (place: MPEGOutline.Landing, part: MPEGPart)?
    /// The same after the jump, until the first frame arrives.
    private var joining: (place: MPEGOutline.Landing, part: MPEGPart)?
    /// Whether the times after the last jump are certain.
    private var isJumpExact = false
    /// The bit rate of all frames so far, in kbit/s; `nil` if they differ.
    var constantRate: Int?
    var section = 0
    var isAtEnd = false

    /// Events that have not been returned yet.
    var queue: [AudioStreamEvent] = []
    private var generation = 0
    private var expectsTag = true
    /// Whether the last check found no event that must precede a packet.
    private var isSettled = false
    /// The number of frames at which the parser checks the format again.
    var nextReport: Int64 = 16
    private var gap: EncoderGap?
    /// The range of the last tag that was reported to contradict the stream.
    private var contradicted: Range<Int64>?
    private(set) var wasDiscontinued = false

    /// A parser at the start of a stream, or anywhere in it.
    ///
    /// - Parameters:
    ///   - limits: how much memory the parser may use.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
        self.sync = FrameSync(limits: limits, length: length)
    }

    @inline(__always)
    mutating func take(
        _ header: MPEGFrameHeader,
        _ size: Int,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> AudioPacket? {
        let frame = window.peek(upTo: size)
        let samples = header.sampleCount
        let isSteady =
            self.isSettled && size <= self.limits.packet
            && self.generation == self.sync.generation
            && self.tally.frames < self.nextReport
            && !(header.layer == 3 && MPEGInfoTag.isPossible(in: frame, header))
        if !isSteady, try !self.isReady(header, frame, &window) { return nil }
        if self.time >= self.bounds.end {
            self.passEnd(header, at: window.offset)
            return nil
        }
        return self.packet(header, frame, samples, &window)
    }

    mutating func discontinued(start: SampleCount?) {
        self.sync.discontinued()
        self.tally.discontinued()
        self.expectsTag = false
        self.isAtEnd = false
        self.isSettled = false
        self.wasDiscontinued = true
        self.isJumpExact = false
        if let start { self.time = start.rawValue }
        self.joining = self.landing
        self.landing = nil
        if self.joining == nil, self.section > 0 { self.forgetPiece() }
    }

    /// Records that the last jump was to a place whose time is certain.
    mutating func resumed() {
        self.tally.resumed()
        self.isJumpExact = true
    }

    /// Takes the result of a search.
    mutating func learn(_ outline: MPEGOutline) {
        guard let part = outline.parts.first, part.tagRange == self.piece?.tagRange else { return }
        if let place = outline.landing { self.landing = (place, outline.parts[place.index]) }
        guard part.extent != nil else {
            // The frames continue after the end that the tag states.
            if self.piece?.tag?.isFrameCountBelieved == true { self.contradict() }
            return
        }
        if self.section == 0 { self.outline = outline }
        if let header = self.sync.header { self.report(header) }
    }

    /// Starts a piece without trimming, because it is unknown which of several pieces comes next.
    private mutating func forgetPiece() {
        guard let frame = self.piece?.frame else { return }
        self.piece = MPEGPiece(base: self.time, frame: Int(frame))
    }

    /// Continues in the part in which a search has ended, at the first frame after the jump.
    private mutating func rejoin(at offset: Int64) {
        guard let (place, part) = self.joining else { return }
        self.joining = nil
        guard self.isJumpExact else {
            if place.index > 0 || self.section > 0 { self.forgetPiece() }
            return
        }
        guard place.offset == offset else {
            // The jump did not go to the place that the search found.
            if self.section > 0 { self.forgetPiece() }
            return
        }
        guard place.index > 0 else { return }
        let piece = MPEGPiece(part, base: self.time &- place.start)
        self.piece = piece
        self.first = Bisection.Mark(offset: part.first, start: SampleCount(piece.base))
    }

    @inline(__always)
    private mutating func packet(
        _ header: MPEGFrameHeader,
        _ frame: ByteView,
        _ samples: Int,
        _ window: inout ByteWindow
    ) -> AudioPacket {
        let isIndependent = header.layer != 3 || header.mainDataBegin(frame) == 0
        let kilobits = header.kilobitsPerSecond
        if self.constantRate != kilobits {
            self.constantRate = self.tally.frames == 0 ? kilobits : nil
        }
        let start = self.time
        let end = start &+ Int64(samples)
        self.time = end
        let offset = window.offset
        self.tally.count(
            offset: offset,
            size: frame.count,
            start: SampleCount(start),
            duration: samples
        )
        var packet = AudioPacket(
            payload: window.take(frame.count),
            offset: offset,
            start: SampleCount(start),
            duration: SampleCount(Int64(samples))
        )
        packet.isIndependent = isIndependent
        packet.section = self.section
        if start < self.bounds.headEnd || end > self.bounds.tailStart {
            self.trim(&packet, start..<end)
        }
        return packet
    }

    /// Marks the samples at either end of a piece that are not heard.
    @inline(never)
    private mutating func trim(_ packet: inout AudioPacket, _ time: Range<Int64>) {
        if time.upperBound > self.bounds.tailStart,
            self.piece?.isAtEnd(
                offset: packet.offset,
                size: packet.payload.count,
                start: time.lowerBound
            ) == false
        {
            self.contradict()
        }
        let samples = time.upperBound - time.lowerBound
        let head = min(max(self.bounds.headEnd &- time.lowerBound, 0), samples)
        let tail = min(max(time.upperBound &- self.bounds.tailStart, 0), samples - head)
        packet.trimStart = SampleCount(head)
        packet.trimEnd = SampleCount(tail)
        self.tally.trim(head + tail)
    }

    /// Queues the events that must precede a frame, and takes a frame that holds a tag.
    ///
    /// - Returns: whether the frame may become a packet now; if not, it was a tag, or events come
    ///   first.
    private mutating func isReady(
        _ header: MPEGFrameHeader,
        _ frame: ByteView,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> Bool {
        guard frame.count <= self.limits.packet else { throw .longFrame(at: window.offset) }
        if self.generation != self.sync.generation { self.begin(header) }
        self.rejoin(at: window.offset)
        if self.takeTag(header, frame, &window) { return false }
        self.expectsTag = false
        if self.reported == nil || self.reported?.section != self.section {
            if let gap = self.gap { self.piece?.learn(gap) }
            self.gap = nil
            if self.first == nil {
                let length = self.length
                self.piece?.begins(with: header, length: length)
                self.first = Bisection.Mark(offset: window.offset, start: SampleCount(self.time))
                self.constantRate = header.kilobitsPerSecond
                if self.section == 0 { self.opening = self.first }
            }
            self.report(header)
        } else if self.tally.frames >= self.nextReport {
            self.nextReport &*= 4
            self.report(header)
        }
        self.isSettled = self.queue.isEmpty
        return self.isSettled
    }

    /// Begins a run of frames that does not agree with the run before.
    private mutating func begin(_ header: MPEGFrameHeader) {
        self.generation = self.sync.generation
        if let reported = self.reported {
            self.section += 1
            if reported.sampleRate != header.sampleRate {
                let (old, new) = (reported.sampleRate, header.sampleRate)
                self.time = self.time.scaled(by: Int64(new), over: Int64(old)) ?? self.time
                self.tally.rescale(from: old, to: new)
            }
            self.first = nil
        }
        self.expectsTag = !self.wasDiscontinued
        self.piece = MPEGPiece(base: self.time, frame: header.sampleCount)
    }

    /// Takes a frame that holds a tag.
    ///
    /// - Returns: whether the frame holds a tag.
    private mutating func takeTag(
        _ header: MPEGFrameHeader,
        _ frame: ByteView,
        _ window: inout ByteWindow
    ) -> Bool {
        guard var tag = MPEGInfoTag(frame, header, isCertain: self.expectsTag) else { return false }
        let range = window.offset..<window.offset + Int64(frame.count)
        if tag.isChecksumWrong {
            self.queue.append(.trouble(AudioStreamFailure(.badChecksum, range)))
        }
        if tag.doubt(header, available: self.length.map { $0 - range.lowerBound }) {
            self.reportContradiction(range)
        }
        window.drop(frame.count)
        self.expectsTag = false
        self.isSettled = false
        guard self.piece?.tagRange != range else {
            // The tag was passed before: the stream was read again from the start.
            self.queue = []
            return true
        }
        if self.reported != nil, self.tally.frames > 0 {
            // Another file was joined on: its decoder starts again.
            self.checkCount()
            self.section += 1
            self.first = nil
        }
        var piece = MPEGPiece(base: self.time, frame: header.sampleCount)
        piece.learn(tag, in: range)
        self.piece = piece
        return true
    }

    /// Keeps the trimming that a tag states for the ends.
    mutating func noticed(_ tags: AudioTags) {
        for field in tags.fields where field.name.contains("iTunSMPB") {
            if let gap = field.values.lazy.compactMap({ EncoderGap($0) }).first { self.gap = gap }
        }
    }

    /// Handles a frame after all the frames that the tag counts.
    private mutating func passEnd(_ header: MPEGFrameHeader, at offset: Int64) {
        guard self.isPart(before: offset) else {
            self.contradict()
            return
        }
        self.section += 1
        self.first = nil
        self.isSettled = false
        self.piece = MPEGPiece(base: self.time, frame: header.sampleCount)
    }

    /// Whether the tag's part ends where its last frame ends, so that another part follows.
    private func isPart(before offset: Int64) -> Bool {
        guard let tag = self.piece?.tag, tag.isFrameCountBelieved else { return false }
        // Without a length, the parser could not detect joined files earlier.
        guard let length = self.length else {
            return self.piece?.bytesEnd.map { offset >= $0 } == true
        }
        guard let end = self.piece?.bytesEnd else {
            // The tag counts frames only; if only a few more follow, the count is more likely
            // wrong.
            return self.tally.isComplete
                && length - offset > Int64(MPEGFrameHeader.largestFreeFrame)
        }
        return tag.hasAppendix && offset >= end
    }

    /// Handles more frames than the tag counts, or frames in other places.
    private mutating func contradict() {
        guard self.tally.isComplete || self.isJumpExact else {
            // The tag may be right: the time of the frames is uncertain.
            self.piece?.forgetEnd()
            return
        }
        guard let range = self.piece?.tagRange else {
            self.piece?.disbelieve()
            return
        }
        self.reportContradiction(range)
        self.piece?.disbelieve()
        if let header = self.sync.header { self.report(header) }
    }

    /// Reports that a tag contradicts the stream, once for each tag.
    private mutating func reportContradiction(_ range: Range<Int64>) {
        guard range != self.contradicted else { return }
        self.contradicted = range
        self.queue.append(.trouble(AudioStreamFailure(.contradiction, range)))
    }

    /// Compares the number of frames with the tag's count, at the end of a piece.
    private mutating func checkCount() {
        guard self.tally.isComplete, let piece = self.piece, piece.bounds.end != .max,
            piece.bounds.end != self.time
        else { return }
        if let range = piece.tagRange { self.reportContradiction(range) }
        self.piece?.disbelieve()
    }

    /// Handles the end of the stream, at an offset.
    mutating func finish(at end: Int64) {
        self.isCutShort = self.isMissing(from: end)
        self.checkCount()
        if let header = self.sync.header, self.reported != nil { self.report(header) }
    }

    /// Whether a tag describes bytes and frames after the end of the stream.
    private func isMissing(from end: Int64) -> Bool {
        let last = self.outline?.parts.last?.tag ?? self.piece?.tag
        if last?.isCutShort == true || self.piece?.tag?.isCutShort == true { return true }
        guard let piece = self.piece, let bytesEnd = piece.bytesEnd, end < bytesEnd else {
            return false
        }
        guard self.tally.isComplete || self.isJumpExact else {
            return bytesEnd - end > Int64(MPEGFrameHeader.largestFreeFrame)
        }
        return self.time < piece.bounds.end
    }
}
