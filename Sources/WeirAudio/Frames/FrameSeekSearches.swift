// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Checks in one read whether a frame is where a constant bit rate predicts it.
///
/// Padding slots shift a frame by a slot or two at most. A frame that starts within this distance
/// is the wanted one, and the point is exact. If the nearest frame is farther away, there are other
/// bytes between the frames, and another search estimates the place.
struct FrameProbe<Header: FrameHeader>: SeekSearching {
    var step: SeekSearch.Step { self.other?.step ?? self.ownStep }
    var stretches: [FrameStretch] { self.other?.stretches ?? [] }
    var isLost: Bool { self.other?.isLost ?? false }
    private var ownStep: SeekSearch.Step
    private let point: SeekPoint
    private let start: Int64
    private let pattern: Header
    private let freeSize: Int
    private let otherwise: FrameRateSearch<Header>?
    private var other: FrameRateSearch<Header>?

    /// How many bytes a frame may be away: two slots of layer I.
    private static var tolerance: Int64 { 8 }
    /// How many bytes frames of one rate differ: a slot of layer I.
    private static var slot: Int { 4 }

    /// - Parameters:
    ///   - point: the predicted place of the frame.
    ///   - first: the offset of the first frame.
    ///   - end: the offset where the stream ends, if known.
    ///   - pattern: the header with which frames must agree.
    ///   - freeSize: see ``FrameSync/freeSize``.
    ///   - otherwise: the search to use if the frame is elsewhere.
    init(
        point: SeekPoint,
        first: Int64,
        end: Int64?,
        pattern: Header,
        freeSize: Int,
        otherwise: FrameRateSearch<Header>?
    ) {
        self.point = point
        self.pattern = pattern
        self.freeSize = freeSize
        self.otherwise = otherwise
        self.start = max(first, point.offset - Self.tolerance)
        let reach = Int64(3 * (pattern.frameSize(freeSize: freeSize) + 8)) + 2 * Self.tolerance
        let last = min(self.start.addingReportingOverflow(reach).partialValue, end ?? .max)
        self.ownStep = last > self.start ? .read(self.start..<last) : .found(point)
    }

    mutating func read(_ bytes: ByteMemory) {
        if self.other != nil {
            self.other?.read(bytes)
            return
        }
        var nearest: Int64?
        bytes.withView { view in
            var at = 0
            while at + Header.byteCount <= view.count {
                defer { at += 1 }
                guard view[at] == 0xFF, self.isRun(view, at: at) else { continue }
                let offset = self.start + Int64(at)
                let distance = (offset - self.point.offset).magnitude
                if let nearest, (nearest - self.point.offset).magnitude <= distance { continue }
                nearest = offset
            }
        }
        if let nearest, (nearest - self.point.offset).magnitude <= Self.tolerance.magnitude {
            self.ownStep = .found(
                SeekPoint(offset: nearest, start: self.point.start, precision: .exact)
            )
            return
        }
        self.other = self.otherwise
        let point = SeekPoint(
            offset: nearest ?? self.point.offset,
            start: self.point.start,
            precision: .estimated
        )
        self.ownStep = .found(point)
    }

    /// Whether a frame of the constant rate starts at this position and another frame, or the end,
    /// follows.
    private func isRun(_ view: ByteView, at start: Int) -> Bool {
        guard let header = Header(view, at: start), header.agrees(with: self.pattern) else {
            return false
        }
        let size = header.frameSize(freeSize: self.freeSize)
        let usual = self.pattern.frameSize(freeSize: self.freeSize)
        guard abs(size - usual) <= Self.slot else { return false }
        let next = start + size
        guard next + Header.byteCount <= view.count else { return next == view.count }
        guard let following = Header(view, at: next) else { return false }
        return following.agrees(with: self.pattern)
    }
}

/// Walks from a known place to the frame that contains a time, in one read.
struct FrameWalk<Header: FrameHeader>: SeekSearching {
    private(set) var step: SeekSearch.Step
    private let target: SampleCount
    private var mark: Bisection.Mark
    private let pattern: Header
    private let freeSize: Int

    /// - Parameters:
    ///   - target: the time; at or after the place.
    ///   - mark: the place.
    ///   - end: the offset where the stream ends, if known.
    ///   - pattern: the header with which frames must agree.
    ///   - freeSize: see ``FrameSync/freeSize``.
    init(
        target: SampleCount,
        from mark: Bisection.Mark,
        end: Int64?,
        pattern: Header,
        freeSize: Int
    ) {
        self.target = target
        self.mark = mark
        self.pattern = pattern
        self.freeSize = freeSize
        let last = min(
            mark.offset.addingReportingOverflow(Bisection.window).partialValue,
            end ?? .max
        )
        let isThere =
            target < mark.start + SampleCount(Int64(pattern.sampleCount)) || last <= mark.offset
        self.step =
            isThere
            ? .found(SeekPoint(offset: mark.offset, start: mark.start, precision: .exact))
            : .read(mark.offset..<last)
    }

    mutating func read(_ bytes: ByteMemory) {
        bytes.withView { view in
            var at = 0
            // The loop ends, because every frame has bytes.
            while at + Header.byteCount <= view.count, let header = Header(view, at: at),
                header.agrees(with: self.pattern)
            {
                let size = header.frameSize(freeSize: self.freeSize)
                let next = self.mark.start + SampleCount(Int64(header.sampleCount))
                guard next <= self.target, at + size + Header.byteCount <= view.count,
                    let following = Header(view, at: at + size),
                    following.agrees(with: self.pattern)
                else { break }
                at += size
                self.mark.offset += Int64(size)
                self.mark.start = next
            }
        }
        let point = SeekPoint(offset: self.mark.offset, start: self.mark.start, precision: .exact)
        self.step = .found(point)
    }
}
