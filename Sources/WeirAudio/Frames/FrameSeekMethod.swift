// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in a stream that consists of frames only.
///
/// The method uses the first of these that is available:
///
/// - a place noted while parsing, and a walk from there to the wanted frame (exact, one read);
/// - a constant bit rate, checked with one read (exact);
/// - the table of a tag (no read);
/// - measured rates from all parts of the stream.
///
/// The result is the frame that contains the time. Layer III decoders need up to nine frames before
/// it for the bit reservoir (more in MPEG-2), and one for the overlap. A caller that needs exact
/// samples searches for an earlier time.
struct FrameSeekMethod<Header: FrameHeader & Hashable>: SeekMethod {
    /// The relation between time and bytes.
    enum Rate: Sendable {
        /// Everywhere in the stream, `bytes` bytes last `samples` samples.
        case constant(bytes: Int64, samples: Int64)
        /// The places of a table, in order; times between them are interpolated.
        case table([Bisection.Mark])
        /// The measured rates; `density` is how many samples a byte holds, if the rate was the same
        /// up to now.
        case measured(density: Double?)
    }

    /// The header with which frames must agree.
    var pattern: Header
    /// See ``FrameSync/freeSize``.
    var freeSize: Int
    /// Where the first frame is.
    var first: Bisection.Mark
    /// Where the stream ends, if known.
    var end: Int64?
    /// When the stream ends, if known.
    var endStart: SampleCount?
    /// The counts of the frames, and the noted places.
    var tally: FrameTally
    /// The relation between time and bytes.
    var rate: Rate

    /// The time up to which the noted places reach.
    private var marksEnd: SampleCount {
        self.tally.marks.isEmpty ? self.first.start : self.tally.end
    }

    func search(for time: SampleCount) -> any SeekSearching {
        let frame = SampleCount(Int64(self.pattern.sampleCount))
        let target = self.target(time)
        if target < self.marksEnd, let mark = self.tally.marks.last(where: { $0.start <= target }) {
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
        switch self.rate {
        case .constant(let bytes, let samples):
            let offset = self.offset(of: start, bytes: bytes, samples: samples)
            return FrameProbe(
                point: SeekPoint(offset: offset, start: start, precision: .exact),
                first: self.first.offset,
                end: self.end,
                pattern: self.pattern,
                freeSize: self.freeSize,
                otherwise: self.estimate(of: target, density: nil)
            )
        case .table(let table):
            let offset = self.clamped(table.offset(of: start) ?? self.first.offset)
            return SeekPoint(offset: offset, start: start, precision: .table)
        case .measured(let density):
            if let search = self.estimate(of: target, density: density) { return search }
            let (bytes, samples) = self.tally.measured
            let offset = self.offset(of: start, bytes: bytes, samples: samples)
            return SeekPoint(offset: offset, start: start, precision: .estimated)
        }
    }

    /// Whether the frame that contains a time has been counted.
    func isCounted(_ time: SampleCount) -> Bool { max(time, self.first.start) < self.marksEnd }

    func isExact(for time: SampleCount) -> Bool {
        if case .constant = self.rate { return true }
        return self.target(time) < self.marksEnd
    }

    var known: SeekPoint? {
        guard self.tally.samples > 0, self.tally.endOffset > self.first.offset else { return nil }
        return SeekPoint(
            offset: self.tally.endOffset,
            start: self.tally.end,
            precision: .exact
        )
    }

    func time(at offset: Int64) -> SeekPoint? {
        let offset = self.clamped(offset)
        let marks = self.tally.marks
        if let last = marks.last, offset <= last.offset,
            let next = marks.first(where: { $0.offset >= offset })
        {
            // The frames between two noted places are unknown.
            let isExact = next.offset == offset
            let start = isExact ? next.start : marks.start(of: offset)
            return start.map {
                SeekPoint(offset: offset, start: $0, precision: isExact ? .exact : .table)
            }
        }
        let start: SampleCount?
        let precision: SeekPoint.Precision
        switch self.rate {
        case .constant(let bytes, let duration):
            let passed = (offset - self.first.offset).scaled(by: duration, over: bytes)
            start = passed.map { self.first.start + SampleCount($0) }
            precision = .estimated
        case .table(let table):
            start = table.start(of: offset)
            precision = .table
        case .measured(let density):
            let places = self.tally.places(
                from: self.first,
                to: self.end ?? offset,
                at: self.endStart,
                density: density
            )
            start = places.start(of: offset)
            precision = .estimated
        }
        guard let start else { return nil }
        // Rounds to the nearest frame: padding moves the boundaries by a slot.
        let frame = Int64(self.pattern.sampleCount)
        let passed = ((start - self.first.start).rawValue + frame / 2) / frame * frame
        return SeekPoint(
            offset: offset,
            start: self.first.start + SampleCount(passed),
            precision: precision
        )
    }

    /// The wanted time, limited to the stream as far as its end is known.
    private func target(_ time: SampleCount) -> SampleCount {
        let frame = SampleCount(Int64(self.pattern.sampleCount))
        let target = max(time, self.first.start)
        guard let last = self.endStart else { return target }
        return min(target, max(last - frame, self.first.start))
    }

    private func estimate(of target: SampleCount, density: Double?) -> FrameRateSearch<Header>? {
        guard let end = self.end, end > self.first.offset, self.tally.measured.samples > 0 else {
            return nil
        }
        return FrameRateSearch(
            target: target,
            self.tally,
            .init(
                pattern: self.pattern,
                freeSize: self.freeSize,
                first: self.first,
                end: end,
                endStart: self.endStart,
                density: density
            )
        )
    }

    private func clamped(_ offset: Int64) -> Int64 {
        max(self.first.offset, min(offset, self.end ?? .max))
    }

    private func offset(of start: SampleCount, bytes: Int64, samples: Int64) -> Int64 {
        let distance = (start - self.first.start).rawValue.scaled(by: bytes, over: samples) ?? .max
        let (offset, overflow) = self.first.offset.addingReportingOverflow(distance)
        return self.clamped(overflow ? .max : offset)
    }
}
