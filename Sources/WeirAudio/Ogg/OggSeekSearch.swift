// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A search for a page before a time: reads the end, then bisects, then reads the found page.
///
/// The search makes one read of the end and at most ``Bisection/maximumReads`` in between. It makes
/// one more read if the found page was not complete in a piece.
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
    /// The last seen page that may be the result.
    private var candidate: OggPageMark?

    init(_ method: OggSeekMethod, target: SampleCount) {
        self.method = method
        self.target = target
    }

    /// The caller's next action.
    var step: SeekSearch.Step {
        switch self.stage {
        case .end:
            let start = max(self.method.first.offset, self.method.end - Bisection.window)
            return .read(start..<self.method.end)
        case .between(let bisection):
            // `goOn` enters this stage only if there is a range.
            return .read(
                bisection.nextRange ?? self.method.first.offset..<self.method.first.offset + 1
            )
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

    /// Takes the requested bytes.
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
            self.settle(mark, isLastRead: true)
        case .found:
            break
        }
    }

    /// Takes the pages at the end.
    private mutating func begin(_ pages: [OggPageMark], _ range: Range<Int64>) {
        self.remember(pages)
        // For a time at or past the end, search for the last packet, which ends there.
        if let last = pages.last { self.target = min(self.target, last.mark.start - 1) }
        let entries = pages.filter(\.isEntry).map(\.mark)
        if let before = entries.last(where: { $0.start <= self.target }) {
            self.settle(before, isLastRead: false)
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
        if bisection.nextRange == nil {
            self.settle(bisection.lower, isLastRead: false)
        } else {
            self.stage = .between(bisection)
        }
    }

    private mutating func remember(_ pages: [OggPageMark]) {
        if let page = pages.last(where: { $0.isEntry && $0.mark.start <= self.target }) {
            self.candidate = page
        }
    }

    /// Ends with a page, if the start of its first packet is known.
    private mutating func settle(_ mark: Bisection.Mark, isLastRead: Bool) {
        if mark.offset == self.method.first.offset {
            self.stage = .found(
                SeekPoint(offset: mark.offset, start: self.method.first.start, precision: .exact)
            )
        } else if let candidate = self.candidate, candidate.mark.offset == mark.offset,
            let start = candidate.start
        {
            self.stage = .found(SeekPoint(offset: mark.offset, start: start, precision: .exact))
        } else if isLastRead {
            self.stage = .found(
                SeekPoint(offset: mark.offset, start: mark.start, precision: .estimated)
            )
        } else {
            self.stage = .page(mark)
        }
    }
}
