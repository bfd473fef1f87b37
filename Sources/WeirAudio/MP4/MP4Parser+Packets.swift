// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes packets of samples.
extension MP4Parser {
    /// The next sample that is of use.
    mutating func nextSample() throws(AudioStreamError) -> MP4Sample? {
        if self.samples != nil {
            let sample = try self.samples?.next()
            if let sample, self.timeLine?.usedEnd.map({ sample.time < $0 }) ?? true {
                return sample
            }
            self.samples = nil
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
        guard sample.size <= self.limits.packet else {
            // Its first byte has to come, or a table of a few bytes tells of trouble 2^32 times.
            guard window.count > 0 else {
                guard window.isAtEnd else { return .needsMore }
                self.isOver = true
                return .event(.trouble(AudioStreamTrouble(.truncated, range)))
            }
            window.skip(Int64(sample.size))
            self.pending = nil
            self.tally = nil
            if window.endsInSkip { self.isOver = true }
            return .event(.trouble(AudioStreamTrouble(.tooLarge, range)))
        }
        guard window.count >= sample.size else {
            guard window.isAtEnd else { return .needsMore }
            self.isOver = true
            return .event(.trouble(AudioStreamTrouble(.truncated, range)))
        }
        let packet = self.packet(sample, window.take(sample.size))
        self.pending = nil
        self.tally?.add(packet)
        return .event(.packet(packet))
    }

    private func packet(_ sample: MP4Sample, _ payload: ByteMemory) -> AudioPacket {
        guard let timeLine = self.timeLine else {
            preconditionFailure("there are samples only when there is an index")
        }
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
        if let decoded = self.decodedDuration(payload) {
            // A last packet is said to be shorter than what comes out of the decoder, and one before a gap to be
            // longer. A little of either is only rounding where a unit is not a sample.
            let scale = timeLine.scale
            let rounding = scale.isExact ? 0 : scale.sampleRate / scale.unitsPerSecond + 1
            let surplus = decoded - packet.duration.rawValue
            if surplus > rounding {
                packet.duration = SampleCount(decoded)
                packet.trimEnd = SampleCount(surplus)
            } else if surplus < -rounding {
                packet.duration = SampleCount(decoded)
            }
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
        guard let header = MP4BoxHeader(view) else {
            self.walk = .scan(from: offset, isGarbage: true)
            return .again
        }
        switch header.type {
        case "moof", "moov", "sidx": self.isWalkHeld = true
        default:
            let end = header.size.map { offset.addingReportingOverflow($0) }
            if let end, !end.overflow, end.partialValue < Int64.max / 2 {
                self.walk = .box(end.partialValue)
            } else {
                self.walk = .over
            }
        }
        return .again
    }
}
