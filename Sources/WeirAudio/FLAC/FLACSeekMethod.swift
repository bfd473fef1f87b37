// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in a FLAC stream by its seek table, or by bisection.
struct FLACSeekMethod: LinkMethod {
    /// The contents of STREAMINFO; frames that contradict STREAMINFO are ignored.
    private let info: FLACStreamInfo
    /// How many samples each block but the last has, in streams whose headers count frames.
    private let blockSize: Int
    /// Whether the number in a header counts samples even if the header says that it counts frames.
    private let countsSamples: Bool
    private let table: FLACSeekTable
    private let firstFrame: Int64
    private let length: Int64?
    let origin: SampleCount
    let reached: Bisection.Mark

    /// The method of a parser; `nil` without STREAMINFO, or with neither a seek table nor a length.
    ///
    /// - Parameters:
    ///   - parser: the parser, which has passed the metadata.
    ///   - length: the length of the stream in bytes, if known.
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
        self.origin = parser.sectionStart
        self.reached =
            parser.reachedOffset.map {
                Bisection.Mark(offset: $0, start: parser.end - parser.sectionStart)
            } ?? Bisection.Mark(offset: firstFrame, start: 0)
    }

    /// The method of the next stream in a file of joined streams; its marker is at `offset`.
    private init(_ info: FLACStreamInfo, at offset: Int64, _ former: FLACSeekMethod) {
        self.info = info
        self.blockSize = max(1, info.maximumBlockSize)
        self.countsSamples = former.countsSamples
        self.table = FLACSeekTable()
        self.firstFrame = offset
        self.length = former.length
        self.origin = 0
        self.reached = Bisection.Mark(offset: offset, start: 0)
    }

    func next(_ view: ByteView, at offset: Int64) -> FLACSeekMethod? {
        guard view.firstFLACMarker == 0 else { return nil }
        return FLACStreamInfo(view[8..<view.count]).map { FLACSeekMethod($0, at: offset, self) }
    }

    var audibleStart: SampleCount { 0 }

    var sampleRate: Int { self.info.sampleRate }

    var byteEnd: Int64? { self.length }

    var seemsJoined: Bool {
        self.length.map { self.info.isExceeded(by: $0 - self.firstFrame) } ?? false
    }

    /// Whether an end time equals the total that STREAMINFO states.
    ///
    /// Frames of joined streams with the same format look the same, so only the total proves the
    /// end.
    func isTrue(_ end: SampleCount) -> Bool { end.rawValue == self.info.totalSamples }

    var rate: Double? {
        guard self.reached.start > 0, self.reached.offset > self.firstFrame else { return nil }
        return Double(self.reached.offset - self.firstFrame)
            / Double(self.reached.start.rawValue)
    }

    func search(for time: SampleCount) -> any SeekSearching {
        LinkSearch(for: max(0, time - self.origin), self)
    }

    func search(for time: SampleCount, before border: Bisection.Mark?) -> any SeekSearching {
        var target = max(0, time.rawValue)
        let total = border?.start.rawValue ?? self.info.totalSamples
        if let total { target = min(target, total - 1) }
        let end = border?.offset ?? self.length
        let bisection = end.map { end in
            Bisection(
                target: SampleCount(target),
                lower: Bisection.Mark(offset: self.firstFrame, start: 0),
                end: end,
                endStart: total.map { SampleCount($0) }
            )
        }
        let point = self.table.points.isEmpty ? nil : self.mark(before: SampleCount(target))
        return FLACSeekSearch(
            target: SampleCount(target),
            method: self,
            point: point,
            end: end,
            bisection: bisection
        )
    }

    func piece(_ view: ByteView, at offset: Int64) -> LinkPiece {
        let border = view.firstFLACMarker
        let own = view[0..<(border ?? view.count)]
        let places = self.places(in: own, at: offset)
        let last = places.suffix(4).last { place in
            let frame = own[Int(place.mark.offset - offset)..<own.count]
            guard case .found(let header) = FLACFrameHeader.read(frame, info: self.info),
                case .complete = FLACFrameBody.extent(of: header, in: frame)
            else { return false }
            return true
        }
        return LinkPiece(
            marks: places.map(\.mark),
            end: last?.end,
            border: border.map { offset + Int64($0) },
            isForeign: places.isEmpty
        )
    }

    func time(at offset: Int64) -> SeekPoint? {
        let offset = max(offset, self.firstFrame)
        if let point = self.table.point(beforeOffset: offset - self.firstFrame) {
            return SeekPoint(
                offset: self.firstFrame + point.offset,
                start: self.origin + point.start,
                precision: .table
            )
        }
        guard let length = self.length, length > self.firstFrame,
            let total = self.info.totalSamples
        else { return nil }
        let share = Double(offset - self.firstFrame) / Double(length - self.firstFrame)
        let sample = Int64(Double(total) * min(max(share, 0), 1))
        return SeekPoint(
            offset: offset,
            start: self.origin + SampleCount(sample),
            precision: .estimated
        )
    }

    /// The last table point at or before a sample, or the first frame; `nil` if the point is past
    /// the stream's end.
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
    /// The most headers without a neighbour whose frames are checked in one piece.
    private static let maximumFollowed = 16

    private typealias Candidate = (position: Int, header: FLACFrameHeader, start: Int64)

    /// The places of the frames in a piece.
    func marks(in view: ByteView, at offset: Int64) -> [Bisection.Mark] {
        self.places(in: view, at: offset).map(\.mark)
    }

    /// The place of each frame in a piece, and the end of its samples.
    ///
    /// A header is accepted if its CRC-8 matches, the header agrees with STREAMINFO, and a header
    /// near it has the next or the previous number. Of the headers without such a neighbour, only
    /// the first 16 are checked: they are accepted if the frame is valid as a whole, or ends after
    /// the piece. Headers whose samples do not ascend are dropped.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: the offset of the piece in the stream.
    /// - Returns: the places, ascending.
    private func places(
        in view: ByteView,
        at offset: Int64
    ) -> [(mark: Bisection.Mark, end: SampleCount)] {
        let candidates = self.candidates(in: view)
        var places: [(mark: Bisection.Mark, end: SampleCount)] = []
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
            guard isBelieved,
                places.last.map({ $0.mark.start.rawValue < candidate.start }) ?? true
            else { continue }
            let mark = Bisection.Mark(
                offset: offset + Int64(candidate.position),
                start: SampleCount(candidate.start)
            )
            places.append((mark, SampleCount(next)))
        }
        return places
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

