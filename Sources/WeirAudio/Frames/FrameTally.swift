// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What was counted of the frames of a stream, and where some of them are.
struct FrameTally: Sendable {
    /// How many places are kept at most.
    private static let capacity = 4096

    /// How many frames there were.
    private(set) var frames: Int64 = 0
    /// How many bytes they have.
    private(set) var bytes: Int64 = 0
    /// How many samples they hold, nothing trimmed.
    private(set) var samples: Int64 = 0
    /// How many of these are not heard.
    private(set) var trimmed: Int64 = 0
    /// Whether every frame of the stream was counted: nothing was jumped over.
    private(set) var isComplete = true
    /// Every so-many-th frame, in order; fewer the more there are.
    private(set) var marks: [Bisection.Mark] = []
    /// When the frame behind the last one counted starts; the marks cover what is before it.
    private(set) var end: SampleCount = 0
    /// Where that is.
    private(set) var endOffset: Int64 = 0

    private var stride: Int64 = 1
    private var untilMark: Int64 = 0

    /// Counts a frame.
    @inline(__always)
    mutating func count(offset: Int64, size: Int, start: SampleCount, duration: Int) {
        self.frames &+= 1
        self.bytes &+= Int64(size)
        self.samples &+= Int64(duration)
        guard self.isComplete else { return }
        self.end = SampleCount(start.rawValue &+ Int64(duration))
        self.endOffset = offset &+ Int64(size)
        if self.untilMark == 0 { self.mark(Bisection.Mark(offset: offset, start: start)) }
        self.untilMark &-= 1
    }

    /// Counts samples that are not heard.
    mutating func trim(_ samples: Int64) {
        self.trimmed &+= samples
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

    /// The next bytes do not follow the last ones: marks stay good for what is before.
    mutating func discontinued() {
        self.isComplete = false
    }

    /// The time line has another sample rate from here on: what was counted is told in it, marks are forgotten.
    mutating func rescale(from old: Int, to new: Int) {
        self.samples = self.samples.scaled(by: Int64(new), over: Int64(old)) ?? self.samples
        self.trimmed = self.trimmed.scaled(by: Int64(new), over: Int64(old)) ?? self.trimmed
        self.marks = []
        self.stride = 1
        self.untilMark = 0
    }

    /// Bits a second on average.
    func average(sampleRate: Int) -> Int? {
        self.bytes.scaled(by: 8 * Int64(sampleRate), over: self.samples).flatMap {
            Int(exactly: $0)
        }
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
