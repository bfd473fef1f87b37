// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of a stream that consists of frames only, with tags and damage in between.
///
/// A run of frames counts when enough headers in a row agree, each where the header before it
/// predicts. ``FrameHeader/agreement`` gives the number: three in layers II and III and in ADTS.
/// Random bytes begin a false run if they match about 13 bits of the first header and 17 bits of
/// each further header; in ADTS, 14 and 24 bits. A megabyte of noise holds a false run of three
/// with a probability of 10⁻⁸. A smaller number would be too few for a station that plays for days.
/// A larger number would delay every join, and would lose every short run between two damaged
/// places.
///
/// A run that does not agree with the stream so far needs one frame more than
/// ``FrameHeader/agreement``; a run that agrees needs only two frames. If the first frame is not
/// plausible (``FrameHeader/isPlausible(_:after:)``), the run needs three more. A plausible second
/// frame then disproves the run: the first frame is noise that happens to lead to a frame. At the
/// end of the stream, and before a tag, fewer are enough: a short file plays.
///
/// Within a run, the parser accepts a frame if the next frame, a tag or the end of the stream
/// follows it directly. A frame without such a successor may be the last before foreign bytes. It
/// is accepted if it is plausible and no other run starts within it.
struct FrameSync<Header: FrameHeader>: Sendable {
    /// The content at the front of the window.
    enum Step {
        /// A whole frame of that many bytes, whose header is ``FrameSync/header``; the caller takes
        /// the frame.
        case frame(Int)
        /// An event about bytes that were taken.
        indirect case event(AudioStreamEvent)
        /// The parser needs more bytes to decide.
        case needsMore
        /// The stream is over.
        case ended
    }

    /// The header of the frame at the front; `nil` before the first.
    private(set) var header: Header?
    /// The header of the latest frame that the frame after it confirmed.
    private(set) var sound: Header?
    /// A header that all frames of the current run agree with.
    var pattern: Header?
    /// The length of a frame in free format without a padding slot.
    var freeSize = 0
    /// How many runs have begun that do not agree with the run before.
    var generation = 0
    /// Whether a frame is expected at the front.
    var isInSync = false
    /// Whether a tag that has not been checked yet may be at the front.
    var mayBeTag = true
    /// The offset of the last check for a tag, so that the same bytes are not checked twice.
    var askedAt: Int64?
    /// The offset at which the foreign bytes begin that were not reported yet.
    var garbageStart: Int64?
    /// Whether foreign bytes may precede the next frame, for example after a seek.
    var isJoining = false
    /// The end of the bytes that must arrive before another check can decide more.
    var awaited: Int64 = 0
    /// How far a header in free format has been followed, if more bytes are needed to go on.
    ///
    /// `offset` is the header's offset in the stream. `size` is the first size that has not been
    /// ruled out. The search for an ordinary frame goes on at `disproved`, counted from the header.
    /// It does not repeat earlier positions: otherwise a stream that arrives byte by byte would
    /// take thousands of passes.
    var freeScan: (offset: Int64, size: Int, disproved: Int)?
    /// How far an unconfirmed frame at the front was examined.
    private var judged: (offset: Int64, index: Int)?
    var tags: TagReader

    init(limits: AudioStreamLimits, length: Int64?) {
        self.tags = TagReader(limits: limits, length: length)
    }

    /// Prepares for bytes that do not follow the last ones; the facts about the frames stay.
    mutating func discontinued() {
        self.isInSync = false
        self.mayBeTag = true
        self.askedAt = nil
        self.garbageStart = nil
        self.isJoining = true
        self.awaited = 0
        self.freeScan = nil
        self.judged = nil
    }

    /// Remembers that an examination ended for lack of bytes.
    ///
    /// - Parameters:
    ///   - count: how many bytes the window must have.
    ///   - window: the stream.
    mutating func wait(for count: Int, _ window: borrowing ByteWindow) {
        self.awaited = window.offset &+ Int64(count)
    }