extension FLACStreamInfo {
    /// Whether a number of bytes is more than the stream's samples are likely to take.
    ///
    /// The limit is 80 % of the uncompressed size, or 90 % of the size if all frames had the
    /// largest stated size. The lower number counts.
    func isExceeded(by byteCount: Int64) -> Bool {
        guard let total = self.totalSamples else { return false }
        let plain = Double(self.channelCount * self.bitsPerSample) / 8
        let block = Double(max(1, self.maximumBlockSize))
        let largest = self.maximumFrameSize.map { Double($0) / block }
        let limit = min(plain * 0.8, (largest ?? plain) * 0.9)
        return Double(byteCount) > limit * Double(total)
    }
}

extension ByteView {
    /// How many bytes show that a FLAC stream begins: the marker and a STREAMINFO block.
    static var flacStartByteCount: Int { 8 + FLACStreamInfo.byteCount }

    /// Whether the marker of a FLAC stream and a valid STREAMINFO block are at the front (RFC 9639
    /// §6).
    var beginsFLACStream: Bool {
        self.count >= Self.flacStartByteCount && self.matches("fLaC") && self[4] & 0x7F == 0
            && self.big24(5) == FLACStreamInfo.byteCount
            && FLACStreamInfo(self[8..<self.count]) != nil
    }

    /// The position of the first FLAC stream that begins in this view; `nil` if no stream begins in
    /// it.
    fileprivate var firstFLACMarker: Int? {
        var position = 0
        while let found = self.firstIndex(of: UInt8(ascii: "f"), from: position) {
            position = found + 1
            guard self.count - found >= Self.flacStartByteCount else { return nil }
            if self[found..<self.count].beginsFLACStream { return found }
        }
        return nil
    }
}
