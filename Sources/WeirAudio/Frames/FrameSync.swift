// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of a stream that is nothing but frames, with tags and damage in between.
///
/// A run of frames is believed when so many headers in a row, each where the one before says the next is, agree as
/// ``FrameHeader/agreement`` says: three in layers II and III and in ADTS. One header has about 13 bits (in ADTS 14)
/// that random bytes have to meet by chance, each that agrees with it 17 more (24): a megabyte of noise holds a
/// false run of three with a probability of 10⁻⁸. Fewer would not do for a station that is listened to for days; more
/// would cost every join time, and every short run between two damaged places its frames. A run that is unlike the
/// stream so far needs one more; one that is like it needs two; one of which the first frame is not sound in itself
/// (``FrameHeader/isPlausible(_:after:)``) needs three more, and the second must not be sound, either: else the first
/// is noise that happens to lead to a frame. At the end of the stream, and before a tag, fewer do: a
/// short file plays.
///
/// After that each frame is let through once the next one, a tag, or the end stands where it ends. One for which
/// that is not so is let through if no other run starts within it and it is sound in itself: it may be the last
/// before foreign bytes.
struct FrameSync<Header: FrameHeader>: Sendable {
    /// What is at the front of the window.
    enum Step {
        /// A frame of that many bytes, whole, with ``FrameSync/header``; the caller takes it.
        case frame(Int)
        /// Something that was taken.
        indirect case event(AudioStreamEvent)
        /// That cannot be told before more bytes have come.
        case needsMore
        /// Nothing: the stream is over.
        case ended
    }

    /// The header of the frame at the front; `nil` before the first.
    private(set) var header: Header?
    /// The header of the last frame that the next one confirmed.
    private(set) var sound: Header?
    /// A header that all frames of the current run agree with.
    var pattern: Header?
    /// What a frame in free format has without a padding slot.
    var freeSize = 0
    /// How many runs have begun that do not agree with the one before.
    var generation = 0
    /// Whether a frame is expected at the front.
    var isInSync = false
    /// Whether a tag may stand at the front that has not been asked for yet.
    var mayBeTag = true
    /// Where a tag was asked for last, so that the same bytes are not asked twice.
    var askedAt: Int64?
    /// Where the bytes begin that belong to nothing and were not reported yet.
    var garbageStart: Int64?
    /// Whether bytes before the next frame are nothing to complain of: the stream was joined somewhere.
    var isJoining = false
    /// Up to where the stream has to be here before another look can tell more.
    var awaited: Int64 = 0
    /// How far a header in free format has been followed, where more bytes are needed to go on.
    ///
    /// `offset` is where the header is in the stream, `size` the first size that has not been ruled out, and `disproved`
    /// the first position behind the header, counted from it, where an ordinary frame has not been ruled out. What was
    /// examined before is not examined again: a stream that comes byte by byte would take thousands of passes.
    var freeScan: (offset: Int64, size: Int, disproved: Int)?
    /// Up to where a frame that nothing confirms, at the front, was looked through.
    private var judged: (offset: Int64, index: Int)?
    var tags: TagReader

    init(limits: AudioStreamLimits, length: Int64?) {
        self.tags = TagReader(limits: limits, length: length)
    }

    /// The next bytes do not follow the last ones; what is known of the frames stays.
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

    /// Remembers that a look ended for want of bytes.
    ///
    /// - Parameters:
    ///   - count: how many bytes have to be in the window.
    ///   - window: the stream.
    mutating func wait(for count: Int, _ window: borrowing ByteWindow) {
        self.awaited = window.offset &+ Int64(count)
    }

    /// What is at the front of the window; the same again until it is taken.
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
        // Every turn returns, drops bytes, or changes from in sync to out of it, where only bytes lead back.
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

    /// Decides about a frame that nothing confirms.
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
        _ kind: AudioStreamTrouble.Kind,
        _ count: Int,
        _ window: inout ByteWindow
    ) -> AudioStreamEvent {
        let start = window.offset
        window.drop(count)
        return .trouble(AudioStreamTrouble(kind, start..<window.offset))
    }

    /// A run of frames begins at the front.
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