    /// The content at the front of the window; further calls return the same frame until the caller
    /// takes it.
    @inline(__always)
    mutating func step(_ window: inout ByteWindow) -> Step {
        if self.isInSync, let pattern = self.pattern, let view = window.peek(Header.byteCount),
            let header = Header(view, at: 0), header.agrees(with: pattern)
        {
            let size = header.frameSize(freeSize: self.freeSize)
            if let whole = window.peek(size &+ Header.byteCount),
                let next = Header(whole, at: size), next.agrees(with: pattern)
            {
                self.header = header
                self.sound = header
                return .frame(size)
            }
        }
        return self.carefulStep(&window)
    }

    @inline(never)
    private mutating func carefulStep(_ window: inout ByteWindow) -> Step {
        if window.offset &+ Int64(window.count) < self.awaited, !window.isAtEnd {
            return .needsMore
        }
        self.awaited = 0
        // Every iteration returns, drops bytes, leaves sync, or finds a run, whose first frame the
        // next iteration returns.
        while true {
            guard self.isInSync, let pattern = self.pattern else {
                if let step = self.search(&window) { return step }
                continue
            }
            guard let view = window.peek(Header.byteCount) else {
                guard window.isAtEnd else { return .needsMore }
                self.leaveSync()
                continue
            }
            guard let header = Header(view, at: 0), header.agrees(with: pattern) else {
                self.leaveSync()
                continue
            }
            let size = header.frameSize(freeSize: self.freeSize)
            self.header = header
            if let whole = window.peek(size + Header.byteCount) {
                if let next = Header(whole, at: size), next.agrees(with: pattern) {
                    return .frame(size)
                }
                if whole.mayBeTag(at: size) { return .frame(size) }
            } else {
                guard window.isAtEnd else { return .needsMore }
                if window.count == size { return .frame(size) }
            }
            if let step = self.judge(header, size: size, &window) { return step }
        }
    }

    private mutating func leaveSync() {
        self.isInSync = false
        self.mayBeTag = true
    }

    /// Decides about an unconfirmed frame.
    private mutating func judge(
        _ header: Header,
        size: Int,
        _ window: inout ByteWindow
    ) -> Step? {
        let here = min(size, window.count)
        let start = self.judged.map { $0.offset == window.offset ? $0.index : 1 } ?? 1
        switch self.firstSign(in: &window, from: start, tagsFrom: 1, to: here) {
        case .needsMore(let position):
            self.judged = (window.offset, position)
            return .needsMore
        case .tag(let position):
            self.leaveSync()
            return .event(self.trouble(.truncated, position, &window))
        case .run(let position, let header, let freeSize):
            self.began(header, freeSize: freeSize)
            return .event(self.trouble(.garbage, position, &window))
        case .none: break
        }
        if window.count < size {
            self.leaveSync()
            return .event(self.trouble(.truncated, window.count, &window))
        }
        if let frame = window.peek(size), header.isPlausible(frame, after: self.sound) {
            return .frame(size)
        }
        self.isInSync = false
        self.mayBeTag = false
        self.garbageStart = window.offset
        window.drop(1)
        return nil
    }

    private func trouble(
        _ kind: AudioStreamFailure.Kind,
        _ count: Int,
        _ window: inout ByteWindow
    ) -> AudioStreamEvent {
        let start = window.offset
        window.drop(count)
        return .trouble(AudioStreamFailure(kind, start..<window.offset))
    }

    /// Records that a run of frames begins.
    mutating func began(_ header: Header, freeSize: Int) {
        if let pattern = self.pattern, header.agrees(with: pattern), freeSize == self.freeSize {
            // The same stream goes on.
        } else {
            self.generation += 1
        }
        if let sound = self.sound, !sound.agrees(with: header) { self.sound = nil }
        self.pattern = header
        self.freeSize = freeSize
        self.isInSync = true
        self.tags.isAmidFrames = true
    }
}
