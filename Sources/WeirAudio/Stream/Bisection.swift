// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Narrows the bytes down in which a time lies, by reading pieces of at most 64 KiB.
///
/// Interpolates between what is known at either end, and halves after a read that has not halved by itself, so that the
/// number of reads is bounded for any distribution. Where a piece holds nothing it goes on with the next, a few times,
/// before it takes that there is nothing behind it either.
struct Bisection: Sendable {
    /// A place of which the time is known.
    struct Mark: Hashable, Sendable {
        /// Where in the stream a packet, or a page of them, starts.
        var offset: Int64
        /// When it starts.
        var start: SampleCount
    }

    /// How many bytes are read at once.
    static let window: Int64 = 64 << 10
    /// How many reads there are at most: two fewer than 20, for one of the end before and one of what was found after.
    static let maximumReads = 18
    /// How many pieces in a row may hold nothing.
    private static let maximumGap = 3

    private let target: SampleCount
    /// The last place known to start at or before the target.
    private(set) var lower: Mark
    /// Nothing that starts at or before the target starts at or after this.
    private var upperOffset: Int64
    private var upperStart: SampleCount?
    private var readCount = 0
    private var isFound = false
    /// Whether the last read has left more than half.
    private var isHalving = false
    /// The pieces seen last that hold nothing, in a row.
    private var gap: (range: Range<Int64>, count: Int)?

    /// - Parameters:
    ///   - target: the time that is looked for.
    ///   - lower: the first place, which starts at or before the target, or is taken if none does.
    ///   - end: where the stream ends.
    ///   - endStart: when that is, if known.
    init(target: SampleCount, lower: Mark, end: Int64, endStart: SampleCount?) {
        self.target = target
        self.lower = lower
        self.upperOffset = max(end, lower.offset)
        self.upperStart = endStart
        self.isFound = target <= lower.start
    }

    /// What to read next; `nil` when ``lower`` is the answer.
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
            // A little before the guess: what starts at the target itself should lie in the piece.
            guess =
                self.lower.offset + Int64(Double(span) * min(max(share, 0), 1)) - Self.window / 2
        }
        guess = min(max(guess, self.lower.offset), self.upperOffset - Self.window)
        return guess..<guess + Self.window
    }

    /// What was found in the piece that was asked for.
    ///
    /// - Parameter marks: the places in it, in order; empty if there was none.
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
        // Both neighbours were seen, or everything up to the end.
        let isWhole = range.lowerBound <= self.lower.offset && range.upperBound >= self.upperOffset
        self.isFound = isWhole || (before != nil && after != nil)
    }

    /// Goes on behind a piece that holds nothing; if that is the end, or was tried often enough, before it.
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
