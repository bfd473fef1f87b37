// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGAudioParser {
    func seekMap(length: Int64?) -> SeekMap? {
        guard let pattern = self.sync.pattern, let first = self.first else { return nil }
        // The first frame may hold a tag, at another bit rate than the audio frames.
        let header = self.sync.header.flatMap { $0.agrees(with: pattern) ? $0 : nil } ?? pattern
        let length = length ?? self.length
        let outline = self.isCounted ? nil : self.outline(from: first, header, length)
        var endStart: SampleCount?
        if self.isCounted {
            endStart = self.tally.end
        } else if let end = self.piece?.bounds.end, end != .max, self.hasByteCount || length == nil
        {
            endStart = SampleCount(end)
        }
        var end = self.isCounted ? self.tally.endOffset : length
        if let extent = outline?.parts.first?.extent { end = min(extent.end, end ?? extent.end) }
        let here = FrameSeekMethod(
            pattern: header,
            freeSize: self.sync.freeSize,
            first: first,
            end: end,
            endStart: endStart,
            tally: self.tally,
            rate: self.rate(header, first, length)
        )
        guard let outline, let piece = self.piece, let extent = outline.parts.first?.extent else {
            return SeekMap(here)
        }
        let origin = SampleCount(piece.base &+ extent.leading)
        return SeekMap(MPEGSeekMethod(here: here, outline: outline, origin: origin))
    }

    /// The current part of the stream and the later ones; `nil` if no tag says where the part ends.
    private func outline(
        from first: Bisection.Mark,
        _ header: MPEGFrameHeader,
        _ length: Int64?
    ) -> MPEGOutline? {
        guard let length, let piece = self.piece, let tag = piece.tag, let range = piece.tagRange,
            first.offset >= range.upperBound, var extent = tag.extent(range, sound: header)
        else { return nil }
        if let known = self.outline,
            let index = known.parts.firstIndex(where: { $0.tagRange == range })
        {
            var rest = known
            rest.parts.removeFirst(index)
            rest.landing = nil
            return rest
        }
        // iTunes may state the delays if the tag does not.
        if tag.delay == nil {
            extent.leading = piece.leading
            extent.trailing = piece.trailing ?? 0
        }
        var part = MPEGPart(
            tagRange: range,
            first: first.offset,
            header: header,
            tag: tag,
            extent: extent
        )
        // An ID3v1 tag may follow.
        part.isProved = extent.end >= length - 128
        return MPEGOutline(parts: [part], isComplete: part.isProved, length: length)
    }

    private func rate(
        _ header: MPEGFrameHeader,
        _ first: Bisection.Mark,
        _ length: Int64?
    ) -> FrameSeekMethod<MPEGFrameHeader>.Rate {
        let tag = self.piece?.tag
        // The size of a frame in free format is not an exact measure of its bit rate.
        if let constant = self.constantBitRate(header), constant % 1000 == 0,
            self.hasConstantTag(header) || (self.isCounted && tag == nil)
        {
            return .constant(bytes: Int64(constant), samples: 8 * Int64(header.sampleRate))
        }
        if let piece = self.piece, let tag, let range = piece.tagRange, let frames = tag.frameCount,
            let bytes = tag.byteCount,
            let marks = tag.marks(
                tagRange: range,
                first: Bisection.Mark(offset: first.offset, start: SampleCount(piece.base)),
                samples: frames * Int64(header.sampleCount),
                bytes: bytes,
                frame: Int64(header.sampleCount)
            )
        {
            return .table(marks)
        }
        return .measured(density: self.density(header))
    }

    /// Whether the tag states a byte count; `true` without a tag.
    private var hasByteCount: Bool { self.piece?.tag.map { $0.byteCount != nil } ?? true }

    /// Whether a tag declares a constant bit rate, and its frame and byte counts match this rate.
    private func hasConstantTag(_ header: MPEGFrameHeader) -> Bool {
        guard let piece = self.piece, var tag = piece.tag, tag.kind == .info,
            let range = piece.tagRange, tag.isFrameCountBelieved || tag.isCutShort
        else { return false }
        // The tag describes the stream even if the stream is cut short.
        tag.isFrameCountBelieved = true
        let part = MPEGPart(
            tagRange: range,
            first: range.upperBound,
            header: header,
            tag: tag,
            extent: tag.extent(range, sound: header)
        )
        return part.isConstant
    }
}
