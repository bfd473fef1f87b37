// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes packets of samples.
extension MP4Parser {
    /// The next sample that is of use.
    mutating func nextSample() throws(AudioStreamError) -> MP4Sample? {
        while self.samples != nil {
            let sample = try self.samples?.next()
            if let sample, self.timeLine?.usedEnd.map({ sample.time < $0 }) ?? true {
                return sample
            }
            self.samples = nil
            if let movie = self.movie, self.part + 1 < self.parts.count {
                try self.enterPart(self.part + 1, of: movie)
                continue
            }
            self.fragmentTime = max(self.fragmentTime, self.movie?.track.table.duration ?? 0)
            if !self.isFragmented { self.walk = .over }
        }
        if self.fragment != nil {
            if let sample = try self.fragment?.next() { return sample }
            self.fragmentTime = self.fragment?.time ?? self.fragmentTime
            self.fragment = nil
        }
        return nil
    }

    /// Begins a part, with the second before it, which a decoder wants and nobody hears.
    mutating func enterPart(_ part: Int, of movie: MP4Movie) throws(AudioStreamError) {
        self.part = part
        let table = movie.track.table
        let first = table.sample(at: self.timeLine?.usedStart ?? 0)
        self.samples = try MP4SampleCursor(table, at: first)
    }

    /// Changes to the description of a sample, if it is another one that can be played.
    mutating func describe(_ sample: MP4Sample) {
        guard sample.description != self.description, let movie = self.movie,
            movie.track.entries.indices.contains(sample.description),
            movie.track.entries[sample.description] != nil
        else { return }
        self.describe(movie, sample.description)
    }

    /// Whether a sample is coded in a way that cannot be played.
    private func isRefused(_ sample: MP4Sample) -> Bool {
        guard sample.description != self.description, let entries = self.movie?.track.entries else {
            return false
        }
        return entries.indices.contains(sample.description) && entries[sample.description] == nil
    }

    /// Goes to where a sample is, and makes a packet of it.
    mutating func deliver(
        _ sample: MP4Sample,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        if case .box(let box) = self.walk, self.isFragmented, !self.isWalkHeld,
            box <= sample.offset,
            window.offset <= box
        {
            return try self.passHeader(at: box, &window)
        }
        if let wanted = self.go(to: sample.offset, &window) { return .event(wanted) }
        let range = sample.offset..<sample.offset + Int64(sample.size)
        let isRefused = self.isRefused(sample)
        guard sample.size <= self.limits.packet, !isRefused else {
            // Its first byte has to come, or a table of a few bytes tells of trouble 2^32 times.
            guard window.count > 0 else {
                guard window.isAtEnd else { return .needsMore }
                return self.endCutShort(at: sample, range)
            }
            window.skip(Int64(sample.size))
            self.pending = nil
            self.tally = nil
            if window.endsInSkip { self.isOver = true }
            // Of samples that cannot be played the first is told.
            if isRefused, self.refused == sample.description { return .again }
            self.refused = isRefused ? sample.description : nil
            return .event(
                .trouble(AudioStreamTrouble(isRefused ? .contradiction : .tooLarge, range))
            )
        }
        guard window.count >= sample.size else {
            guard window.isAtEnd else { return .needsMore }
            return self.endCutShort(at: sample, range)
        }
        let payload = window.take(sample.size)
        self.pending = nil
        self.lastRequest = nil
        guard let timeLine = self.timeLine else {
            preconditionFailure("there are samples only when there is an index")
        }
        if self.surplus(sample, payload, timeLine) > 0 {
            self.held = (sample, payload, timeLine)
            return .again
        }
        return .event(self.counted(self.packet(sample, payload, timeLine, isLast: false)))
    }

    /// The stream ends before a sample does: how long it is was told by more than there is.
    private mutating func endCutShort(at sample: MP4Sample, _ range: Range<Int64>) -> ParserStep {
        self.isOver = true
        self.isCutShort = true
        let certainty = self.format?.duration?.certainty
        if var format = self.format, let timeLine = self.timeLine,
            certainty == .exact || certainty == .declared && !self.isFragmented
        {
            let heard = SampleCount(timeLine.start(sample.time)) - SampleCount(timeLine.firstHeard)
            if self.parts.count == 1 { format.duration?.samples = max(0, heard) }
            format.duration?.certainty = .estimated
            self.format = format
            self.events.append(.format(format))
        }
        return .event(.trouble(AudioStreamTrouble(.truncated, range)))
    }

