// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Goes from part to part of a joined stream to the part that contains a time, and searches there.
///
/// The end that a tag states is proved if a tag, a frame or the end of the stream is there. The
/// next part then begins at this byte. If there are frames that do not begin at this byte, other
/// bytes were inserted into the part. The search then ignores the part's tag, and estimates the
/// place from the rates.
struct MPEGPartSearch: SeekSearching {
    /// How many bytes one read at the end of a part has.
    private static let window: Int64 = 16 << 10
    /// A part of at most this many bytes is read from its beginning, whose time is exact, if its
    /// rate is not constant.
    private static let shortest: Int64 = 64 << 10
    /// The most reads at the end of one part.
    private static let mostLooks = 8

    private(set) var step: SeekSearch.Step
    private var found: MPEGOutline
    private let here: FrameSeekMethod<MPEGFrameHeader>
    private let origin: SampleCount
    /// The time; `nil` to find only the parts.
    private let target: SampleCount?
    /// The search in the part that contains the time, the index of the part, and when the part is
    /// first heard.
    private var inner: (search: any SeekSearching, index: Int, start: SampleCount)?
    /// How many reads examined the bytes after the last part, and whether there is a tag.
    private var looks = 0
    private var hasTag = false

    init(for target: SampleCount?, _ method: MPEGSeekMethod) {
        self.target = target
        self.here = method.here
        self.origin = method.origin
        self.found = method.outline
        self.step = .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        self.goOn()
    }

    var stretches: [FrameStretch] { self.inner?.search.stretches ?? [] }

    var isLost: Bool { self.inner?.search.isLost ?? false }

    var outline: MPEGOutline? { self.found }

    mutating func read(_ bytes: ByteMemory) {
        guard case .read(let range) = self.step else { return }
        if self.inner != nil {
            self.inner?.search.read(bytes)
            self.follow()
            return
        }
        self.looks += 1
        if let next = bytes.withView({ self.look($0, at: range.lowerBound) }) {
            self.ask(next)
        } else {
            (self.looks, self.hasTag) = (0, false)
            self.goOn()
        }
    }

    // MARK: From part to part

    private mutating func goOn() {
        var start = self.origin
        for (index, part) in self.found.parts.enumerated() {
            guard let extent = part.extent else { return self.enter(index, start) }
            guard part.isProved else { return self.ask(extent.end) }
            let end = start + extent.heard(at: self.here.pattern.sampleRate, of: part.header)
            let isLast = index == self.found.parts.count - 1
            if isLast || self.target.map({ $0 < end }) == true { return self.enter(index, start) }
            start = end
        }
    }

    private mutating func ask(_ offset: Int64) {
        guard offset < self.found.length, self.looks < Self.mostLooks,
            self.found.parts.count < MPEGOutline.capacity
        else {
            self.prove(isComplete: true)
            (self.looks, self.hasTag) = (0, false)
            return self.goOn()
        }
        self.step = .read(offset..<min(offset + Self.window, self.found.length))
    }

    private mutating func prove(isComplete: Bool) {
        guard let last = self.found.parts.indices.last else { return }
        self.found.parts[last].isProved = true
        self.found.isComplete = isComplete
    }

    /// Examines the bytes after the last part.
    ///
    /// - Returns: the next offset to examine; `nil` if the examination is finished.
    private mutating func look(_ view: ByteView, at offset: Int64) -> Int64? {
        guard let last = self.found.parts.indices.last else { return nil }
        var at = 0
        // The loop ends, because each tag has bytes.
        while let size = view.tagSize(at: at) {
            self.hasTag = true
            guard offset + Int64(at) + size <= self.found.length else {
                // The size is wrong: frames may follow the tag's header directly.
                at += min(10, view.count - at)
                break
            }
            guard size < Int64(view.count - at) else { return offset + Int64(at) + size }
            at += Int(size)
        }
        let isEnd = self.looks == 1 || self.hasTag
        var position = at
        while position + MPEGFrameHeader.byteCount <= view.count {
            if let run = MPEGRun(view, at: position) {
                let begins = position == at && isEnd || self.hasTag || run.tag != nil
                guard begins else {
                    // Frames continue across the place where the tag ends the part.
                    self.found.parts[last].extent = nil
                    return nil
                }
                self.prove(isComplete: false)
                self.found.parts.append(run.part(at: offset, length: self.found.length))
                return nil
            }
            position += 1
        }
        return offset + Int64(max(1, view.count - MPEGFrameHeader.byteCount + 1))
    }

    // MARK: In the part

