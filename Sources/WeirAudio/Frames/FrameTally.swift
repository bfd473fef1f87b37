// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What was counted of the frames of a stream, where some of them are, and what is known of the rate elsewhere.
///
/// The frames from the first on, without a gap, are counted once, however often they are read. Of those behind a jump it
/// is only known how many bytes last how long: they make a stretch.
struct FrameTally: Sendable {
    /// How many places are kept at most.
    private static let capacity = 4096

    /// What the next frame is.
    private enum Place {
        /// The first that was not counted.
        case extending
        /// One that was counted.
        case within
        /// The first behind a jump to a place that is known exactly.
        case resumed
        /// One of a stretch.
        case beyond
    }

    /// How many frames there were, in all that was read.
    private(set) var frames: Int64 = 0
    /// How many bytes the counted ones have.
    private(set) var bytes: Int64 = 0
    /// How many samples they hold, nothing trimmed.
    private(set) var samples: Int64 = 0
    /// How many of these are not heard.
    private(set) var trimmed: Int64 = 0
    /// Whether every frame of the stream was counted, up to its end.
    private(set) var isFinished = false
    /// Every so-many-th frame, in order; fewer the more there are.
    private(set) var marks: [Bisection.Mark] = []
    /// When the frame behind the last one counted starts; the marks cover what is before it.
    private(set) var end: SampleCount = 0
    /// Where that is.
    private(set) var endOffset: Int64 = 0
    /// The stretches behind jumps, in the order in which they were read.
    private(set) var stretches: [FrameStretch] = []

    private var place = Place.extending
    private var stride: Int64 = 1
    private var untilMark: Int64 = 0

    /// Whether the times of the frames that are read are certain: nothing was jumped over.
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

    /// Whether a frame behind a jump is the first that was not counted.
    @inline(never)
    private mutating func isNew(_ offset: Int64, _ size: Int, _ start: SampleCount, _ duration: Int)
        -> Bool
    {
        if self.place == .resumed { self.place = offset > self.endOffset ? .beyond : .within }
        if self.place == .within {
            guard offset >= self.endOffset else { return false }
            // What was garbage before may have been taken for a frame now: then nothing is certain any more.
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
            // Every other one goes; the next is due as far behind the last as the new stride says.
            self.marks = self.marks.indices.compactMap { $0 % 2 == 0 ? self.marks[$0] : nil }
            self.stride &*= 2
        }
        self.marks.append(mark)
        self.untilMark = self.stride
    }

    /// Learns how long a part of the stream lasts that was not counted.
    mutating func note(_ stretch: FrameStretch) {
        if self.stretches.count >= FrameStretch.capacity { self.stretches.removeFirst() }
        self.stretches.append(stretch)
    }

    /// The next bytes do not follow the last ones: marks stay good for what is before.
    mutating func discontinued() {
        self.place = .beyond
        if let last = self.stretches.indices.last { self.stretches[last].isClosed = true }
    }

    /// The next bytes do not follow the last ones, and the time of the next frame is certain.
    mutating func resumed() {
        if self.frames > 0 { self.place = .resumed }
    }

    /// The stream is over.
    mutating func finished() {
        if self.place == .extending { self.isFinished = true }
    }

    /// Takes what another tally of the same stream counted, if that is more; this one has not jumped.
    mutating func adopt(_ other: FrameTally) {
        if other.endOffset > self.endOffset {
            self = other
            self.place = .within
        } else {
            self.stretches = other.stretches
        }
        if let last = self.stretches.indices.last { self.stretches[last].isClosed = true }
    }

    /// The time line has another sample rate from here on: what was counted is told in it, marks are forgotten.
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

    /// Bits a second on average.
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
    ///   - denominator: from 1; `nil` comes back for less.
    /// - Returns: `nil` if the result does not fit.
    func scaled(by numerator: Int64, over denominator: Int64) -> Int64? {
        guard denominator > 0 else { return nil }
        let product = Int128(self) * Int128(numerator)
        let quotient = product / Int128(denominator)
        let isRoundedUp = product < 0 && quotient * Int128(denominator) != product
        return Int64(exactly: isRoundedUp ? quotient - 1 : quotient)
    }
}
