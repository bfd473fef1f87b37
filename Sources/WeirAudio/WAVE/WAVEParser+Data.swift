// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension WAVEParser {
    /// Enters a data chunk, and reports the duration.
    ///
    /// If the size is 0 or all ones, a `ds64` chunk may state it. Without a `ds64` chunk, the
    /// writer did not know the size: the data continue up to the end of the stream.
    mutating func enterData(_ size: UInt32, _ window: inout ByteWindow) throws(AudioStreamError) {
        guard let chunk = self.chunk, var format = self.format else {
            throw AudioStreamError(
                .unsupported,
                at: window.offset,
                "The WAVE data come before their format"
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
        // A size beyond the known length of the stream is ignored.
        if let end = self.dataEnd, let length = self.length, length >= start, end > length {
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, start - 8..<start)))
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

    /// Whether a size is a placeholder of a program that does not know the size yet.
    ///
    /// A placeholder is near the maximum of 31 or 32 bits, or greater.
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
        // Packet boundaries count from the start of the data, even if reading starts elsewhere.
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

    /// Skips the rest of the data, which is smaller than a block.
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
            // With an open size, the data end where the stream ends; only an incomplete block is
            // reported.
            guard count > 0 || self.dataEnd != nil else { return .again }
            self.queue.insert(
                .trouble(AudioStreamFailure(.truncated, offset..<window.offset)),
                at: 0
            )
            return .again
        }
        return .event(.trouble(AudioStreamFailure(.garbage, offset..<window.offset)))
    }

    /// Reports the final duration, if everything from the first sample on was read.
    mutating func finish() {
        guard self.isUnbroken, self.dataStart != nil, var format = self.format else { return }
        format.duration = AudioDuration(self.end, self.isCutShort ? .estimated : .exact)
        self.announce(format)
    }

    /// Finds the position in the file after a discontinuity.
    mutating func readDisplaced(_ window: inout ByteWindow) -> ParserStep {
        guard let start = self.dataStart, self.packetSize > 0 else {
            self.state = .start
            return .again
        }
        guard window.offset > start else {
            // The headers are known: skip them.
            window.skip(start - window.offset)
            self.state = .data
            return .again
        }
        if let end = self.dataEnd, window.offset >= end {
            self.state = .rest
            return .again
        }
        // Continue with the next packet boundary, as if there were no discontinuity.
        let within = (window.offset - start) % Int64(self.packetSize)
        if within > 0 { window.skip(Int64(self.packetSize) - within) }
        self.state = .data
        return .again
    }

    /// Reports the format, if it is new.
    mutating func announce(_ format: AudioFormat) {
        guard format != self.format || self.isSilent else { return }
        self.format = format
        self.isSilent = false
        self.queue.append(.format(format))
    }
}
