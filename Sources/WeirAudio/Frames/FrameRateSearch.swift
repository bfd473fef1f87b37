// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Estimates the offset of a time from the rates of small pieces of the stream.
///
/// The search reads the pieces where the rate is least certain.
///
/// The first pieces are spread over the part that was not counted. Each later piece halves a range
/// before the estimate: the range whose duration may be wrong by most. If the first pieces all have
/// the same rate, the search assumes that rate everywhere.
///
/// A time after the estimated end may be in a part that was not read: the search then reads more
/// pieces. If it still does not find the time, only reading the whole stream would find it. For a
/// time long after the end, that is not worth it.
struct FrameRateSearch<Header: FrameHeader>: SeekSearching {
    /// How many bytes a read has.
    private static var piece: Int64 { 16 << 10 }
    /// The most reads, and how many of them are spread over the stream.
    private static var maximumReads: Int { 12 }
    private static var overview: Int { 3 }
    /// The most reads for a time that seems to be after the end.
    private static var maximumReadsBehind: Int { 32 }
    /// The search does not divide ranges with fewer bytes than ``shortest``, nor ranges that are
    /// wrong by fewer frames than ``enough`` (a second or two).
    private static var shortest: Int64 { 2 * self.piece }
    private static var enough: Double { 40 }

    private let measured: Measured
    private(set) var stretches: [FrameStretch] = []
    private(set) var step: SeekSearch.Step
    private(set) var isLost = false
    private let target: SampleCount
    private let frameEnd: Int64
    private var tally: FrameTally
    private var reads = 0

    /// The properties of the frames, and where the stream begins and ends.
    struct Measured {
        var pattern: Header
        var freeSize: Int
        var first: Bisection.Mark
        var end: Int64
        var endStart: SampleCount?
        /// How many samples a byte holds, if all counted frames have the same rate.
        var density: Double?
    }

    /// - Parameters:
    ///   - target: the time; after the counted frames.
    ///   - tally: the counts of the frames.
    ///   - measured: the stream.
    init(target: SampleCount, _ tally: FrameTally, _ measured: Measured) {
        self.target = target
        self.tally = tally
        self.measured = measured
        self.frameEnd = max(measured.first.offset, tally.endOffset)
        self.step = .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        self.goOn()
    }

    mutating func read(_ bytes: ByteMemory) {
        guard case .read(let range) = self.step else { return }
        self.reads += 1
        let stretch = bytes.withView { self.stretch(in: $0, range) }
        self.stretches.append(stretch)
        self.tally.note(stretch)
        self.goOn()
    }

    private mutating func goOn() {
        let places = self.tally.places(
            from: self.measured.first,
            to: self.measured.end,
            at: self.measured.endStart,
            density: self.measured.density
        )
        let offset = places.offset(of: self.target) ?? self.measured.first.offset
        // Without places the end is unknown, and no time is after it.
        let (begin, end) = (self.measured.first.start, places.last?.start ?? self.target)
        let isBehind = self.measured.endStart == nil && self.target > end
        let (excess, span) = ((self.target - end).rawValue, (end - begin).rawValue)
        let isDoubtful = isBehind && self.isPossible && excess > span / 50
        if let range = self.nextRange(before: offset, isDoubtful) {
            self.step = .read(range)
            return
        }
        // The estimate may be wrong by a tenth. If the time is at least twice as far away as the
        // estimated end, reading the whole stream is not worth it.
        self.isLost = isDoubtful && excess > span / 10 && excess < span
        // After a point too near the end, there are too few frames for a parser to find a run.
        let density = self.tally.densityAtEnd ?? 1
        let frame = Int64(self.measured.pattern.sampleCount)
        let few = Int64(min(8 * Double(frame) / max(density, 1e-6), 0x1p40))
        let latest = max(self.frameEnd, self.measured.end - few)
        let place = min(offset, latest)
        var start = self.target
        if let last = places.last, let known = places.first, self.target > last.start {
            // The time is past the estimated end by more than the possible error of the estimate:
            // no audio is there.
            let leeway = SampleCount((last.start - known.start).rawValue / 10)
            if self.target > last.start + leeway { start = places.start(of: place) ?? start }
        }
        let passed = (start - self.measured.first.start).rawValue / frame
        self.step = .found(
            SeekPoint(
                offset: place,
                start: self.measured.first.start + SampleCount(passed * frame),
                precision: .estimated
            )
        )
    }

