// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGAudioParser {
    func seekMap(length: Int64?) -> SeekMap? {
        guard let header = self.sync.pattern, let first = self.first else { return nil }
        let length = length ?? self.length
        var endStart: SampleCount?
        if self.isCounted {
            endStart = self.tally.end
        } else if let end = self.piece?.bounds.end, end != .max {
            endStart = SampleCount(end)
        }
        return SeekMap(
            FrameSeekMethod(
                pattern: header,
                freeSize: self.sync.freeSize,
                first: first,
                end: self.isCounted ? self.tally.endOffset : length,
                endStart: endStart,
                tally: self.tally,
                rate: self.rate(header, first, length)
            )
        )
    }

    private func rate(
        _ header: MPEGFrameHeader,
        _ first: Bisection.Mark,
        _ length: Int64?
    ) -> FrameSeekMethod<MPEGFrameHeader>.Rate {
        let tag = self.piece?.tag
        // The size of a frame in free format is not an exact measure of its bit rate.
        if let constant = self.constantBitRate(header), constant % 1000 == 0,
            tag?.kind == .info || (self.isCounted && tag == nil)
        {
            return .constant(bytes: Int64(constant), samples: 8 * Int64(header.sampleRate))
        }
        if let table = self.table(header, first, length) { return .table(table) }
        return .measured(density: self.density(header))
    }

    /// The places that a tag's table tells of.
    private func table(
        _ header: MPEGFrameHeader,
        _ first: Bisection.Mark,
        _ length: Int64?
    ) -> [Bisection.Mark]? {
        guard let piece = self.piece, let tag = piece.tag, let range = piece.tagRange,
            !tag.table.isEmpty,
            let frames = tag.frameCount
        else { return nil }
        let total = frames * Int64(header.sampleCount)
        let start = range.lowerBound
        guard let bytes = tag.byteCount ?? length.map({ $0 - start }), bytes > 0 else { return nil }
        var marks = [Bisection.Mark(offset: first.offset, start: SampleCount(piece.base))]
        for (index, entry) in tag.table.enumerated() {
            let isVBRI = tag.kind == .vbri
            // Xing counts from the frame with the tag on, in 256ths; VBRI from the one behind it.
            let offset = isVBRI ? range.upperBound + entry : start + entry * bytes / 256
            let time =
                isVBRI
                ? Int64(index) * tag.framesPerEntry * Int64(header.sampleCount)
                : Int64(index) * total / 100
            guard let last = marks.last, piece.base + time > last.start.rawValue, time < total
            else { continue }
            let mark = Bisection.Mark(
                offset: max(offset, last.offset),
                start: SampleCount(piece.base + time)
            )
            marks.append(mark)
        }
        let end = start.addingReportingOverflow(bytes).partialValue
        if let last = marks.last, piece.base + total > last.start.rawValue {
            marks.append(
                Bisection.Mark(
                    offset: max(end, last.offset),
                    start: SampleCount(piece.base + total)
                )
            )
        }
        return marks
    }
}
