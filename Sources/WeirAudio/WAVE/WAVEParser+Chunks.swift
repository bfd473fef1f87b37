// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension WAVEParser {
    /// Reads the first twelve bytes.
    mutating func readStart(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        guard let view = window.peek(12) else {
            guard window.isAtEnd else { return .needsMore }
            throw AudioStreamError(
                .ended,
                at: window.offset,
                "The WAVE file ends in its first header"
            )
        }
        let isLong = view.matches("RF64") || view.matches("BW64")
        self.isBig = view.matches("RIFX")
        guard isLong || self.isBig || view.matches("RIFF"), view.matches("WAVE", at: 8) else {
            throw AudioStreamError(
                .unrecognized,
                at: window.offset,
                "The bytes are not a WAVE file"
            )
        }
        window.drop(12)
        self.state = .chunk
        return .again
    }

    /// Reads a chunk, or skips it.
    mutating func readChunk(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        guard let view = window.peek(8) else {
            return window.isAtEnd ? try self.end(in: &window) : .needsMore
        }
        let size = self.isBig ? view.big(4, UInt32.self) : view.little(4, UInt32.self)
        let range = window.offset..<window.offset + 8 + Int64(size)
        guard (0..<4).allSatisfy({ view[$0] >= 0x20 && view[$0] < 0x7F }) else {
            self.state = .lost(from: window.offset)
            return .again
        }
        if view.matches("data") {
            try self.enterData(size, &window)
            return .again
        }
        guard range.upperBound <= self.length ?? .max else {
            self.state = .lost(from: window.offset)
            return .again
        }
        if view.matches("fmt ") {
            let needed = 8 + min(Int(size), WAVEFormatChunk.maximumByteCount)
            guard let view = window.peek(needed) else {
                return window.isAtEnd ? try self.end(in: &window) : .needsMore
            }
            try self.readFormat(view[8..<needed], range)
        } else if view.matches("ds64"), size >= 16 {
            guard let view = window.peek(24) else {
                return window.isAtEnd ? try self.end(in: &window) : .needsMore
            }
            self.longDataSize = Int64(exactly: view.little(16, UInt64.self))
        } else if view.matches("LIST"), size >= 4 {
            guard size <= self.limits.tag else {
                self.queue.append(.trouble(AudioStreamFailure(.tooLarge, range)))
                return self.skip(range, &window)
            }
            guard let view = window.peek(8 + Int(size)) else {
                return window.isAtEnd ? try self.end(in: &window) : .needsMore
            }
            if let fields = AudioTags.fields(
                ofInfoList: view[8..<8 + Int(size)],
                isBig: self.isBig
            ) {
                var tags = AudioTags(kind: .riff, range: range)
                tags.fields = fields
                self.queue.append(.tags(tags))
            }
        } else if view.matches("bext"), size >= AudioTags.broadcastCount {
            guard let view = window.peek(8 + AudioTags.broadcastCount) else {
                return window.isAtEnd ? try self.end(in: &window) : .needsMore
            }
            var tags = AudioTags(kind: .riff, range: range)
            tags.fields = AudioTags.fields(ofBroadcast: view[8..<view.count])
            if !tags.fields.isEmpty { self.queue.append(.tags(tags)) }
        } else if view.matches("id3 ") || view.matches("ID3 ") {
            window.drop(8)
            self.state = .tag(range)
            return .again
        }
        return self.skip(range, &window)
    }

    /// Reads the tag in an ID3 chunk.
    mutating func readTag(_ range: Range<Int64>, _ window: inout ByteWindow) -> ParserStep {
        let step: ParserStep
        switch self.tagReader.read(&window) {
        case .needsMore where !window.isAtEnd: return .needsMore
        case .needsMore, .none: step = .again
        case .found(let event): step = .event(event)
        }
        // Use a new reader: a pending trouble event of the old one must not count for the next ID3
        // chunk.
        self.tagReader = TagReader(limits: self.limits, length: self.length)
        // A tag may be shorter than its chunk. If it is longer, the parser continues at the end of
        // the tag.
        window.skip(max(0, range.upperBound - window.offset))
        self.state = (range.upperBound - range.lowerBound) & 1 == 0 ? .chunk : .padding
        return step
    }

    /// Skips the padding byte after a chunk with an odd size; some writers omit it, so a byte other
    /// than zero is kept.
    mutating func readPadding(_ window: inout ByteWindow) -> ParserStep {
        guard let view = window.peek(1) else {
            if window.isAtEnd { self.state = .chunk }
            return window.isAtEnd ? .again : .needsMore
        }
        if view[0] == 0 { window.drop(1) }
        self.state = .chunk
        return .again
    }

    /// Looks for a `fmt ` or `data` chunk after bytes that are not a chunk.
    mutating func findChunk(_ from: Int64, _ window: inout ByteWindow) throws(AudioStreamError)
        -> ParserStep
    {
        if self.dataStart != nil {
            // The parser needs nothing after the data.
            window.drop(window.count)
            guard window.isAtEnd else { return .needsMore }
            let trouble = AudioStreamFailure(.garbage, from..<max(from, window.offset))
            self.state = .rest
            self.finish()
            self.queue.insert(.trouble(trouble), at: 0)
            return .again
        }
        while true {
            let view = window.peek(upTo: 4096)
            guard view.count >= 4 else {
                guard window.isAtEnd else { return .needsMore }
                window.drop(view.count)
                return try self.end(in: &window)
            }
            // Do not examine the byte again where the chunk was lost.
            let first = window.offset == from ? 1 : 0
            var found = first
            while found <= view.count - 4, !view.matches("fmt ", at: found),
                !view.matches("data", at: found)
            {
                found += 1
            }
            guard found <= view.count - 4 else {
                guard view.count > 4 || first == 0 || window.isAtEnd else { return .needsMore }
                window.drop(max(1, view.count - 3))
                continue
            }
            window.drop(found)
            self.state = .chunk
            return .event(.trouble(AudioStreamFailure(.garbage, from..<window.offset)))
        }
    }

    // MARK: Parts

    private mutating func readFormat(_ view: ByteView, _ range: Range<Int64>)
        throws(AudioStreamError)
    {
        guard self.chunk == nil else {
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, range)))
            return
        }
        let chunk = try WAVEFormatChunk(view, isBig: self.isBig, at: range.lowerBound)
        guard chunk.blockSize <= self.limits.packet else {
            throw AudioStreamError(
                .limit,
                at: range.lowerBound,
                "A block of the WAVE file exceeds the limit"
            )
        }
        self.chunk = chunk
        var format = AudioFormat(
            container: .wave,
            codec: .pcm(chunk.layout),
            sampleRate: chunk.sampleRate,
            channelCount: chunk.channelCount
        )
        format.channelLayout = chunk.channelLayout
        format.bitsPerSample = chunk.validBits
        format.samplesPerPacket = max(1, Self.packetSize / chunk.blockSize)
        format.bitRate = AudioBitRate(chunk.blockSize * chunk.sampleRate * 8, .constant)
        // The parser reports the format with its duration when it reaches the data: nothing can be
        // played before.
        self.format = format
    }

    private mutating func skip(_ range: Range<Int64>, _ window: inout ByteWindow) -> ParserStep {
        window.skip(range.upperBound - range.lowerBound)
        self.state = (range.upperBound - range.lowerBound) & 1 == 0 ? .chunk : .padding
        return .again
    }

    /// Handles the end of the stream where a chunk should be.
    private mutating func end(in window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        guard self.dataStart != nil else {
            throw AudioStreamError(.ended, at: window.offset, "The WAVE file ends before its data")
        }
        let offset = window.offset
        window.drop(window.count)
        self.state = .rest
        self.finish()
        if offset < window.offset || window.endsInSkip {
            self.queue.insert(
                .trouble(AudioStreamFailure(.truncated, offset..<window.offset)),
                at: 0
            )
        }
        return .again
    }
}
