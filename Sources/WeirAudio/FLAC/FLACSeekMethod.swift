// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How times are found in a FLAC stream: by its seek table, or by bisection.
struct FLACSeekMethod: SeekMethod {
    private let probe: FLACProbe
    private let table: FLACSeekTable
    private let firstFrame: Int64
    private let length: Int64?

    /// What a parser knows by now; nothing without STREAMINFO, or with neither a table nor a length.
    ///
    /// - Parameters:
    ///   - parser: has passed the metadata.
    ///   - length: of the stream in bytes, if known.
    init?(_ parser: FLACParser, length: Int64?) {
        guard let info = parser.info, let firstFrame = parser.firstFrameOffset,
            length != nil || !parser.seekTable.points.isEmpty
        else { return nil }
        self.probe = FLACProbe(
            info: info,
            blockSize: parser.nominalBlockSize ?? max(1, info.maximumBlockSize),
            countsSamples: parser.countsSamples
        )
        self.table = parser.seekTable
        self.firstFrame = firstFrame
        self.length = length.map { max($0, firstFrame) }
    }

    func search(for time: SampleCount) -> any SeekSearching {
        var target = max(0, time.rawValue)
        if let total = self.probe.info.totalSamples { target = min(target, total - 1) }
        let bisection = self.length.map { length in
            Bisection(
                target: SampleCount(target),
                lower: Bisection.Mark(offset: self.firstFrame, start: 0),
                end: length,
                endStart: self.probe.info.totalSamples.map { SampleCount($0) }
            )
        }
        let point = self.table.points.isEmpty ? nil : self.mark(before: target)
        return FLACSeekSearch(
            target: SampleCount(target),
            probe: self.probe,
            point: point,
            end: self.length,
            bisection: bisection
        )
    }

    func time(at offset: Int64) -> SeekPoint? {
        let offset = max(offset, self.firstFrame)
        if let point = self.table.point(beforeOffset: offset - self.firstFrame) {
            return SeekPoint(
                offset: self.firstFrame + point.offset,
                start: SampleCount(point.sample),
                precision: .table
            )
        }
        guard let length = self.length, length > self.firstFrame,
            let total = self.probe.info.totalSamples
        else { return nil }
        let share = Double(offset - self.firstFrame) / Double(length - self.firstFrame)
        let sample = Int64(Double(total) * min(max(share, 0), 1))
        return SeekPoint(offset: offset, start: SampleCount(sample), precision: .estimated)
    }

    /// The last point of the table at or before a sample, or the first frame; `nil` if it is past the stream's end.
    private func mark(before sample: Int64) -> Bisection.Mark? {
        guard let point = self.table.point(before: sample) else {
            return Bisection.Mark(offset: self.firstFrame, start: 0)
        }
        let offset = self.firstFrame + point.offset
        guard offset < self.length ?? .max else { return nil }
        return Bisection.Mark(offset: offset, start: SampleCount(point.sample))
    }
}
