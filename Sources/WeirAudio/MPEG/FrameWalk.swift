// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Walks from a place that is known to the frame in which a time lies, in one read.
struct FrameWalk<Header: FrameHeader>: SeekSearching {
    private(set) var step: SeekSearch.Step
    private let target: SampleCount
    private var mark: Bisection.Mark
    private let pattern: Header
    private let freeSize: Int

    /// - Parameters:
    ///   - target: the time; at or after the place.
    ///   - mark: the place.
    ///   - end: where the stream ends, if known.
    ///   - pattern: what frames agree with.
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
            // Ends: every frame has bytes.
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