    /// The packet that was held back, now that it is known whether another one follows.
    mutating func releaseHeld() -> AudioStreamEvent? {
        guard let (sample, payload, timeLine) = self.held else { return nil }
        self.held = nil
        return self.counted(self.packet(sample, payload, timeLine, isLast: self.pending == nil))
    }

    private mutating func counted(_ packet: AudioPacket) -> AudioStreamEvent {
        self.tally?.add(packet)
        return .packet(packet)
    }

    /// How many samples more a packet decodes to than it lasts; less than 0 where they are fewer.
    ///
    /// A little of either is only rounding where a unit is not a sample, and counts as 0.
    private func surplus(
        _ sample: MP4Sample,
        _ payload: ByteMemory,
        _ timeLine: MP4TimeLine
    ) -> Int64 {
        guard let decoded = self.decodedDuration(payload) else { return 0 }
        let start = timeLine.start(sample.time)
        let end = max(start, timeLine.start(sample.end))
        let scale = timeLine.scale
        let rounding = scale.isExact ? 0 : scale.sampleRate / scale.unitsPerSecond + 1
        let surplus = decoded - (SampleCount(end) - SampleCount(start)).rawValue
        return abs(surplus) > rounding ? surplus : 0
    }

    /// Makes a packet of a sample.
    ///
    /// Times trim at the ends only: what the last packet decodes to behind its time is padding. One in mid-stream is heard
    /// whole, since what is said of its time may be the way that a recorder counts, and the packets of joined files
    /// follow each other like any others; ffmpeg and its kin play them so, too. Its time starts when the tables say.
    private func packet(
        _ sample: MP4Sample,
        _ payload: ByteMemory,
        _ timeLine: MP4TimeLine,
        isLast: Bool
    ) -> AudioPacket {
        let start = timeLine.start(sample.time)
        let end = max(start, timeLine.start(sample.end))
        var packet = AudioPacket(
            payload: payload,
            offset: sample.offset,
            start: SampleCount(start),
            duration: SampleCount(end) - SampleCount(start)
        )
        packet.isIndependent = sample.isSync
        packet.section = self.format?.section ?? 0
        let surplus = self.surplus(sample, payload, timeLine)
        if surplus != 0 {
            packet.duration = packet.duration + SampleCount(surplus)
            if isLast, surplus > 0 { packet.trimEnd = SampleCount(surplus) }
        }
        let heard = timeLine.firstHeard
        if start < heard {
            packet.trimStart = min(
                packet.duration - packet.trimEnd,
                SampleCount(heard) - packet.start
            )
        }
        if let last = timeLine.heardEnd {
            let surplus = packet.start + packet.duration - packet.trimEnd - SampleCount(last)
            if surplus > 0 {
                packet.trimEnd =
                    packet.trimEnd
                    + min(surplus, packet.duration - packet.trimStart - packet.trimEnd)
            }
        }
        return packet
    }

    /// How many samples a packet decodes to, where the codec says so whatever the tables say.
    @inline(__always)
    private func decodedDuration(_ payload: ByteMemory) -> Int64? {
        switch self.decodedDuration {
        case .asStored: nil
        case .fixed(let samples): samples
        case .opus: payload.withView { $0.opusDuration }
        }
    }

    /// Reads the header of a box that lies before the next sample, and passes over it; a fragment is left where it is.
    private mutating func passHeader(
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        if let wanted = self.go(to: offset, &window) { return .event(wanted) }
        guard let view = window.peekBoxHeader() else {
            guard window.isAtEnd else { return .needsMore }
            // The sample lies behind it.
            self.isWalkHeld = true
            return .again
        }
        guard let header = MP4BoxHeader(view), header.type.isBoxName else {
            self.walk = .scan(from: offset, isGarbage: true)
            return .again
        }
        switch header.type {
        case "moof", "moov", "sidx": self.isWalkHeld = true
        default:
            let end = header.size.map { offset.addingReportingOverflow($0) }
            if let end, !end.overflow, end.partialValue <= self.length ?? (Int64.max / 2 - 1) {
                self.walk = .box(end.partialValue)
            } else if header.size != nil {
                self.walk = .scan(from: offset + Int64(header.count), isGarbage: false)
            } else {
                self.walk = .over
            }
        }
        return .again
    }
}
