// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses MPEG audio: MPEG-1, 2 and 2.5, layers I to III (ISO 11172-3, 13818-3).
///
/// The first packet starts at 0, or at the time given with a discontinuity. The frame that holds an encoder's tag is
/// no packet. A layer III packet is independent if it takes nothing from the bit reservoir (`main_data_begin` is 0);
/// another one needs up to nine frames before it, since it may begin up to 511 bytes of main data earlier. A frame
/// that the stream ends within is no packet either: ffprobe shows it, and no decoder plays it.
///
/// A new section begins where sample rate, number of channels, version or layer change, and where a tag in mid-stream
/// shows that files were joined.
struct MPEGAudioParser: FrameParser {
    static let noFrame = "The stream has no frame of MPEG audio"

    let limits: AudioStreamLimits
    /// How many bytes the stream has, if known.
    let length: Int64?
    var sync: FrameSync<MPEGFrameHeader>
    var tally = FrameTally()
    /// The part of the stream that the next frame belongs to; `nil` before the first.
    var piece: MPEGPiece? {
        didSet { self.bounds = self.piece?.bounds ?? (0, .max, .max) }
    }
    /// Those of the piece.
    private var bounds: MPEGPiece.Bounds = (0, .max, .max)
    /// When the next frame starts.
    var time: Int64 = 0
    /// The format as it was reported last.
    var reported: AudioFormat?
    /// Where the first frame is that holds sound, and when it starts.
    var first: Bisection.Mark?
    /// The bit rate of all frames so far, in kbit/s; `nil` if they differ.
    var constantRate: Int?
    var section = 0
    var isAtEnd = false

    /// What has been found and not been reported.
    var queue: [AudioStreamEvent] = []
    private var generation = 0
    private var expectsTag = true
    /// Whether all is reported that comes before the next packet, as far as the last one showed.
    private var isSettled = false
    /// At how many frames the format is looked at again.
    var nextReport: Int64 = 16
    private var gap: EncoderGap?
    private(set) var wasDiscontinued = false

    /// A parser at the start of a stream, or anywhere in it.
    ///
    /// - Parameters:
    ///   - limits: what is kept at most.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
        self.sync = FrameSync(limits: limits)
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
            self.contradict()
            return nil
        }
        return self.packet(header, frame, samples, &window)
    }

    mutating func discontinued(start: SampleCount?) {
        self.sync.discontinued()
        self.tally.discontinued()
        self.expectsTag = false
        self.isAtEnd = false
        self.wasDiscontinued = true
        if let start { self.time = start.rawValue }
        // Which of several pieces comes next is not known: nothing is dropped of it.
        if self.section > 0, let frame = self.piece?.frame {
            self.piece = MPEGPiece(base: self.time, frame: Int(frame))
        }
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
            let head = min(max(self.bounds.headEnd &- start, 0), Int64(samples))
            let tail = min(max(end &- self.bounds.tailStart, 0), Int64(samples) - head)
            packet.trimStart = SampleCount(head)
            packet.trimEnd = SampleCount(tail)
            self.tally.trim(head + tail)
        }
        return packet
    }

    /// Sees to everything that a frame may need before it becomes a packet.
    ///
    /// - Returns: whether it may become one now; if not, it was taken, or there is something to tell first.
    private mutating func isReady(
        _ header: MPEGFrameHeader,
        _ frame: ByteView,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> Bool {
        guard frame.count <= self.limits.packet else { throw .longFrame(at: window.offset) }
        if self.generation != self.sync.generation { self.begin(header) }
        if self.takeTag(header, frame, &window) { return false }
        self.expectsTag = false
        if self.reported == nil || self.reported?.section != self.section {
            if let gap = self.gap { self.piece?.learn(gap) }
            self.gap = nil
            if self.first == nil {
                self.first = Bisection.Mark(offset: window.offset, start: SampleCount(self.time))
                self.constantRate = header.kilobitsPerSecond
            }
            self.report(header)
        } else if self.tally.frames >= self.nextReport {
            self.nextReport &*= 4
            self.report(header)
        }
        self.isSettled = self.queue.isEmpty
        return self.isSettled
    }

    /// A run of frames begins that does not agree with the one before.
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
    /// - Returns: whether it does.
    private mutating func takeTag(
        _ header: MPEGFrameHeader,
        _ frame: ByteView,
        _ window: inout ByteWindow
    ) -> Bool {
        guard var tag = MPEGInfoTag(frame, header, isCertain: self.expectsTag) else { return false }
        let range = window.offset..<window.offset + Int64(frame.count)
        if tag.isChecksumWrong {
            self.queue.append(.trouble(AudioStreamTrouble(.badChecksum, range)))
        }
        if tag.doubt(header, available: self.length.map { $0 - range.lowerBound }) {
            self.queue.append(.trouble(AudioStreamTrouble(.contradiction, range)))
        }
        window.drop(frame.count)
        self.expectsTag = false
        self.isSettled = false
        guard self.piece?.tagRange != range else {
            // It was passed before: the stream was read again from the start.
            self.queue = []
            return true
        }
        if self.reported != nil, self.tally.frames > 0 {
            // Another file was joined on: its decoder starts anew.
            self.checkCount()
            self.section += 1
            self.first = nil
        }
        var piece = MPEGPiece(base: self.time, frame: header.sampleCount)
        piece.learn(tag, in: range)
        self.piece = piece
        return true
    }

    /// Keeps what a tag says of the ends.
    mutating func noticed(_ tags: AudioTags) {
        for field in tags.fields where field.name.contains("iTunSMPB") {
            if let gap = field.values.lazy.compactMap({ EncoderGap($0) }).first { self.gap = gap }
        }
    }

    /// There are more frames than the tag says.
    private mutating func contradict() {
        guard let range = self.piece?.tagRange else {
            self.piece?.disbelieve()
            return
        }
        self.queue.append(.trouble(AudioStreamTrouble(.contradiction, range)))
        self.piece?.disbelieve()
        if let header = self.sync.header { self.report(header) }
    }

    /// Compares the number of frames with what the tag says, at the end of a piece.
    private mutating func checkCount() {
        guard self.tally.isComplete, let piece = self.piece, piece.bounds.end != .max,
            piece.bounds.end != self.time
        else { return }
        if let range = piece.tagRange {
            self.queue.append(.trouble(AudioStreamTrouble(.contradiction, range)))
        }
        self.piece?.disbelieve()
    }

    /// The stream is over.
    mutating func finish() {
        self.checkCount()
        if let header = self.sync.header, self.reported != nil { self.report(header) }
    }
}
