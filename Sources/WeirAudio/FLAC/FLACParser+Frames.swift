// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FLACParser {
    /// Reads a frame header or passes a tag; if there is neither, looks for the next frame.
    mutating func readBoundary(_ window: inout ByteWindow) -> ParserStep {
        if let trouble = self.tagReader.takeTrouble() { return self.passTag(trouble) }
        if window.count == 0 { return window.isAtEnd ? self.finish(&window) : .needsMore }
        let view = window.peek(upTo: FLACFrameHeader.maximumByteCount)
        switch FLACFrameHeader.read(view, info: self.info) {
        case .found(let header) where header.sampleRate != nil && header.bitsPerSample != nil:
            self.hold(header)
            return .again
        case .needsMore:
            guard window.isAtEnd else { return .needsMore }
            self.state = .lost(from: window.offset, .truncated)
            return .again
        case .found, .none: break
        }
        if view[0] == UInt8(ascii: "f") {
            if view.matches("fLaC") { return self.enterMetadata(&window) }
            if view.count < 4, !window.isAtEnd { return .needsMore }
        }
        self.tagReader.isAmidFrames = self.hasPackets
        switch self.tagReader.read(&window) {
        case .found(.trouble(let trouble)): return self.passTag(trouble)
        case .found(let event): return .event(event)
        case .needsMore where !window.isAtEnd: return .needsMore
        case .needsMore, .none:
            self.state = .lost(from: window.offset, .garbage)
            return .again
        }
    }

    /// Reports the trouble of a tag; if the tag's end is unknown, looks for the next frame instead.
    private mutating func passTag(_ trouble: AudioStreamFailure) -> ParserStep {
        guard self.tagReader.isEndLost else { return .event(.trouble(trouble)) }
        self.state = .lost(from: trouble.range.lowerBound, .contradiction)
        return .again
    }

    /// Records the header of the frame at the front of the window.
    mutating func hold(_ header: FLACFrameHeader) {
        self.header = header
        self.state = .frame
        self.scanned = header.byteCount
        self.hashed = 0
        self.checksum = 0
    }

    /// Looks for the end of the frame at the front: the place where its checksum matches, and
    /// another header starts.
    mutating func readFrame(_ window: inout ByteWindow) -> ParserStep {
        guard let header = self.header else {
            self.state = .boundary
            return .again
        }
        let bound = min(self.largestFrame(header), self.credit)
        let reach = bound + FLACFrameHeader.maximumByteCount
        while true {
            let view = window.peek(upTo: min(reach, self.scanned + 16 << 10))
            guard let candidate = view.firstFLACSync(from: self.scanned) else {
                self.scanned = max(self.scanned, view.count - 1)
                if view.count >= reach { return self.followFrame(header, bound, &window) }
                if view.count < window.count { continue }
                return window.isAtEnd ? self.followFrame(header, bound, &window) : .needsMore
            }
            self.scanned = candidate
            guard candidate <= bound else { return self.followFrame(header, bound, &window) }
            let start = window.peek(upTo: candidate + FLACFrameHeader.maximumByteCount)
            switch FLACFrameHeader.read(start[candidate..<start.count], info: self.info) {
            case .needsMore where !window.isAtEnd: return .needsMore
            case .needsMore, .none: break
            case .found(let follower):
                self.checksum = FLACChecksum.crc16(
                    start[self.hashed..<candidate],
                    seed: self.checksum
                )
                self.hashed = candidate
                guard self.checksum == 0, follower.sampleRate != nil, follower.bitsPerSample != nil
                else {
                    break
                }
                let event = self.packet(candidate, header, follower, &window)
                self.hold(follower)
                return event
            }
            self.scanned = candidate + 1
        }
    }

    /// Finds the end of the frame at the front by its structure, because no header follows it.
    private mutating func followFrame(
        _ header: FLACFrameHeader,
        _ bound: Int,
        _ window: inout ByteWindow
    ) -> ParserStep {
        self.spend(min(bound, window.count))
        let view = window.peek(upTo: min(bound, self.credit))
        self.header = nil
        switch FLACFrameBody.extent(of: header, in: view) {
        case .complete(let count):
            self.state = .boundary
            return self.packet(count, header, nil, &window)
        case .needsMore:
            self.spend(view.count)
            let isCut = window.isAtEnd && view.count == window.count
            self.state = .lost(from: window.offset, isCut ? .truncated : .badChecksum)
        case .invalid(let count):
            self.spend(count)
            self.state = .lost(from: window.offset, .badChecksum)
        }
        self.pass(1, &window)
        self.retryCount = 0
        return .again
    }

    /// The most bytes that a frame may have.
    ///
    /// No encoder makes a frame longer than its uncompressed samples, plus one bit a sample for a
    /// difference of channels. The bound adds an eighth, and is never below the maximum frame size
    /// of STREAMINFO.
    func largestFrame(_ header: FLACFrameHeader) -> Int {
        let bits =
            header.channelCount * (header.blockSize * ((header.bitsPerSample ?? 32) + 1) + 48)
        let plain = FLACFrameHeader.maximumByteCount + 2 + bits / 8 + bits / 64
        return min(self.limits.packet, max(plain, self.info?.maximumFrameSize ?? 0))
    }

    // MARK: Packets

    /// Takes a frame from the front of the window.
    ///
    /// - Parameters:
    ///   - count: how many bytes the frame has.
    ///   - header: the frame's header.
    ///   - follower: the header directly after the frame, if there is one.
    ///   - window: the stream.
    /// - Returns: the packet, or `again` if events must precede it.
    mutating func packet(
        _ count: Int,
        _ header: FLACFrameHeader,
        _ follower: FLACFrameHeader?,
        _ window: inout ByteWindow
    ) -> ParserStep {
        let offset = window.offset
        if self.firstFrameOffset == nil { self.firstFrameOffset = offset }
        self.measure(header, follower, at: offset)
        if let expected = self.expectedNumber, expected != header.number {
            self.isUnbroken = false
            self.queue.append(.trouble(AudioStreamFailure(.missing, offset..<offset)))
        } else if self.expectedNumber == nil, header.number != 0 {
            self.isUnbroken = false
        }
        self.describe(header)
        var packet = AudioPacket(
            payload: window.take(count),
            offset: offset,
            start: self.sectionStart + self.firstSample(header),
            duration: SampleCount(Int64(header.blockSize))
        )
        self.gain(count)
        packet.section = self.section
        self.end = packet.start + packet.duration
        self.reachedOffset = offset + Int64(count)
        self.expectedNumber = self.numberAfter(header)
        self.hasPackets = true
        if self.queue.isEmpty { return .event(.packet(packet)) }
        self.queue.append(.packet(packet))
        return .again
    }

    /// The number of a frame's first sample.
    private func firstSample(_ header: FLACFrameHeader) -> SampleCount {
        let number = Int64(header.number)
        guard !header.isVariable, !self.countsSamples else { return SampleCount(number) }
        return SampleCount(number * Int64(self.nominalBlockSize ?? header.blockSize))
    }

    private func numberAfter(_ header: FLACFrameHeader) -> UInt64 {
        self.countsSamples ? header.number + UInt64(header.blockSize) : header.followingNumber
    }

    /// Finds out from two neighbouring frames whether frame numbers count frames or samples, and
    /// the nominal block size.
    private mutating func measure(
        _ header: FLACFrameHeader,
        _ follower: FLACFrameHeader?,
        at offset: Int64
    ) {
        guard !header.isVariable, !self.countsSamples else { return }
        if let info = self.info, !info.isFixedBlockSize, header.blockSize > 1,
            follower?.number == header.number + UInt64(header.blockSize)
        {
            // Before the header had a bit for variable block sizes, only STREAMINFO showed them
            // (RFC 9639 appendix B.2).
            self.countsSamples = true
            return
        }
        // All blocks but the last have the nominal size, and no block is larger.
        let isNotLast = follower?.number == header.number + 1
        let nominal = self.nominalBlockSize ?? 0
        guard header.blockSize > nominal || isNotLast && header.blockSize != nominal else { return }
        if nominal > 0 {
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, offset..<offset)))
        }
        self.nominalBlockSize = header.blockSize
    }

    /// Reports the format if the header differs from the last report.
    private mutating func describe(_ header: FLACFrameHeader) {
        guard let rate = header.sampleRate else { return }
        if let format = self.format, format.section == self.section, format.sampleRate == rate,
            format.channelCount == header.channelCount, format.bitsPerSample == header.bitsPerSample
        {
            return
        }
        var format = AudioFormat(
            container: .flac,
            codec: .flac,
            sampleRate: rate,
            channelCount: header.channelCount
        )
        format.channelLayout = .standard(header.channelCount)
        format.bitsPerSample = header.bitsPerSample
        if self.hasPackets { self.section += 1 }
        format.section = self.section
        self.announce(format)
    }

    /// Ends the stream, at the end of a frame or a tag.
    private mutating func finish(_ window: inout ByteWindow) -> ParserStep {
        self.state = .end
        if window.endsInSkip {
            let range = min(self.block.lowerBound, window.offset)..<window.offset
            return .event(.trouble(AudioStreamFailure(.truncated, range)))
        }
        self.compareTotal()
        if !self.isCutShort, self.isUnbroken, self.hasPackets, var format = self.format {
            format.duration = AudioDuration(self.end, .exact)
            self.announce(format)
        }
        return .again
    }

    /// Compares the end of the last packet with the total of STREAMINFO, at the end of the stream.
    mutating func compareTotal() {
        guard self.hasPackets, let total = self.info?.totalSamples, var format = self.format,
            (self.end - self.sectionStart).rawValue < total
        else { return }
        self.isCutShort = true
        // Packet times continue from the section before, but the duration counts only its own
        // section.
        format.duration = AudioDuration(self.end - self.sectionStart, .estimated)
        // The bit rate was computed from the total.
        format.bitRate = nil
        self.announce(format)
    }
}
