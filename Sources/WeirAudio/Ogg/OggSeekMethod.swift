// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a logical stream of Ogg finds a time: by looking at granule positions.
///
/// What is found is a page from which the packet that holds the time can be had, and in Vorbis the packet before it,
/// which it is decoded with. Opus wants to be decoded from ``opusPreRoll`` before what is to be heard (RFC 7845 §4.6):
/// the caller asks for that time.
///
/// Only the present stream is searched. Pages of others are passed over, so in a chained stream of which the end of the
/// present section is not known, more looks are needed; where sections share a serial number it may be missed.
struct OggSeekMethod: SeekMethod {
    /// How much earlier than what is to be heard Opus is to be decoded: 80 ms, in samples at 48 kHz.
    static let opusPreRoll: SampleCount = 3840

    /// The serial number of the stream.
    let serial: UInt32
    /// How packets and granule positions stand for time.
    let timing: OggTiming
    /// Where its first audio page is, and when its first packet starts.
    let first: Bisection.Mark
    /// The furthest page that was read: where it ends, and when its last packet does.
    let last: Bisection.Mark
    /// Where the stream ends in bytes, as far as known.
    let end: Int64

    /// The method for a stream; `nil` before its first audio page.
    ///
    /// - Parameters:
    ///   - stream: the present stream.
    ///   - length: of all in bytes, if known.
    init?(_ stream: OggStream, length: Int64?) {
        guard let offset = stream.audioOffset, let start = stream.firstStart else { return nil }
        var timing = stream.timing
        timing.reset()
        self.serial = stream.serial
        self.timing = timing
        let first = Bisection.Mark(offset: offset, start: SampleCount(start))
        self.first = first
        // Within the first page nothing further is known.
        self.last =
            stream.lastMark.map {
                Bisection.Mark(offset: $0.offset, start: SampleCount($0.time))
            } ?? first
        self.end = max(length ?? self.last.offset, offset)
    }

    /// Starts to look for a time.
    ///
    /// - Parameter time: on the time line of the packets.
    /// - Returns: the search, which is over at once for what is not behind the first packet.
    func search(for time: SampleCount) -> any SeekSearching {
        guard time > self.first.start, self.end > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        return OggSeekSearch(self, target: time)
    }

    /// About when the packet at an offset starts: at the rate of what was read so far.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: an estimate; exact for what is not behind the first packet.
    func time(at offset: Int64) -> SeekPoint? {
        guard offset > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        let bytes = self.last.offset - self.first.offset
        guard bytes > 0 else { return nil }
        let rate = Double((self.last.start - self.first.start).rawValue) / Double(bytes)
        let count = rate * Double(min(offset, self.end) - self.first.offset)
        guard count.magnitude < 0x1p62 else { return nil }
        let start = self.first.start + SampleCount(Int64(count))
        return SeekPoint(offset: min(offset, self.end), start: start, precision: .estimated)
    }
}

/// A search for a page in front of a time: looks at the end, then halves, then looks at what it found.
///
/// Takes a look at the end, at most ``Bisection/maximumLooks`` in between, and one more where the page that was found
/// did not lie whole in a piece.
struct OggSeekSearch: SeekSearching {
    private enum Stage {
        case end
        case between(Bisection)
        case page(Bisection.Mark)
        case found(SeekPoint)
    }

    private let method: OggSeekMethod
    private var target: SampleCount
    private var stage = Stage.end
    /// The pages of the last pieces that may be the answer.
    private var candidate: OggPageMark?

    init(_ method: OggSeekMethod, target: SampleCount) {
        self.method = method
        self.target = target
    }

    /// What is to be done next.
    var step: SeekSearch.Step {
        switch self.stage {
        case .end:
            let start = max(self.method.first.offset, self.method.end - Bisection.window)
            return .read(start..<self.method.end)
        case .between(let bisection):
            // Never without a look: then the stage is another.
            return .read(bisection.look ?? self.method.first.offset..<self.method.first.offset + 1)
        case .page(let mark):
            return .read(
                mark
                    .offset..<max(
                        mark.offset + 1,
                        min(mark.offset + Bisection.window, self.method.end)
                    )
            )
        case .found(let point):
            return .found(point)
        }
    }

    /// The bytes that were asked for.
    mutating func read(_ bytes: ByteMemory) {
        guard case .read(let range) = self.step else { return }
        let pages = bytes.withView { OggPageMark.pages(in: $0, at: range.lowerBound, self.method) }
        switch self.stage {
        case .end:
            self.begin(pages, range)
        case .between(var bisection):
            self.remember(pages)
            bisection.learned(pages.filter(\.isEntry).map(\.mark))
            self.goOn(bisection)
        case .page(let mark):
            self.remember(pages)
            self.settle(mark, isLastLook: true)
        case .found:
            break
        }
    }