    private mutating func enter(_ index: Int, _ start: SampleCount) {
        guard let target else {
            self.step = .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
            return
        }
        let part = self.found.parts[index]
        var method = self.here
        var time = target
        if index > 0 {
            let rate = Int64(part.header.sampleRate)
            let passed = (target - start).rawValue
                .scaled(by: rate, over: Int64(self.here.pattern.sampleRate))
            time = SampleCount(max(0, (passed ?? 0) + (part.extent?.leading ?? 0)))
            var tally = FrameTally()
            if let sample = part.sample { tally.note(sample) }
            method = FrameSeekMethod(
                pattern: part.header,
                freeSize: 0,
                first: Bisection.Mark(offset: part.first, start: 0),
                end: part.extent?.end ?? self.found.length,
                endStart: part.extent.map { SampleCount($0.samples) },
                tally: tally,
                rate: part.rate
            )
        } else if part.extent == nil {
            method.rate = .measured(density: nil)
            method.end = self.found.length
            method.endStart = nil
        }
        let size = (part.extent?.end ?? self.found.length) - part.first
        if index > 0, size <= Self.shortest, !part.isConstant {
            let point = SeekPoint(offset: part.first, start: 0, precision: .exact)
            self.inner = (point, index, start)
        } else {
            self.inner = (method.search(for: time), index, start)
        }
        self.follow()
    }

    /// Takes the step of the search in the part, and converts its times to times of the stream.
    private mutating func follow() {
        guard let inner else { return }
        guard case .found(var point) = inner.search.step else {
            self.step = inner.search.step
            return
        }
        let part = self.found.parts[inner.index]
        self.found.landing = MPEGOutline.Landing(
            index: inner.index,
            offset: point.offset,
            start: point.start.rawValue
        )
        if inner.index > 0 {
            let own = point.start.rawValue - (part.extent?.leading ?? 0)
            let passed = own.scaled(
                by: Int64(self.here.pattern.sampleRate),
                over: Int64(part.header.sampleRate)
            )
            point.start = inner.start + SampleCount(passed ?? 0)
        }
        self.step = .found(point)
    }
}

/// Frames in a row at the beginning of a part.
private struct MPEGRun {
    let start: Int
    let firstHeader: MPEGFrameHeader
    /// The tag in the first frame, if it holds one.
    var tag: MPEGInfoTag?
    /// The header of an audio frame.
    let header: MPEGFrameHeader
    /// The range of the audio frames in the view.
    let sound: Range<Int>
    let samples: Int64

    /// Fails if no run starts at the offset.
    init?(_ view: ByteView, at start: Int) {
        guard view[start] == 0xFF, let first = MPEGFrameHeader(view, at: start), !first.isFreeFormat
        else { return nil }
        let size = first.frameSize(freeSize: 0)
        var (at, count, samples) = (start, 0, Int64(0))
        while at + MPEGFrameHeader.byteCount <= view.count,
            let header = MPEGFrameHeader(view, at: at), header.agrees(with: first)
        {
            let end = at + header.frameSize(freeSize: 0)
            count += 1
            guard end <= view.count else { break }
            at = end
            samples += Int64(header.sampleCount)
        }
        guard count >= first.agreement else { return nil }
        self.start = start
        self.firstHeader = first
        if start + size <= view.count {
            self.tag = MPEGInfoTag(view[start..<start + size], first, isCertain: true)
        }
        let soundStart = self.tag == nil ? start : start + size
        self.sound = soundStart..<max(soundStart, at)
        self.samples = samples - (self.tag == nil ? 0 : Int64(first.sampleCount))
        guard let header = MPEGFrameHeader(view, at: soundStart) else { return nil }
        self.header = header
    }

    /// The part that begins with this run.
    func part(at offset: Int64, length: Int64) -> MPEGPart {
        let start = offset + Int64(self.start)
        let first = offset + Int64(self.sound.lowerBound)
        var tag = self.tag
        _ = tag?.doubt(self.firstHeader, available: length - start)
        let range = start..<first
        var part = MPEGPart(
            tagRange: range,
            first: first,
            header: self.header,
            tag: tag,
            extent: tag?.extent(range, sound: self.header)
        )
        let end = offset + Int64(self.sound.upperBound)
        if end > first { part.sample = FrameStretch(range: first..<end, samples: self.samples) }
        return part
    }
}

extension ByteView {
    /// The size of a tag at an offset, by its first bytes: ID3v2, ID3v1, or APE with a header.
    fileprivate func tagSize(at offset: Int) -> Int64? {
        let view = self.from(offset)
        if view.matches("TAG") { return 128 }
        if let header = ID3v2Header(view) { return header.tagCount }
        guard let ape = TagForm.apeFooter(view) else { return nil }
        return 32 + (ape.isHeader ? Int64(ape.size) : 0)
    }
}
