// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in a stream that is nothing but frames.
///
/// In this order: by the places noted while parsing, walked on from to the very frame (exact, one read); by a
/// constant bit rate, with a look at what is there (exact, one read); by the table of a tag; by the average bit rate.
///
/// A point is the frame in which the time lies. Layer III decoders need up to nine frames before it for what it
/// takes from the bit reservoir, and one for the overlap: a caller that wants the time exact asks for an earlier one.
struct FrameSeekMethod<Header: FrameHeader & Hashable>: SeekMethod {
    /// How bytes follow from time.
    enum Rate: Sendable {
        /// So many bytes last so many samples, everywhere; or everywhere up to now, if that is not certain.
        case constant(bytes: Int64, samples: Int64, isCertain: Bool)
        /// So many bytes last so many samples, on average.
        case average(bytes: Int64, samples: Int64)
        /// Places that a table has, in order; lines between them.
        case table([Bisection.Mark])
    }

    /// What frames agree with.
    var pattern: Header
    /// See ``FrameSync/freeSize``.
    var freeSize: Int
    /// Where the first frame is.
    var first: Bisection.Mark
    /// Where the stream ends, if known.
    var end: Int64?
    /// When it ends, if known.
    var endStart: SampleCount?
    /// The places noted while parsing.
    var marks: [Bisection.Mark]
    /// Until when they hold.
    var marksEnd: SampleCount
    /// How bytes follow from time.
    var rate: Rate

    func search(for time: SampleCount) -> any SeekSearching {
        let frame = SampleCount(Int64(self.pattern.sampleCount))
        var target = max(time, self.first.start)
        if let last = self.endStart { target = min(target, max(last - frame, self.first.start)) }
        if target < self.marksEnd, let mark = self.marks.last(where: { $0.start <= target }) {
            return FrameWalk(
                target: target,
                from: mark,
                end: self.end,
                pattern: self.pattern,
                freeSize: self.freeSize
            )
        }
        let passed = (target - self.first.start).rawValue / frame.rawValue
        let start = self.first.start + SampleCount(passed * frame.rawValue)
        let offset = self.clamped(self.offset(of: start))
        switch self.rate {
        case .constant(_, _, let isCertain):
            return FrameProbe(
                point: SeekPoint(offset: offset, start: start, precision: .estimated),
                first: self.first.offset,
                end: self.end,
                isCertain: isCertain,
                pattern: self.pattern,
                freeSize: self.freeSize
            )
        case .average(let bytes, let samples):
            // So near the end that too few frames would agree is no place to begin at.
            let few = (8 * frame.rawValue).scaled(by: bytes, over: samples) ?? 0
            let latest = self.clamped((self.end ?? .max) - max(0, few))
            return SeekPoint(offset: min(offset, latest), start: start, precision: .estimated)
        case .table:
            return SeekPoint(offset: offset, start: start, precision: .table)
        }
    }

    func time(at offset: Int64) -> SeekPoint? {
        let offset = self.clamped(offset)
        if let last = self.marks.last, offset <= last.offset,
            let next = self.marks.first(where: { $0.offset >= offset })
        {
            // Between two places the frames are not known one by one.
            let isExact = next.offset == offset
            let before = self.marks.last(where: { $0.offset <= offset }) ?? next
            let start = isExact ? next.start : self.between(before, next, offset)
            return SeekPoint(offset: offset, start: start, precision: isExact ? .exact : .table)
        }
        let passed = offset - self.first.offset
        let frame = Int64(self.pattern.sampleCount)
        let samples: Int64?
        let precision: SeekPoint.Precision
        switch self.rate {
        case .constant(let bytes, let duration, _), .average(let bytes, let duration):
            samples = passed.scaled(by: duration, over: bytes)
            precision = .estimated
        case .table(let table):
            let before = table.last(where: { $0.offset <= offset }) ?? self.first
            let after = table.first(where: { $0.offset > offset })
            samples =
                (after.map { self.between(before, $0, offset) } ?? before.start).rawValue
                - self.first.start.rawValue
            precision = .table
        }
        guard let samples else { return nil }
        // To the nearest frame: padding moves the boundaries by a slot.
        let start = self.first.start + SampleCount((samples + frame / 2) / frame * frame)
        return SeekPoint(offset: offset, start: start, precision: precision)
    }

    private func clamped(_ offset: Int64) -> Int64 {
        max(self.first.offset, min(offset, self.end ?? .max))
    }

    /// When a place between two others is, on a straight line.
    private func between(_ before: Bisection.Mark, _ after: Bisection.Mark, _ offset: Int64)
        -> SampleCount
    {
        let span = after.offset - before.offset
        let duration = (after.start - before.start).rawValue
        return before.start
            + SampleCount((offset - before.offset).scaled(by: duration, over: span) ?? 0)
    }

    private func offset(of start: SampleCount) -> Int64 {
        let passed = (start - self.first.start).rawValue
        switch self.rate {
        case .constant(let bytes, let samples, _), .average(let bytes, let samples):
            let distance = passed.scaled(by: bytes, over: samples) ?? .max
            return self.first.offset.addingReportingOverflow(distance).overflow
                ? .max : self.first.offset + distance
        case .table(let table):
            let before = table.last(where: { $0.start <= start }) ?? self.first
            guard let after = table.first(where: { $0.start > start }) else { return before.offset }
            let span = (after.start - before.start).rawValue
            let way = (start - before.start).rawValue
            return before.offset + (way.scaled(by: after.offset - before.offset, over: span) ?? 0)
        }
    }
}
