// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How times are found in a FLAC stream: by its seek table, or by bisection.
struct FLACSeekMethod: SeekMethod {
    /// What STREAMINFO says; frames that say otherwise are none.
    private let info: FLACStreamInfo
    /// How many samples a block but the last has, in streams that count frames.
    private let blockSize: Int
    /// Whether the number in a header counts samples, whatever the header says.
    private let countsSamples: Bool
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
        self.info = info
        self.blockSize = parser.nominalBlockSize ?? max(1, info.maximumBlockSize)
        self.countsSamples = parser.countsSamples
        self.table = parser.seekTable
        self.firstFrame = firstFrame
        self.length = length.map { max($0, firstFrame) }
    }

    func search(for time: SampleCount) -> any SeekSearching {
        var target = max(0, time.rawValue)
        if let total = self.info.totalSamples { target = min(target, total - 1) }
        let bisection = self.length.map { length in
            Bisection(
                target: SampleCount(target),
                lower: Bisection.Mark(offset: self.firstFrame, start: 0),
                end: length,
                endStart: self.info.totalSamples.map { SampleCount($0) }
            )
        }
        let point = self.table.points.isEmpty ? nil : self.mark(before: SampleCount(target))
        return FLACSeekSearch(
            target: SampleCount(target),
            method: self,
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
                start: point.start,
                precision: .table
            )
        }
        guard let length = self.length, length > self.firstFrame,
            let total = self.info.totalSamples
        else { return nil }
        let share = Double(offset - self.firstFrame) / Double(length - self.firstFrame)
        let sample = Int64(Double(total) * min(max(share, 0), 1))
        return SeekPoint(offset: offset, start: SampleCount(sample), precision: .estimated)
    }

    /// The last point of the table at or before a sample, or the first frame; `nil` if it is past the stream's end.
    private func mark(before sample: SampleCount) -> Bisection.Mark? {
        guard let point = self.table.point(before: sample) else {
            return Bisection.Mark(offset: self.firstFrame, start: 0)
        }
        let offset = self.firstFrame + point.offset
        guard offset < self.length ?? .max else { return nil }
        return Bisection.Mark(offset: offset, start: point.start)
    }
}

/// Recognises the frames in a piece of the stream.
extension FLACSeekMethod {
    /// How many frames without a neighbour are followed through their structure, at most, in a piece.
    private static let maximumFollowed = 16

    private typealias Candidate = (position: Int, header: FLACFrameHeader, start: Int64)

    /// Where frames start in a piece.
    ///
    /// A header is believed if its CRC-8 fits, it agrees with STREAMINFO, and another one near it bears the following
    /// number or the one before. One by itself is believed if the frame passes as a whole, or ends behind the piece.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: where it is in the stream.
    /// - Returns: the places, ascending.
    func marks(in view: ByteView, at offset: Int64) -> [Bisection.Mark] {
        let candidates = self.candidates(in: view)
        var marks: [Bisection.Mark] = []
        var followed = 0
        for index in candidates.indices {
            let candidate = candidates[index]
            let near = candidates[max(0, index - 3)..<min(candidates.count, index + 4)]
            let next = candidate.start + Int64(candidate.header.blockSize)
            var isBelieved = near.contains { other in
                other.position > candidate.position
                    ? other.start == next
                    : other.start + Int64(other.header.blockSize) == candidate.start
            }
            if !isBelieved, followed < Self.maximumFollowed {
                followed += 1
                let rest = view[candidate.position..<view.count]
                if case .invalid = FLACFrameBody.extent(of: candidate.header, in: rest) {
                    isBelieved = false
                } else {
                    isBelieved = true
                }
            }
            guard isBelieved, marks.last.map({ $0.start.rawValue < candidate.start }) ?? true else {
                continue
            }
            marks.append(
                Bisection.Mark(
                    offset: offset + Int64(candidate.position),
                    start: SampleCount(candidate.start)
                )
            )
        }
        return marks
    }

    private func candidates(in view: ByteView) -> [Candidate] {
        var candidates: [Candidate] = []
        var position = 0
        while let found = view.firstFLACSync(from: position) {
            position = found + 1
            let rest = view[found..<min(view.count, found + FLACFrameHeader.maximumByteCount)]
            guard case .found(let header) = FLACFrameHeader.read(rest, info: self.info),
                header.agrees(with: self.info)
            else { continue }
            let counts = header.isVariable || self.countsSamples
            guard counts || header.blockSize <= self.blockSize else { continue }
            let start = Int64(header.number) * (counts ? 1 : Int64(self.blockSize))
            guard start < self.info.totalSamples ?? .max else { continue }
            candidates.append((found, header, start))
        }
        return candidates
    }
}
