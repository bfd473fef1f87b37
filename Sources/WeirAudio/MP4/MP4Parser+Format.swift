// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reports the facts about the format.
extension MP4Parser {
    /// Switches to a sample description; reports the format if it is new.
    mutating func describe(_ movie: MP4Movie, _ description: Int) {
        guard let entry = movie.track.entries[description] else { return }
        self.description = description
        self.refused = nil
        // There may be as many changes as packets, so the parser does not read the tables again for
        // each change.
        self.parts = self.described[description]?.parts ?? self.timeLines(of: movie, entry)
        switch entry.codec {
        case .opus: self.decodedDuration = .opus
        case .aac, .mpegLayer:
            self.decodedDuration = entry.samplesPerPacket.map { .fixed(Int64($0)) } ?? .asStored
        default: self.decodedDuration = .asStored
        }
        self.announce(movie, entry)
    }

    /// The time lines of a movie's track: one for each part of the edit list.
    private func timeLines(of movie: MP4Movie, _ entry: MP4SampleEntry) -> [MP4TimeLine] {
        let track = movie.track
        let edits = track.edits.map {
            MP4Edit.joined(
                $0,
                unitsPerSecond: track.unitsPerSecond,
                movieScale: movie.unitsPerSecond
            )
        }
        guard let edits, !self.hasFragments(movie) else {
            return [self.timeLine(of: movie, entry, edits?.first)]
        }
        return edits.map { self.timeLine(of: movie, entry, $0) }
    }

    private func timeLine(
        of movie: MP4Movie,
        _ entry: MP4SampleEntry,
        _ edit: MP4Edit?
    ) -> MP4TimeLine {
        let track = movie.track
        let smoothness = movie.tags?.fields.first { $0.name == "----:com.apple.iTunes:iTunSMPB" }
        return MP4TimeLine(
            edit: edit,
            scale: MP4TimeScale(
                unitsPerSecond: track.unitsPerSecond,
                sampleRate: Int64(entry.sampleRate)
            ),
            movieScale: movie.unitsPerSecond,
            gap: smoothness?.values.first.flatMap { EncoderGap($0) }
                .map { self.counted($0, track, entry) } ?? self.knownGap(of: movie, entry),
            preSkip: entry.preSkip,
            table: self.hasFragments(movie) ? nil : track.table
        )
    }

    /// The gap of an encoder that does not state its gap: FAAC starts with a packet of priming.
    private func knownGap(of movie: MP4Movie, _ entry: MP4SampleEntry) -> EncoderGap? {
        guard case .aac = entry.codec,
            let encoder = movie.tags?.first("\u{A9}too"), encoder.hasPrefix("FAAC")
        else { return nil }
        return EncoderGap(delay: 1_024)
    }

    /// Converts a gap to samples of the output.
    ///
    /// iTunes counts at the rate of the core, half the output rate of HE-AAC; other encoders count
    /// at the output rate. The sum of delay, samples and padding is the length of all decoded
    /// packets, and so shows the rate.
    private func counted(
        _ gap: EncoderGap,
        _ track: MP4Track,
        _ entry: MP4SampleEntry
    ) -> EncoderGap {
        guard case .aac = entry.codec, let samples = entry.samplesPerPacket else { return gap }
        let sum = Double(gap.delay) + Double(gap.sampleCount) + Double(gap.padding)
        let ratio = sum / (Double(track.table.count) * Double(samples))
        let isDoubled = entry.saysDoubleRate && ratio > 0.375 && ratio < 0.75
        let isHalved = entry.mayDecodeToDoubleRate && ratio > 1.5 && ratio < 3
        guard isDoubled || isHalved else { return gap }
        var counted = gap
        for number in [\EncoderGap.delay, \.padding, \.sampleCount] {
            let value = counted[keyPath: number]
            counted[keyPath: number] = isDoubled ? min(value, .max / 4) * 2 : value / 2
        }
        return counted
    }

    /// Whether fragments follow: the index says so, or has no samples.
    func hasFragments(_ movie: MP4Movie) -> Bool {
        movie.isFragmented || movie.track.table.count == 0
    }

    /// Reports the format of a movie, if it is new.
    private mutating func announce(_ movie: MP4Movie, _ entry: MP4SampleEntry) {
        var format = self.described[self.description]?.format ?? self.format(of: movie, entry)
        self.described[self.description] = (self.parts, format)
        if let old = self.format {
            let isSame =
                old.codec == format.codec && old.sampleRate == format.sampleRate
                && old.channelCount == format.channelCount
                && old.channelLayout == format.channelLayout
                && old.configuration == format.configuration
            // A repeated index within a stream states nothing new about the duration.
            if isSame { return }
            format.section = old.section + 1
            // The leading samples were already dropped.
            format.trim = nil
        }
        self.format = format
        self.events.append(.format(format))
    }

    private func format(of movie: MP4Movie, _ entry: MP4SampleEntry) -> AudioFormat {
        var format = AudioFormat(
            container: .mp4,
            codec: entry.codec,
            sampleRate: entry.sampleRate,
            channelCount: entry.channelCount
        )
        format.channelLayout = entry.channelLayout
        format.bitsPerSample = entry.bitsPerSample
        format.configuration = entry.configuration
        format.samplesPerPacket = entry.samplesPerPacket
        format.outputGain = entry.outputGain
        format.mayDecodeToDoubleRate = entry.mayDecodeToDoubleRate
        if self.hasFragments(movie) {
            self.describeFragments(movie, &format)
        } else {
            self.describeTables(movie, &format)
        }
        return format
    }