    /// Takes what was seen at the end.
    private mutating func begin(_ pages: [OggPageMark], _ range: Range<Int64>) {
        self.remember(pages)
        // At the end and past it: the last packet, which ends there.
        if let last = pages.last { self.target = min(self.target, last.mark.start - 1) }
        let entries = pages.filter(\.isEntry).map(\.mark)
        if let before = entries.last(where: { $0.start <= self.target }) {
            self.settle(before, isLastLook: false)
            return
        }
        let upper = pages.first?.mark
        self.goOn(
            Bisection(
                target: self.target,
                lower: self.method.first,
                end: upper?.offset ?? self.method.end,
                endStart: upper?.start
            )
        )
    }

    private mutating func goOn(_ bisection: Bisection) {
        if bisection.look == nil {
            self.settle(bisection.lower, isLastLook: false)
        } else {
            self.stage = .between(bisection)
        }
    }

    private mutating func remember(_ pages: [OggPageMark]) {
        if let page = pages.last(where: { $0.isEntry && $0.mark.start <= self.target }) {
            self.candidate = page
        }
    }

    /// Ends with a page, if it is known when its first packet starts.
    private mutating func settle(_ mark: Bisection.Mark, isLastLook: Bool) {
        if mark.offset == self.method.first.offset {
            self.stage = .found(
                SeekPoint(offset: mark.offset, start: self.method.first.start, precision: .exact)
            )
        } else if let candidate = self.candidate, candidate.mark.offset == mark.offset,
            let start = candidate.start
        {
            self.stage = .found(SeekPoint(offset: mark.offset, start: start, precision: .exact))
        } else if isLastLook {
            self.stage = .found(
                SeekPoint(offset: mark.offset, start: mark.start, precision: .estimated)
            )
        } else {
            self.stage = .page(mark)
        }
    }
}

/// A page of the stream that is searched, as seen in a piece of it.
struct OggPageMark: Hashable, Sendable {
    /// Where the page starts, and when the last packet ends that ends in it.
    let mark: Bisection.Mark
    /// When the first packet starts that starts and ends in the page; `nil` if the page is not whole in the piece.
    let start: SampleCount?
    /// Whether a packet starts and ends in it, and its time can be told without the pages before: one may start there.
    let isEntry: Bool

    /// The pages that tell a time, in order.
    ///
    /// A page that is whole must have its checksum. Of one that goes on behind the piece the header is believed: it
    /// has the pattern and the serial number, 64 bits.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: where it is in the stream.
    ///   - method: the stream.
    /// - Returns: those of which the header and the sizes of the segments lie in the piece.
    static func pages(in view: ByteView, at offset: Int64, _ method: OggSeekMethod) -> [OggPageMark]
    {
        var marks: [OggPageMark] = []
        var position = 0
        // As in the stream itself: headers in headers do not take more than a constant time for each byte.
        var credit = 16 * view.count
        while let found = view.firstIndex(of: UInt8(ascii: "O"), from: position) {
            position = found + 1
            guard found + OggPageHeader.byteCount <= view.count else { break }
            let rest = view[found..<view.count]
            guard let header = OggPageHeader(rest),
                OggPageHeader.byteCount + header.segmentCount <= rest.count
            else { continue }
            let count = header.pageByteCount(rest)
            let isWhole = count <= rest.count
            if isWhole {
                guard count <= credit else { continue }
                guard OggChecksum.checksum(ofPage: rest[0..<count]) == header.checksum else {
                    credit -= count
                    continue
                }
                position = found + count
            }
            guard header.serial == method.serial, !header.isFirst, let granule = header.granule,
                let mark = self.mark(
                    rest,
                    header,
                    isWhole: isWhole,
                    granule,
                    offset + Int64(found),
                    method.timing
                )
            else { continue }
            marks.append(mark)
            if !isWhole { break }
        }
        return marks
    }

    /// What a page tells, of which there are at least the header and the sizes of its segments.
    private static func mark(
        _ view: ByteView,
        _ header: OggPageHeader,
        isWhole: Bool,
        _ granule: Int64,
        _ offset: Int64,
        _ timing: OggTiming
    ) -> OggPageMark? {
        var timing = timing
        var position = OggPageHeader.byteCount + header.segmentCount
        var start = position
        var isContinued = header.isContinued
        var ends = 0
        var own = 0
        var sum: Int64 = 0
        for index in 0..<header.segmentCount {
            let size = Int(view[OggPageHeader.byteCount + index])
            position += size
            guard size < 255 else { continue }
            ends += 1
            if !isContinued {
                own += 1
                if isWhole { sum += timing.duration(of: view[start..<position]) ?? 0 }
            }
            isContinued = false
            start = position
        }
        guard ends > 0 else { return nil }
        let time = timing.time(of: granule)
        return OggPageMark(
            mark: Bisection.Mark(offset: offset, start: SampleCount(time)),
            start: isWhole && own > 0 ? SampleCount(time - sum) : nil,
            isEntry: own > 0 && !header.isLast
        )
    }
}
