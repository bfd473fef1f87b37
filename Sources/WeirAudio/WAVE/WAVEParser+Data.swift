// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension WAVEParser {
    /// Enters a data chunk, and says how long it plays.
    ///
    /// A size of 0 or all ones stands for "up to the end": the writer did not know it.
    mutating func enterData(_ size: UInt32, _ window: inout ByteWindow) throws(AudioStreamError) {
        guard let chunk = self.chunk, var format = self.format else {
            throw AudioStreamError(
                .unsupported,
                at: window.offset,
                "The WAVE data stand before their format"
            )
        }
        let start = window.offset + 8
        let isOpen = size == 0 || size == .max
        let stated = isOpen ? self.longDataSize : Int64(size)
        self.longDataSize = nil
        window.drop(8)
        self.dataTime = self.end
        self.dataStart = start
        self.dataEnd = nil
        if let stated, stated > 0 {
            let (end, overflow) = start.addingReportingOverflow(stated)
            self.dataEnd = overflow ? nil : end
        }
        self.packetSize = max(chunk.blockSize, Self.packetSize / chunk.blockSize * chunk.blockSize)
        self.state = .data
        // More than the stream holds, by what is known of its length, is not believed.
        if let end = self.dataEnd, let length = self.length, length >= start, end > length {
            self.queue.append(.trouble(AudioStreamTrouble(.contradiction, start - 8..<start)))
            self.dataEnd = nil
            self.isCutShort = !Self.isPlaceholder(stated)
        }
        let end = self.dataEnd ?? self.length.flatMap { $0 >= start ? $0 : nil }
        guard let end else { return self.announce(format) }
        let samples = self.dataTime + SampleCount((end - start) / Int64(chunk.blockSize))
        let certainty: AudioDuration.Certainty = self.length == nil ? .declared : .exact
        format.duration = AudioDuration(samples, self.isCutShort ? .estimated : certainty)
        self.announce(format)
    }

    /// Whether a size is one that programs write which do not know it yet: the most that 31 or 32 bits hold, or a little
    /// less, or more.
    private static func isPlaceholder(_ size: Int64?) -> Bool {
        guard let size else { return true }
        return (0x7FFF_0000...0x8000_FFFF).contains(size) || (0xFFFF_0000...).contains(size)
    }

    /// Takes a packet from the data.
    mutating func readData(_ window: inout ByteWindow) -> ParserStep {
        guard let chunk = self.chunk, let start = self.dataStart else {
            self.state = .rest
            return .again
        }
        let remaining = self.dataEnd.map { $0 - window.offset } ?? .max
        guard remaining > 0 else {
            self.state = (self.dataEnd ?? 0) & 1 == start & 1 ? .chunk : .padding
            return .again
        }
        // Packets are counted from the start of the data, wherever this one is entered.
        let within = Int((window.offset - start) % Int64(self.packetSize))
        let wanted = Int(min(Int64(self.packetSize - within), remaining))
        let available = window.count
        guard available >= wanted || window.isAtEnd else { return .needsMore }
        let whole = min(available, wanted) / chunk.blockSize * chunk.blockSize
        guard whole > 0 else {
            return self.endData(min(available, wanted), available < wanted, &window)
        }
        let offset = window.offset
        let block = (offset - start) / Int64(chunk.blockSize)
        let packet = AudioPacket(
            payload: window.take(whole),
            offset: offset,
            start: self.dataTime + SampleCount(block),
            duration: SampleCount(Int64(whole / chunk.blockSize))
        )
        self.end = packet.start + packet.duration
        return .event(.packet(packet))
    }

    /// Passes the rest of the data over, which is less than a block.
    private mutating func endData(_ count: Int, _ isCut: Bool, _ window: inout ByteWindow)
        -> ParserStep
    {
        let offset = window.offset
        window.drop(count)
        if isCut {
            self.state = .rest
            if let end = self.dataEnd, !Self.isPlaceholder(end - (self.dataStart ?? 0)) {
                self.isCutShort = true
            }
            self.finish()
            // Where the size is open the end is where it is; what is reported ends early if it does.
            guard count > 0 || self.dataEnd != nil else { return .again }
            self.queue.insert(
                .trouble(AudioStreamTrouble(.truncated, offset..<window.offset)),
                at: 0
            )
            return .again
        }
        return .event(.trouble(AudioStreamTrouble(.garbage, offset..<window.offset)))
    }

    /// The time of all packets is known.
    mutating func finish() {
        guard self.isUnbroken, self.dataStart != nil, var format = self.format else { return }
        format.duration = AudioDuration(self.end, self.isCutShort ? .estimated : .exact)
        self.announce(format)
    }

    /// Finds out where it is after a discontinuity.
    mutating func readDisplaced(_ window: inout ByteWindow) -> ParserStep {
        guard let start = self.dataStart, self.packetSize > 0 else {
            self.state = .start
            return .again
        }
        guard window.offset > start else {
            // The headers are known: nothing in them is needed again.
            window.skip(start - window.offset)
            self.state = .data
            return .again
        }
        if let end = self.dataEnd, window.offset >= end {
            self.state = .rest
            return .again
        }
        // On with the packets that there would have been without the discontinuity.
        let within = (window.offset - start) % Int64(self.packetSize)
        if within > 0 { window.skip(Int64(self.packetSize) - within) }
        self.state = .data
        return .again
    }

    /// Says what the format is, if that is new.
    mutating func announce(_ format: AudioFormat) {
        guard format != self.format || self.isSilent else { return }
        self.format = format
        self.isSilent = false
        self.queue.append(.format(format))
    }
}
