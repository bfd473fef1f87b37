// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The time line of a track, or of a part that an edit plays: when samples are played, and which
/// are heard.
///
///     track    | - priming - | ------------ heard ------------ | - padding - |
///              0             heardStart                         heardEnd
///     played              0 or the empty time in front
struct MP4TimeLine: Hashable, Sendable {
    /// Converts units into samples.
    let scale: MP4TimeScale
    /// The difference between times of the track and times of the stream.
    let shift: Int64
    /// The time of the track at which the heard samples start.
    let heardStart: Int64
    /// The end of the heard samples, on the time line of the stream; `nil` if it is the end of the
    /// track.
    let heardEnd: Int64?
    /// The time of the track from which on packets are not used; `nil` if all are used.
    let usedEnd: Int64?
    /// The time of the track from which on packets are used: a second before the first heard
    /// sample.
    let usedStart: Int64

    /// Computes a time line.
    ///
    /// - Parameters:
    ///   - edit: the played part; `nil` without an edit list.
    ///   - scale: converts units into samples.
    ///   - movieScale: units a second of the edit list's durations, from 1.
    ///   - gap: the samples that the encoder added, if stated elsewhere.
    ///   - preSkip: how many samples an Opus header says to drop; used if neither an edit list nor
    ///     `gap` states a number.
    ///   - table: the tables of the track; `nil` in fragmented files, whose edits have no end.
    init(
        edit: MP4Edit?,
        scale: MP4TimeScale,
        movieScale: Int64,
        gap: EncoderGap?,
        preSkip: Int64,
        table: MP4SampleTable?
    ) {
        self.scale = scale
        guard let edit else {
            let leading = max(0, min(gap?.delay ?? preSkip, .max / 4))
            self.shift = 0
            self.heardStart = scale.units(leading)
            self.heardEnd = gap.flatMap { gap in
                gap.sampleCount > 0 ? leading + min(gap.sampleCount, .max / 4) : nil
            }
            self.usedEnd = nil
            self.usedStart = 0
            return
        }
        let empty = MP4TimeScale.rescale(
            edit.playedAt,
            by: scale.unitsPerSecond,
            over: movieScale
        )
        self.shift = edit.start - min(empty, .max / 4)
        self.heardStart = edit.start
        self.usedStart = table == nil ? 0 : max(0, edit.start - scale.unitsPerSecond)
        guard let duration = edit.duration, let table else {
            self.heardEnd = nil
            self.usedEnd = nil
            return
        }
        let length = MP4TimeScale.rescale(duration, by: scale.unitsPerSecond, over: movieScale)
        let end = edit.start + min(length, .max / 4)
        // A duration in units longer than the track's units is rounded. Only a cut larger than the
        // rounding counts; a smaller cut could remove a whole last packet.
        let isExact = movieScale % scale.unitsPerSecond == 0
        let cut = table.duration - end
        let isRounding = !isExact && cut > 0 && cut <= scale.unitsPerSecond / movieScale + 1
        self.usedEnd = isRounding ? table.duration : end
        if let gap, gap.sampleCount > 0, gap.delay == scale.samples(edit.start),
            abs(gap.sampleCount - scale.samples(length)) <= scale.sampleRate / movieScale + 1
        {
            let start = SampleCount(scale.samples(edit.start - self.shift))
            self.heardEnd = (start + SampleCount(gap.sampleCount)).rawValue
            return
        }
        self.heardEnd = cut > 0 && !isRounding ? scale.samples(end - self.shift) : nil
    }

    /// When a time of the track is played.
    ///
    /// - Parameter time: in units of the track.
    /// - Returns: samples on the time line of the stream.
    @inline(__always)
    func start(_ time: Int64) -> Int64 {
        let (moved, overflow) = time.subtractingReportingOverflow(self.shift)
        return self.scale.samples(overflow ? (time < 0 ? .min : .max) : moved)
    }

    /// The first heard sample, on the time line of the stream.
    var firstHeard: Int64 { self.start(self.heardStart) }

    /// The time of the track that is played at a sample.
    ///
    /// - Parameter sample: on the time line of the stream.
    /// - Returns: units of the track.
    func time(_ sample: Int64) -> Int64 {
        let (time, overflow) = self.scale.units(sample).addingReportingOverflow(self.shift)
        return overflow ? (sample < 0 ? .min : .max) : time
    }
}

/// Converts the time units of a track into samples.
struct MP4TimeScale: Hashable, Sendable {
    /// Units a second, from 1.
    let unitsPerSecond: Int64
    /// Samples a second, from 1.
    let sampleRate: Int64

    /// Whether a unit is a sample.
    var isExact: Bool { self.unitsPerSecond == self.sampleRate }

    /// The sample nearest to a time.
    ///
    /// - Parameter units: the time, which may be negative.
    /// - Returns: samples, limited to the range of 64 bits.
    func samples(_ units: Int64) -> Int64 {
        guard !self.isExact else { return units }
        return Self.rescale(units, by: self.sampleRate, over: self.unitsPerSecond)
    }

    /// The unit nearest to a sample.
    ///
    /// - Parameter samples: the time, which may be negative.
    /// - Returns: units, limited to the range of 64 bits.
    func units(_ samples: Int64) -> Int64 {
        guard !self.isExact else { return samples }
        return Self.rescale(samples, by: self.unitsPerSecond, over: self.sampleRate)
    }

    /// A number times a fraction, rounded to the nearest, halves upwards.
    ///
    /// - Parameters:
    ///   - value: any number.
    ///   - numerator: from 0.
    ///   - denominator: from 1.
    /// - Returns: the nearest number of 64 bits.
    static func rescale(_ value: Int64, by numerator: Int64, over denominator: Int64) -> Int64 {
        // 64 bits times 63 bits, and one more bit, fit into 128.
        let doubled = 2 * Int128(value) * Int128(numerator) + Int128(denominator)
        let divisor = 2 * Int128(denominator)
        var quotient = doubled / divisor
        if doubled % divisor < 0 { quotient -= 1 }
        return Int64(clamping: quotient)
    }
}
