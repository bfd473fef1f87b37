// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FLACParser {
    /// Looks for the marker before the metadata; there is no marker if reading starts in the
    /// middle.
    mutating func readStart(_ window: inout ByteWindow) -> ParserStep {
        let view = window.peek(upTo: 4)
        guard view.count == 4 || window.isAtEnd else { return .needsMore }
        if view.matches("fLaC") { return self.enterMetadata(&window) }
        self.state = .boundary
        return .again
    }

    /// Passes the marker.
    ///
    /// A second marker, after frames, begins a new section: two files were joined.
    mutating func enterMetadata(_ window: inout ByteWindow) -> ParserStep {
        if self.markerOffset == nil { self.markerOffset = window.offset }
        if self.markerOffset != window.offset, self.format != nil {
            self.section += 1
            self.sectionStart = self.end
        } else {
            self.section = 0
            self.sectionStart = .zero
        }
        self.info = nil
        self.seekTable = FLACSeekTable()
        self.firstFrameOffset = nil
        self.reachedOffset = nil
        self.nominalBlockSize = nil
        self.countsSamples = false
        self.expectedNumber = nil
        self.hasPackets = false
        self.blocks = 0
        self.isLastBlock = false
        self.pass(4, &window)
        self.state = .block
        return .again
    }

    /// Reads a metadata block (RFC 9639 §8.1), or skips it.
    ///
    ///     last 1 | type 7 | length 24 | …
    mutating func readBlock(_ window: inout ByteWindow) -> ParserStep {
        if self.isLastBlock { return self.finishMetadata(window.offset) }
        guard let view = window.peek(4) else { return self.cutShort(&window) }
        let type = view[0] & 0x7F
        let isLast = view[0] & 0x80 != 0
        let stated = Int(view.big24(1))
        // STREAMINFO always has the same size, even if its header states another one.
        let size = type == 0 ? FLACStreamInfo.byteCount : stated
        let range = window.offset..<window.offset + Int64(4 + size)
        guard type < 7, range.upperBound <= self.length ?? .max else {
            // The type is reserved, or the block ends past the end of the stream: most likely the
            // previous block stated a wrong length. The parser looks for the first frame; it loses
            // later blocks, but no audio.
            self.state = .lost(from: window.offset, .contradiction)
            return .again
        }
        switch type {
        case 0 where self.info == nil: return self.readStreamInfo(size == stated, isLast, &window)
        case 3:
            self.enter(range, isLast)
            self.pass(4, &window)
            self.state = .seekPoints(remaining: size)
            return .again
        case 4, 5, 6:
            guard size <= self.limits.tag else {
                self.queue.append(.trouble(AudioStreamFailure(.tooLarge, range)))
                break
            }
            guard let view = window.peek(4 + size) else { return self.cutShort(&window) }
            let tags = self.tags(type, view[4..<4 + size], range)
            if let layout = tags?.channelLayout(of: self.format?.channelCount),
                var format = self.format
            {
                format.channelLayout = layout
                self.announce(format)
            }
            self.queue.append(
                tags.map { .tags($0) } ?? .trouble(AudioStreamFailure(.badTag, range))
            )
        case 0:
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, range)))
        default: break
        }
        self.enter(range, isLast)
        window.skip(Int64(4 + size))
        self.gain(4 + size)
        return .again
    }

    /// Keeps the points of a seek table.
    mutating func readSeekPoints(_ remaining: Int, _ window: inout ByteWindow) -> ParserStep {
        guard remaining >= FLACSeekTable.pointByteCount else {
            window.skip(Int64(remaining))
            self.state = .block
            return .again
        }
        guard let view = window.peek(FLACSeekTable.pointByteCount) else {
            return self.cutShort(&window)
        }
        self.seekTable.append(view)
        self.pass(FLACSeekTable.pointByteCount, &window)
        self.state = .seekPoints(remaining: remaining - FLACSeekTable.pointByteCount)
        return .again
    }

    // MARK: Blocks

    private mutating func enter(_ range: Range<Int64>, _ isLast: Bool) {
        self.block = range
        self.isLastBlock = isLast
        self.blocks += 1
    }

    private mutating func readStreamInfo(
        _ isSized: Bool,
        _ isLast: Bool,
        _ window: inout ByteWindow
    ) -> ParserStep {
        let size = 4 + FLACStreamInfo.byteCount
        guard let view = window.peek(size) else { return self.cutShort(&window) }
        let range = window.offset..<window.offset + Int64(size)
        self.info = FLACStreamInfo(view[4..<size])
        // STREAMINFO must come first (§8.2); the parser accepts a later one too.
        if self.info == nil || self.blocks > 0 || !isSized {
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, range)))
        }
        if let info = self.info {
            self.nominalBlockSize = info.isFixedBlockSize ? info.maximumBlockSize : nil
            self.announce(self.described(by: info))
        }
        self.enter(range, isLast)
        self.pass(size, &window)
        return .again
    }

    private func tags(_ type: UInt8, _ view: ByteView, _ range: Range<Int64>) -> AudioTags? {
        var tags = AudioTags(kind: .vorbisComment, range: range)
        switch type {
        case 4: return .vorbisComment(view, range: range)
        case 5:
            guard let rate = self.info?.sampleRate,
                let chapters = AudioChapter.chapters(ofCueSheet: view, sampleRate: rate)
            else { return nil }
            tags.chapters = chapters
        default:
            guard let picture = AudioPicture(flacBlock: view) else { return nil }
            tags.pictures = [picture]
        }
        return tags
    }

    /// Ends the stream within the metadata, or asks for more bytes.
    private mutating func cutShort(_ window: inout ByteWindow) -> ParserStep {
        guard window.isAtEnd else { return .needsMore }
        let start = window.endsInSkip ? self.block.lowerBound : window.offset
        self.pass(window.count, &window)
        self.state = .end
        return .event(.trouble(AudioStreamFailure(.truncated, start..<window.offset)))
    }

    /// Ends the metadata; the first frame should start at the offset.
    private mutating func finishMetadata(_ offset: Int64) -> ParserStep {
        self.firstFrameOffset = offset
        self.state = .boundary
        self.isUnbroken = self.sectionStart == .zero
        guard let info = self.info else {
            self.queue.append(.trouble(AudioStreamFailure(.contradiction, offset..<offset)))
            return .again
        }
        if var format = self.format, let length = self.length, length > offset,
            let samples = format.duration?.samples.rawValue, samples > 0
        {
            let bits = Double(length - offset) * 8 * Double(format.sampleRate) / Double(samples)
            let plain = format.sampleRate * info.channelCount * info.bitsPerSample
            // A rate above the rate of uncompressed samples means that other data follow the
            // stream.
            if bits < 0x1p40, bits <= Double(plain) {
                format.bitRate = AudioBitRate(Int(bits), .average)
            }
            self.announce(format)
        }
        return .again
    }

    // MARK: The format

    /// The format that STREAMINFO describes.
    private func described(by info: FLACStreamInfo) -> AudioFormat {
        var format = AudioFormat(
            container: .flac,
            codec: .flac,
            sampleRate: info.sampleRate,
            channelCount: info.channelCount
        )
        format.section = self.section
        format.channelLayout = .standard(info.channelCount)
        format.bitsPerSample = info.bitsPerSample
        format.configuration = info.bytes
        format.samplesPerPacket = info.isFixedBlockSize ? info.maximumBlockSize : nil
        format.duration = info.totalSamples.map { AudioDuration(SampleCount($0), .declared) }
        return format
    }

    /// Reports the format, if it is new.
    mutating func announce(_ format: AudioFormat) {
        guard format != self.format else { return }
        self.format = format
        self.queue.append(.format(format))
    }
}
