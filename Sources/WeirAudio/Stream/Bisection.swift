// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Narrows down the bytes that hold a time, by reading pieces of at most 64 KiB.
///
/// The search interpolates between the known marks at both ends. If a read has not halved the
/// range, the next read halves it, so that the number of reads is bounded for any distribution. If
/// a piece holds no place, the search reads the next piece. After a few such pieces it assumes that
/// no place follows, and searches before them.
struct Bisection: Sendable {
    /// A place with a known time.
    struct Mark: Hashable, Sendable {
        /// The offset in the stream of a packet, or of a page of packets.
        var offset: Int64
        /// The time of the place.
        var start: SampleCount
    }

    /// How many bytes a read has.
    static let window: Int64 = 64 << 10
    /// The most reads: 20, less one read of the end before the search and one of the found place
    /// after it.
    static let maximumReads = 18
    /// How many pieces in a row may hold no place.
    private static let maximumGap = 3

    private let target: SampleCount
    /// The last place known to start at or before the target.
    private(set) var lower: Mark
    /// No packet that starts at or before the target has this offset or a later one.
    private var upperOffset: Int64
    private var upperStart: SampleCount?
    private var readCount = 0
    private var isFound = false
    /// Whether the last read left more than half of the range.
    private var isHalving = false
    /// The last pieces in a row that hold no place.
    private var gap: (range: Range<Int64>, count: Int)?

    /// - Parameters:
    ///   - target: the wanted time.
    ///   - lower: the first place, which starts at or before the target; the result if no later
    ///     place does.
    ///   - end: the offset where the stream ends.
    ///   - endStart: the time at that offset, if known.
    init(target: SampleCount, lower: Mark, end: Int64, endStart: SampleCount?) {
        self.target = target
        self.lower = lower
        self.upperOffset = max(end, lower.offset)
        self.upperStart = endStart
        self.isFound = target <= lower.start
    }

    /// The next range to read; `nil` when ``lower`` is the result.
    var nextRange: Range<Int64>? {
        let span = self.upperOffset - self.lower.offset
        guard !self.isFound, self.readCount < Self.maximumReads, span > 0 else { return nil }
        guard span > Self.window else { return self.lower.offset..<self.upperOffset }
        if let gap = self.gap {
            return gap.range.upperBound..<min(gap.range.upperBound + Self.window, self.upperOffset)
        }
        var guess = self.lower.offset + span / 2
        if !self.isHalving, let upper = self.upperStart, upper > self.lower.start {
            let share =
                Double((self.target - self.lower.start).rawValue)
                / Double((upper - self.lower.start).rawValue)
            // A little before the guess, so that the piece contains a packet that starts at the
            // target.
            guess =
                self.lower.offset + Int64(Double(span) * min(max(share, 0), 1)) - Self.window / 2
        }
        guess = min(max(guess, self.lower.offset), self.upperOffset - Self.window)
        return guess..<guess + Self.window
    }

    /// Takes the places that the requested piece holds.
    ///
    /// - Parameter marks: the places in the piece, in order; empty if the piece holds no place.
    mutating func learned(_ marks: [Mark]) {
        guard let range = self.nextRange else { return }
        self.readCount += 1
        let span = self.upperOffset - self.lower.offset
        let before = marks.last { $0.start <= self.target }
        let after = marks.first { $0.start > self.target }
        if let before, before.offset >= self.lower.offset { self.lower = before }
        if let after, after.offset > self.lower.offset {
            self.upperOffset = min(self.upperOffset, after.offset)
            self.upperStart = after.start
        }
        if marks.isEmpty, range.lowerBound > self.lower.offset {
            self.learnedNothing(range)
        } else {
            self.gap = nil
        }
        self.isHalving = self.upperOffset - self.lower.offset > span / 2
        // The search ends when a piece covers the whole range, or shows places on both sides of the
        // target.
        let isWhole = range.lowerBound <= self.lower.offset && range.upperBound >= self.upperOffset
        self.isFound = isWhole || (before != nil && after != nil)
    }

    /// Reads on after an empty piece; at the end, or after several empty pieces, searches before
    /// them.
    private mutating func learnedNothing(_ range: Range<Int64>) {
        let gap = (self.gap?.range.lowerBound ?? range.lowerBound)..<range.upperBound
        let count = (self.gap?.count ?? 0) + 1
        guard count == Self.maximumGap || gap.upperBound >= self.upperOffset else {
            self.gap = (gap, count)
            return
        }
        self.gap = nil
        self.upperOffset = gap.lowerBound
        self.upperStart = nil
    }
}