    /// Takes the facts from the tables; they are exact.
    private func describeTables(_ movie: MP4Movie, _ format: inout AudioFormat) {
        guard let first = self.parts.first, let last = self.parts.last else { return }
        let table = movie.track.table
        let whole = Self.difference(first.start(table.duration), first.start(0))
        var heard = SampleCount.zero
        var end: Int64 = 0
        let present = self.presentDuration(table)
        for part in self.parts {
            // A part is heard up to `heardEnd`, or up to the end of the present samples if that is
            // earlier.
            end = part.start(present)
            if let heardEnd = part.heardEnd { end = min(end, heardEnd) }
            heard = heard + SampleCount(max(0, Self.difference(end, part.firstHeard)))
        }
        // If the length is unknown, the stream may end before the last sample that its index lists.
        let certainty: AudioDuration.Certainty = self.length == nil ? .declared : .exact
        format.duration = AudioDuration(heard, present == table.duration ? certainty : .estimated)
        format.bitRate = Self.bitRate(bytes: table.byteCount, samples: whole, format)
        let start = first.start(table.time(of: table.sample(at: first.usedStart)))
        let leading = max(0, Self.difference(first.firstHeard, start))
        let trailing = self.padding(table, last, end: end)
        if leading > 0 || trailing > 0 {
            format.trim = AudioTrim(leading: SampleCount(leading), trailing: SampleCount(trailing))
        }
    }

    /// The start of the first sample that is not completely within the stream.
    ///
    /// Without such a sample, the duration of the track.
    private func presentDuration(_ table: MP4SampleTable) -> Int64 {
        guard let length = self.length, let missing = try? table.sample(endingBehind: length) else {
            return table.duration
        }
        return min(table.duration, table.time(of: missing))
    }

    /// How many samples a decoder outputs after the last heard sample.
    private func padding(_ table: MP4SampleTable, _ timeLine: MP4TimeLine, end: Int64) -> Int64 {
        guard table.count > 0 else { return 0 }
        // The last used packet, and where it ends.
        let used = timeLine.usedEnd.map { max(0, $0 - 1) } ?? table.duration
        let last = table.sample(at: min(used, table.duration))
        let start = timeLine.start(table.time(of: last))
        let next = timeLine.start(table.time(of: last + table.grouping))
        var decodedEnd = next
        if timeLine.scale.isExact, case .fixed(let decoded) = self.decodedDuration {
            decodedEnd = max(next, start + decoded)
        }
        return max(0, Self.difference(decodedEnd, end))
    }

    /// The difference of two times of an edit list, limited to the range of 64 bits.
    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        (SampleCount(later) - SampleCount(earlier)).rawValue
    }

    /// Takes the facts that the headers state, before the first fragment.
    private func describeFragments(_ movie: MP4Movie, _ format: inout AudioFormat) {
        guard let timeLine = self.timeLine else { return }
        if let duration = movie.duration {
            let samples = MP4TimeScale.rescale(
                duration,
                by: Int64(format.sampleRate),
                over: movie.unitsPerSecond
            )
            if samples > 0 { format.duration = AudioDuration(SampleCount(samples), .declared) }
        }
        let leading = max(0, Self.difference(timeLine.firstHeard, timeLine.start(0)))
        if leading > 0 { format.trim = AudioTrim(leading: SampleCount(leading), trailing: nil) }
    }

    /// Reports the duration of a stream of fragments by its index, if the duration is still
    /// unknown.
    mutating func announce(end: Int64) {
        guard var format = self.format, let timeLine = self.timeLine, format.duration == nil else {
            return
        }
        let samples = Self.difference(timeLine.start(end), timeLine.firstHeard)
        guard samples > 0 else { return }
        format.duration = AudioDuration(SampleCount(samples), .declared)
        self.format = format
        self.events.append(.format(format))
    }

    /// Ends the stream.
    ///
    /// The duration is now exact, if it comes from tables or if the parser has read all fragments,
    /// unless the stream is cut short.
    mutating func finish() -> ParserStep {
        self.isOver = true
        if !self.isFragmented, !self.isCutShort, var format = self.format,
            format.duration?.certainty == .declared
        {
            format.duration?.certainty = .exact
            self.format = format
            return .event(.format(format))
        }
        guard self.isFragmented, let tally = self.tally, var format = self.format, tally.bytes > 0
        else {
            return .again
        }
        format.duration = AudioDuration(
            SampleCount(tally.heard),
            self.isCutShort ? .estimated : .exact
        )
        format.bitRate = Self.bitRate(bytes: tally.bytes, samples: tally.decoded, format)
        if let leading = format.trim?.leading {
            let trailing = tally.decoded - tally.heard - leading.rawValue
            format.trim = AudioTrim(leading: leading, trailing: SampleCount(max(0, trailing)))
        }
        guard format != self.format else { return .again }
        self.format = format
        return .event(.format(format))
    }

    private static func bitRate(bytes: Int64, samples: Int64, _ format: AudioFormat)
        -> AudioBitRate?
    {
        guard samples > 0, bytes > 0, bytes < Int64.max / 8 else { return nil }
        let rate = MP4TimeScale.rescale(bytes * 8, by: Int64(format.sampleRate), over: samples)
        guard rate > 0, rate < Int64(Int32.max) else { return nil }
        if case .pcm = format.codec { return AudioBitRate(Int(rate), .constant) }
        return AudioBitRate(Int(rate), .average)
    }
}
