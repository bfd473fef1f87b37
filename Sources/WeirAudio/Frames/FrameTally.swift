// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The counts of a stream's frames, the places of some frames, and measured rates elsewhere.
///
/// The tally counts each frame once, from the first frame on and without a gap, even if the parser
/// reads it several times. The frames after a jump form a stretch: the tally keeps only their bytes
/// and their duration.
struct FrameTally: Sendable {
    /// The most places that the tally keeps.
    private static let capacity = 4096

    /// The role of the next frame.
    private enum Place {
        /// The first frame that was not counted.
        case extending
        /// A frame that was counted before.
        case within
        /// The first frame after a jump to an exactly known place.
        case resumed
        /// A frame of a stretch.
        case beyond
    }

    /// How many frames there were, in all bytes that were read.
    private(set) var frames: Int64 = 0
    /// How many bytes the counted frames have.
    private(set) var bytes: Int64 = 0
    /// How many samples the counted frames hold, before trimming.
    private(set) var samples: Int64 = 0
    /// How many of the counted samples are not heard.
    private(set) var trimmed: Int64 = 0
    /// Whether every frame of the stream was counted, up to its end.
    private(set) var isFinished = false
    /// Every n-th frame, in order; n grows with the number of frames.
    private(set) var marks: [Bisection.Mark] = []
    /// When the frame after the last counted frame starts; the marks cover the time before.
    private(set) var end: SampleCount = 0
    /// The offset of the frame after the last counted frame.
    private(set) var endOffset: Int64 = 0
    /// The stretches after jumps, in the order in which they were read.
    private(set) var stretches: [FrameStretch] = []

    private var place = Place.extending
    private var stride: Int64 = 1
    private var untilMark: Int64 = 0

    /// Whether the times of the frames are certain: no frames were jumped over.
    var isComplete: Bool { self.place != .beyond }

    /// Counts a frame.
    @inline(__always)
    mutating func count(offset: Int64, size: Int, start: SampleCount, duration: Int) {
        if self.place != .extending, !self.isNew(offset, size, start, duration) { return }
        self.frames &+= 1
        self.bytes &+= Int64(size)
        self.samples &+= Int64(duration)
        self.end = SampleCount(start.rawValue &+ Int64(duration))
        self.endOffset = offset &+ Int64(size)
        if self.untilMark == 0 { self.mark(Bisection.Mark(offset: offset, start: start)) }
        self.untilMark &-= 1
    }

    /// Whether a frame after a jump is the first that was not counted.
    @inline(never)
    private mutating func isNew(_ offset: Int64, _ size: Int, _ start: SampleCount, _ duration: Int)
        -> Bool
    {
        if self.place == .resumed { self.place = offset > self.endOffset ? .beyond : .within }
        if self.place == .within {
            guard offset >= self.endOffset else { return false }
            // The parser may now have read bytes as a frame that were garbage the first time: then
            // no time is certain any more.
            self.place = start == self.end ? .extending : .beyond
            if self.place == .extending { return true }
        }
        self.frames &+= 1
        let range = offset..<offset &+ Int64(size)
        if let last = self.stretches.last, last.range.upperBound <= offset, !last.isClosed {
            self.stretches[self.stretches.count - 1].extend(to: range.upperBound, duration)
        } else {
            self.note(FrameStretch(range: range, samples: Int64(duration)))
        }
        return false
    }

    /// Counts samples of the last frame that are not heard.
    mutating func trim(_ samples: Int64) {
        if self.place == .extending { self.trimmed &+= samples }
    }

    @inline(never)
    private mutating func mark(_ mark: Bisection.Mark) {
        if self.marks.count == Self.capacity {
            // Drop every second mark; the new mark then has the new distance from the last kept
            // mark.
            self.marks = self.marks.indices.compactMap { $0 % 2 == 0 ? self.marks[$0] : nil }
            self.stride &*= 2
        }
        self.marks.append(mark)
        self.untilMark = self.stride
    }

    /// Records how long an uncounted part of the stream lasts.
    mutating func note(_ stretch: FrameStretch) {
        if self.stretches.count >= FrameStretch.capacity { self.stretches.removeFirst() }
        self.stretches.append(stretch)
    }

    /// Prepares for bytes that do not follow the last ones; the marks stay valid for the frames
    /// before.
    mutating func discontinued() {
        self.place = .beyond
        if let last = self.stretches.indices.last { self.stretches[last].isClosed = true }
    }

    /// Prepares for bytes that do not follow the last ones, if the time of the next frame is
    /// certain.
    mutating func resumed() {
        if self.frames > 0 { self.place = .resumed }
    }

    /// Records the end of the stream.
    mutating func finished() {
        if self.place == .extending { self.isFinished = true }
    }

    /// Takes the counts of another tally of the same stream, if they are greater; this tally must
    /// not have jumped.
    mutating func adopt(_ other: FrameTally) {
        if other.endOffset > self.endOffset {
            self = other
            self.place = .within
        } else {
            self.stretches = other.stretches
        }
        if let last = self.stretches.indices.last { self.stretches[last].isClosed = true }
    }

    /// Changes the sample rate of the time line: converts the counts to the new rate and drops the
    /// marks.
    mutating func rescale(from old: Int, to new: Int) {
        self.samples = self.samples.scaled(by: Int64(new), over: Int64(old)) ?? self.samples
        self.trimmed = self.trimmed.scaled(by: Int64(new), over: Int64(old)) ?? self.trimmed
        self.end = SampleCount(
            self.end.rawValue.scaled(by: Int64(new), over: Int64(old)) ?? self.end.rawValue
        )
        self.marks = []
        self.stretches = []
        self.stride = 1
        self.untilMark = 0
    }

    /// How many bits a second the stream takes on average.
    func average(sampleRate: Int) -> Int? {
        let (bytes, samples) = self.measured
        return bytes.scaled(by: 8 * Int64(sampleRate), over: samples).flatMap { Int(exactly: $0) }
    }
}

extension Int64 {
    /// This number times one over another, rounded down, without an overflow in between.
    ///
    /// - Parameters:
    ///   - numerator: from 0.
    ///   - denominator: from 1.
    /// - Returns: `nil` if the result does not fit, or if the denominator is less than 1.
    func scaled(by numerator: Int64, over denominator: Int64) -> Int64? {
        guard denominator > 0 else { return nil }
        let product = Int128(self) * Int128(numerator)
        let quotient = product / Int128(denominator)
        let isRoundedUp = product < 0 && quotient * Int128(denominator) != product
        return Int64(exactly: isRoundedUp ? quotient - 1 : quotient)
    }
}