    /// The piece to read next: one of the spread pieces, or the middle of the range whose duration
    /// may be wrong by most.
    ///
    /// - Parameters:
    ///   - offset: the estimate.
    ///   - isDoubtful: whether the time is after the present estimate of the end.
    /// - Returns: the range of the piece; `nil` if enough is known.
    private func nextRange(before offset: Int64, _ isDoubtful: Bool) -> Range<Int64>? {
        let end = self.measured.end
        let most = isDoubtful ? Self.maximumReadsBehind : Self.maximumReads
        guard end - self.frameEnd > 6 * Self.piece, self.reads < most else { return nil }
        if self.reads < Self.overview {
            let share = Double(2 * self.reads + 1) / Double(2 * Self.overview)
            return self.piece(around: self.frameEnd + Int64(Double(end - self.frameEnd) * share))
        }
        if !isDoubtful, let density = self.measured.density ?? self.tally.densityAtEnd,
            self.tally.isSteady(density)
        {
            return nil
        }
        var widest = (range: end..<end, doubt: 0.0)
        var lower = (offset: self.frameEnd, density: self.tally.densityAtEnd)
        let apart = self.tally.stretchesApart
        for (index, upper) in (apart.map(\.range.lowerBound) + [end]).enumerated() {
            let there = index < apart.count ? apart[index].density : lower.density ?? 0
            let here = lower.density ?? there
            let range = lower.offset..<max(lower.offset, min(upper, offset))
            // Rates between two pieces differ a little even if the pieces are alike.
            let doubt = Double(range.count) * (abs(here - there) / 2 + (here + there) / 20)
            if range.count > Self.shortest, doubt > widest.doubt { widest = (range, doubt) }
            if index < apart.count { lower = (apart[index].range.upperBound, there) }
        }
        guard widest.doubt > Self.enough * Double(self.measured.pattern.sampleCount) else {
            return nil
        }
        return self.piece(around: widest.range.lowerBound + Int64(widest.range.count / 2))
    }

    /// Whether the bytes can last until the time, if all of them had the lowest possible rate.
    private var isPossible: Bool {
        let bytes = Double(self.measured.end - self.measured.first.offset)
        // 8 kbit/s.
        let longest = bytes / 1000 * Double(self.measured.pattern.sampleRate)
        return Double((self.target - self.measured.first.start).rawValue) < longest
    }

    private func piece(around offset: Int64) -> Range<Int64> {
        let start = min(
            max(offset - Self.piece / 2, self.frameEnd),
            self.measured.end - Self.piece
        )
        return start..<start + Self.piece
    }

    /// How long a piece lasts: from its first frame to its last.
    private func stretch(in view: ByteView, _ range: Range<Int64>) -> FrameStretch {
        var start = 0
        while start + Header.byteCount <= view.count {
            if view[start] == 0xFF, let run = self.run(view, from: start) {
                let lower = range.lowerBound + Int64(start)
                return FrameStretch(
                    range: lower..<range.lowerBound + Int64(run.end),
                    samples: run.samples
                )
            }
            start += 1
        }
        return FrameStretch(range: range, samples: 0)
    }

    /// The run of frames at a position, of this stream or of a stream joined to it.
    ///
    /// The number of samples is converted to this stream's sample rate.
    private func run(_ view: ByteView, from start: Int) -> (end: Int, samples: Int64)? {
        guard let first = Header(view, at: start) else { return nil }
        let own = self.measured.pattern
        let isOwn = first.agrees(with: own)
        guard isOwn || first.isAkin(to: own) else { return nil }
        let pattern = isOwn ? own : first
        var (at, count, samples) = (start, 0, Int64(0))
        while at + Header.byteCount <= view.count, let header = Header(view, at: at),
            header.agrees(with: pattern)
        {
            let size = header.frameSize(freeSize: self.measured.freeSize)
            guard at + size + Header.byteCount <= view.count else { break }
            at += size
            count += 1
            samples += Int64(header.sampleCount)
        }
        guard count >= pattern.agreement + (isOwn ? 0 : 1) else { return nil }
        guard pattern.sampleRate != own.sampleRate else { return (at, samples) }
        return samples.scaled(by: Int64(own.sampleRate), over: Int64(pattern.sampleRate))
            .map { (at, $0) }
    }
}

extension [Bisection.Mark] {
    /// The offset of a time on straight lines between the places; for a time outside of them, the
    /// first or the last place.
    func offset(of start: SampleCount) -> Int64? {
        guard let before = self.last(where: { $0.start <= start }) else {
            return self.first?.offset
        }
        guard let after = self.first(where: { $0.start > start }) else { return before.offset }
        let span = (after.start - before.start).rawValue
        let way = (start - before.start).rawValue
        return before.offset + (way.scaled(by: after.offset - before.offset, over: span) ?? 0)
    }

    /// The time of an offset on straight lines between the places.
    func start(of offset: Int64) -> SampleCount? {
        guard let before = self.last(where: { $0.offset <= offset }) else {
            return self.first?.start
        }
        guard let after = self.first(where: { $0.offset > offset }) else { return before.start }
        let span = after.offset - before.offset
        let duration = (after.start - before.start).rawValue
        return before.start
            + SampleCount((offset - before.offset).scaled(by: duration, over: span) ?? 0)
    }
}
