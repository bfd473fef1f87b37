// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream with a known duration and an unknown start.
struct FrameStretch: Sendable {
    /// The most stretches that a tally keeps.
    static let capacity = 64

    /// The range of the part in the stream.
    private(set) var range: Range<Int64>
    /// How many samples the frames in the range hold; 0 if there are no frames.
    private(set) var samples: Int64
    /// Whether no more frames may be added.
    var isClosed = false

    init(range: Range<Int64>, samples: Int64) {
        self.range = range
        self.samples = samples
    }

    /// Adds the next frame.
    mutating func extend(to end: Int64, _ duration: Int) {
        self.range = self.range.lowerBound..<end
        self.samples &+= Int64(duration)
    }

    /// Samples for each byte.
    var density: Double { Double(self.samples) / Double(max(1, self.range.count)) }
}

/// Estimates times after the counted frames from the measured stretches.
extension FrameTally {
    /// How many of the last counted bytes give the rate at the end.
    private static let vicinity: Int64 = 8 << 10
    /// By which fraction rates may differ and still count as equal.
    private static let tolerance = 0.015

    /// The bytes and samples of all frames that were read.
    var measured: (bytes: Int64, samples: Int64) {
        let apart = self.stretchesApart
        return (
            apart.reduce(self.bytes) { $0 + Int64($1.range.count) },
            apart.reduce(self.samples) { $0 + $1.samples }
        )
    }

    /// The stretches after the counted frames that do not overlap, in the order of the stream.
    var stretchesApart: [FrameStretch] {
        var apart: [FrameStretch] = []
        for stretch in self.stretches.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let reached = apart.last?.range.upperBound ?? self.endOffset
            if stretch.range.lowerBound >= reached { apart.append(stretch) }
        }
        return apart
    }

    /// Whether all stretches have a given rate, within a tolerance.
    ///
    /// - Parameter density: samples for each byte.
    /// - Returns: `true` without stretches.
    func isSteady(_ density: Double) -> Bool {
        self.stretchesApart.allSatisfy { abs($0.density - density) <= Self.tolerance * density }
    }

    /// How many samples a byte holds at the end of the counted frames.
    var densityAtEnd: Double? {
        self.density(behind: self.marks.last { $0.offset <= self.endOffset - Self.vicinity })
    }

    /// How many samples a byte holds in the later half of the counted frames: many streams begin
    /// with silence.
    private var densityOfLaterHalf: Double? {
        let middle = self.end.rawValue - self.samples / 2
        return self.density(behind: self.marks.last { $0.start.rawValue <= middle })
    }

    /// How many samples a byte holds from a place to the end of the counted frames; without a
    /// place, in all counted frames.
    private func density(behind mark: Bisection.Mark?) -> Double? {
        guard self.samples > 0 else { return nil }
        guard let mark, self.end > mark.start, self.endOffset > mark.offset else {
            return Double(self.samples) / Double(max(1, self.bytes))
        }
        return Double((self.end - mark.start).rawValue) / Double(self.endOffset - mark.offset)
    }

    /// Places from the end of the counted frames to the end of the stream, with straight lines
    /// between them.
    ///
    /// Between two stretches, the estimate uses the mean of their bit rates.
    ///
    /// - Parameters:
    ///   - first: the place of the first frame.
    ///   - end: the offset where the stream ends.
    ///   - endStart: the time at which the stream ends, if known.
    ///   - density: samples for each byte, if all counted frames have the same rate.
    /// - Returns: at least two places, or one if the stream ends at the first frame; empty if no
    ///   rate is known.
    func places(
        from first: Bisection.Mark,
        to end: Int64,
        at endStart: SampleCount?,
        density: Double?
    ) -> [Bisection.Mark] {
        let isCounted = self.samples > 0 && self.endOffset > first.offset
        var places = [
            isCounted ? Bisection.Mark(offset: self.endOffset, start: self.end) : first
        ]
        let apart = self.stretchesApart.filter {
            $0.range.lowerBound >= places[0].offset && $0.range.upperBound <= end
        }
        if let density, self.isSteady(density) {
            self.add(end, density, to: &places)
        } else {
            var here = apart.isEmpty ? self.densityOfLaterHalf : self.densityAtEnd
            for stretch in apart {
                let there = stretch.density
                let between = Self.between(here ?? there, there)
                self.add(stretch.range.lowerBound, between, to: &places)
                self.add(stretch.range.upperBound, there, to: &places)
                here = there
            }
            guard let here else { return [] }
            self.add(end, here, to: &places)
        }
        if let endStart { self.stretch(&places, to: endStart) }
        return isCounted ? [first] + places : places
    }

    /// The density at the mean of two bit rates; if one density is 0 (no frames), the mean of the
    /// densities.
    private static func between(_ one: Double, _ other: Double) -> Double {
        one > 0 && other > 0 ? 2 / (1 / one + 1 / other) : (one + other) / 2
    }

    private func add(_ offset: Int64, _ density: Double, to places: inout [Bisection.Mark]) {
        guard let last = places.last, offset > last.offset else { return }
        let samples = min(Double(offset - last.offset) * density, 0x1p56)
        places.append(
            Bisection.Mark(offset: offset, start: last.start + SampleCount(Int64(samples)))
        )
    }

    /// Scales the times after the first place so that the last place has the time of the end.
    private func stretch(_ places: inout [Bisection.Mark], to end: SampleCount) {
        guard let first = places.first, let last = places.last, last.start > first.start,
            end > first.start
        else { return }
        let (span, wanted) = ((last.start - first.start).rawValue, (end - first.start).rawValue)
        for index in places.indices {
            let passed = (places[index].start - first.start).rawValue
            places[index].start =
                first.start + SampleCount(passed.scaled(by: wanted, over: span) ?? passed)
        }
    }
}
