// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes packets from samples.
extension MP4Parser {
    /// The next sample to read: from the used parts of the index, then from the current fragment.
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

    /// Begins a part at its first used packet, about a second before its first heard sample.
    mutating func enterPart(_ part: Int, of movie: MP4Movie) throws(AudioStreamError) {
        self.part = part
        let table = movie.track.table
        let first = table.sample(at: self.timeLine?.usedStart ?? 0)
        self.samples = try MP4SampleCursor(table, at: first)
    }

    /// Switches to the description of a sample, if it differs and can be played.
    mutating func describe(_ sample: MP4Sample) {
        guard sample.description != self.description, let movie = self.movie,
            movie.track.entries.indices.contains(sample.description),
            movie.track.entries[sample.description] != nil
        else { return }
        self.describe(movie, sample.description)
    }

    /// Whether the sample's description cannot be played.
    private func isRefused(_ sample: MP4Sample) -> Bool {
        guard sample.description != self.description, let entries = self.movie?.track.entries else {
            return false
        }
        return entries.indices.contains(sample.description) && entries[sample.description] == nil
    }

    /// Goes to the place of a sample, and makes a packet from it.
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
            // Wait for the sample's first byte; otherwise a table of a few bytes could cause 2^32
            // trouble events.
            guard window.count > 0 else {
                guard window.isAtEnd else { return .needsMore }
                return self.endCutShort(at: sample, range)
            }
            window.skip(Int64(sample.size))
            self.pending = nil
            self.tally = nil
            if window.endsInSkip { self.isOver = true }
            // Report only the first of several samples that cannot be played.
            if isRefused, self.refused == sample.description { return .again }
            self.refused = isRefused ? sample.description : nil
            return .event(
                .trouble(AudioStreamFailure(isRefused ? .contradiction : .tooLarge, range))
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

    /// Handles a stream that ends before a sample does: the stated duration is too long.
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
        return .event(.trouble(AudioStreamFailure(.truncated, range)))
    }

    /// The held packet, now that it is known whether another packet follows.
    mutating func releaseHeld() -> AudioStreamEvent? {
        guard let (sample, payload, timeLine) = self.held else { return nil }
        self.held = nil
        return self.counted(self.packet(sample, payload, timeLine, isLast: self.pending == nil))
    }

    private mutating func counted(_ packet: AudioPacket) -> AudioStreamEvent {
        self.tally?.add(packet)
        return .packet(packet)
    }

    /// How many more samples a packet decodes to than its stored duration states; negative if
    /// fewer.
    ///
    /// If a unit is not a sample, a small difference is only rounding, and counts as 0.
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

    /// Makes a packet from a sample.
    ///
    /// The stored times trim packets only at the two ends. If the last packet decodes to more
    /// samples than its duration, the excess is padding. A packet in the middle is heard whole: its
    /// stored duration may only reflect how a recorder counts, or two files were joined there.
    /// ffmpeg does the same. The packet's start is always the start in the tables.
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

    /// How many samples a packet decodes to, if the codec determines the number; `nil` if the
    /// tables do.
    @inline(__always)
    private func decodedDuration(_ payload: ByteMemory) -> Int64? {
        switch self.decodedDuration {
        case .asStored: nil
        case .fixed(let samples): samples
        case .opus: payload.withView { $0.opusDuration }
        }
    }

    /// Reads the header of a box before the next sample, and skips the box.
    ///
    /// The walk stops at a fragment (`moof`) and at an index (`moov`, `sidx`) until the samples are
    /// taken.
    private mutating func passHeader(
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        if let wanted = self.go(to: offset, &window) { return .event(wanted) }
        guard let view = window.peekBoxHeader() else {
            guard window.isAtEnd else { return .needsMore }
            // The stream ends within the header. Continue with the sample, which is after the
            // header.
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
