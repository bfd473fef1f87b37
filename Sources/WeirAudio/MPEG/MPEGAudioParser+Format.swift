// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGAudioParser {
    /// The format, as far as known now.
    func format(_ header: MPEGFrameHeader) -> AudioFormat {
        var format = AudioFormat(
            container: .mpegAudio,
            codec: .mpegLayer(header.layer),
            sampleRate: header.sampleRate,
            channelCount: header.channelCount
        )
        format.section = self.section
        format.samplesPerPacket = header.sampleCount
        format.trim = self.piece?.trim
        format.bitRate = self.bitRate(header)
        format.duration = self.duration(header)
        return format
    }

    /// Whether the parser counted everything, from the first frame to the end.
    var isCounted: Bool { self.tally.isFinished }

    /// The bit rate that all frames so far have; `nil` if their rates differ.
    func constantBitRate(_ header: MPEGFrameHeader) -> Int? {
        guard let kilobits = self.constantRate else { return nil }
        if kilobits > 0 { return kilobits * 1000 }
        // Free format: the size gives the rate, rounded down to slots of up to four bytes.
        return self.sync.freeSize * 8 * header.sampleRate / header.sampleCount
    }

    private func bitRate(_ header: MPEGFrameHeader) -> AudioBitRate? {
        let tag = self.piece?.tag
        // A tag describes only its own bytes; its counts are ignored once they were found wrong.
        let isBelieved = tag.map { $0.isFrameCountBelieved && !$0.isPart } ?? false
        let varies = tag.map { $0.kind != .info } ?? false
        if let constant = self.constantBitRate(header), self.isCounted || !varies {
            let isCertain = self.isCounted || (isBelieved && tag?.kind == .info)
            return AudioBitRate(constant, isCertain ? .constant : .measured)
        }
        if self.isCounted, let average = self.tally.average(sampleRate: header.sampleRate) {
            return AudioBitRate(average, .average)
        }
        if isBelieved, let (bytes, samples) = self.claimedRate(header),
            let rate = bytes.scaled(by: 8 * Int64(header.sampleRate), over: samples)
        {
            return AudioBitRate(Int(rate), .average)
        }
        return self.tally.average(sampleRate: header.sampleRate).map { AudioBitRate($0, .measured) }
    }

    /// The bytes and samples of the whole stream, or of a part of it, according to the tag.
    func claimedRate(_ header: MPEGFrameHeader) -> (bytes: Int64, samples: Int64)? {
        guard let tag = self.piece?.tag, let range = self.piece?.tagRange,
            let frames = tag.frameCount,
            let bytes = tag.byteCount ?? self.length.map({ $0 - range.lowerBound }), bytes > 0
        else { return nil }
        return (bytes, frames * Int64(header.sampleCount))
    }

    private func duration(_ header: MPEGFrameHeader) -> AudioDuration? {
        if self.isCounted {
            // Missing frames at the end were not counted.
            let certainty: AudioDuration.Certainty = self.isCutShort ? .estimated : .exact
            return AudioDuration(SampleCount(self.tally.samples - self.tally.trimmed), certainty)
        }
        if let duration = self.outline?.duration(sampleRate: header.sampleRate) { return duration }
        if let declared = self.piece?.declared, self.piece?.tag?.isPart == true {
            return self.durationBehind(declared, header)
        }
        if let declared = self.piece?.declared {
            guard self.section > 0 else {
                return AudioDuration(SampleCount(declared), self.certaintyOfTag(header))
            }
            // The heard samples of earlier pieces are known; later pieces are unknown.
            let base = self.piece?.base ?? 0
            return AudioDuration(
                SampleCount(max(0, base - self.tally.trimmed) + declared),
                .estimated
            )
        }
        guard let length = self.length, let first = self.first, length > first.offset,
            let end = self.likelyEnd(header, first, length)
        else { return nil }
        return AudioDuration(max(0, end - SampleCount(self.piece?.leading ?? 0)), .estimated)
    }

    /// How certain it is that nothing follows the part that a tag describes.
    private func certaintyOfTag(_ header: MPEGFrameHeader) -> AudioDuration.Certainty {
        guard let length = self.length, let piece = self.piece, let first = self.first,
            piece.tag?.isOfAllBytes != true
        else { return .declared }
        // The tag counts only frames; at a constant rate, they give the number of bytes.
        let frames = (piece.bounds.end - piece.base) / piece.frame
        guard !header.isFreeFormat, self.constantBitRate(header) != nil,
            let bytes = header.byteCount(of: frames)
        else { return .estimated }
        return abs(length - first.offset - bytes) <= 32 << 10 ? .declared : .estimated
    }

    /// The duration of a stream that continues after its tag's part.
    ///
    /// The estimate assumes the same rate for the rest.
    private func durationBehind(_ declared: Int64, _ header: MPEGFrameHeader) -> AudioDuration? {
        guard let piece = self.piece, let end = piece.bytesEnd, let length = self.length,
            let claimed = self.claimedRate(header)
        else { return nil }
        let rest = max(0, length - end).scaled(by: claimed.samples, over: claimed.bytes) ?? 0
        let heard = max(0, piece.base - self.tally.trimmed)
        return AudioDuration(SampleCount(heard &+ declared &+ rest), .estimated)
    }

    /// The best estimate of the time at which the stream ends.
    private func likelyEnd(
        _ header: MPEGFrameHeader,
        _ first: Bisection.Mark,
        _ length: Int64
    ) -> SampleCount? {
        let left = length - first.offset
        if let density = self.density(header), self.tally.isSteady(density),
            let constant = self.constantBitRate(header)
        {
            return left.scaled(by: 8 * Int64(header.sampleRate), over: Int64(constant)).map {
                first.start + SampleCount($0)
            }
        }
        // A tag whose count of frames is not believed still gives a rate.
        if self.piece?.tag?.kind != .info, let claimed = self.claimedRate(header) {
            return left.scaled(by: claimed.samples, over: claimed.bytes).map {
                first.start + SampleCount($0)
            }
        }
        return self.tally.places(from: first, to: length, at: nil, density: nil).last?.start
    }

    /// How many samples a byte holds, if the number was the same in all frames up to now.
    func density(_ header: MPEGFrameHeader) -> Double? {
        guard let constant = self.constantBitRate(header), constant > 0,
            self.piece?.tag.map({ $0.kind == .info }) ?? true
        else { return nil }
        return Double(8 * header.sampleRate) / Double(constant)
    }
}
