// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A search in a file that may be several streams, one behind the other: it ends in the present one, its link, or at the
/// border of the next.
///
/// The packets of each link are numbered from the beginning again. So a place that another search has found is checked:
/// ``LinkCheck`` looks for a border in front of it, and most often has nothing to read. If there is one, the search begins
/// again within the link, or ends at the border, where the reader goes on with the next link.
struct LinkSearch<Method: LinkMethod>: SeekSearching {
    /// How many reads there are to find the border.
    private static var mostReads: Int { 48 }

    private enum Stage {
        /// The search in the link goes on; whether its bounds are known.
        case within(isBounded: Bool)
        /// A border is looked for, in this range.
        case checking(Range<Int64>)
        case found(SeekPoint)
    }

    private let method: Method
    private let target: SampleCount
    private var check: LinkCheck
    private var stage = Stage.within(isBounded: false)
    private var inner: any SeekSearching
    private var reads = 0
    private(set) var isLost = false
    private(set) var border: Bisection.Mark?

    /// - Parameters:
    ///   - target: the time, counted from the beginning of the link.
    ///   - method: of the link.
    init(for target: SampleCount, _ method: Method) {
        self.target = target
        self.method = method
        self.check = LinkCheck(from: method.reached, rate: method.rate, end: method.byteEnd)
        self.inner = method.search(for: target, before: nil)
        self.follow()
    }

    /// Looks for the end of the link.
    init(endOf method: Method) {
        self.target = SampleCount(.max)
        self.method = method
        self.check = LinkCheck(from: method.reached, rate: method.rate, end: method.byteEnd)
        let end = method.byteEnd ?? method.reached.offset
        let start = max(method.reached.offset, end - Bisection.window)
        self.inner = EndLook(start..<max(start, end))
        self.follow()
    }

    /// When the link ends, as far as that was found out.
    var end: SampleCount? { self.border?.start ?? self.check.lastEnd }

    var step: SeekSearch.Step {
        switch self.stage {
        case .within: self.inner.step
        case .checking(let range): .read(range)
        case .found(let point): .found(point)
        }
    }

    mutating func read(_ bytes: ByteMemory) {
        guard case .read(let range) = self.step else { return }
        let piece = bytes.withView { self.method.piece($0, at: range.lowerBound) }
        self.check.read(piece, range)
        if case .within = self.stage {
            self.inner.read(bytes)
            self.follow()
        } else if case .found(let point) = self.inner.step {
            self.reads += 1
            self.decide(point)
        }
    }

    private mutating func follow() {
        guard case .within(let isBounded) = self.stage, case .found(let point) = self.inner.step
        else { return }
        if isBounded { self.finish(point) } else { self.decide(point) }
    }

    private mutating func decide(_ point: SeekPoint) {
        // Nothing later was seen: the target may be behind the end of the link.
        let isBehind = !self.check.hasMark(after: self.target)
        switch self.check.verdict(upTo: isBehind ? .max : point.offset) {
        case .read(let range) where self.reads < Self.mostReads:
            self.stage = .checking(range)
        case .read, .lost:
            self.isLost = true
            self.stage = .found(
                SeekPoint(offset: point.offset, start: point.start, precision: .estimated)
            )
        case .same:
            self.finish(point)
        case .border(let border):
            self.border = border
            guard self.target < border.start else {
                return self.finish(
                    SeekPoint(offset: border.offset, start: border.start, precision: .exact)
                )
            }
            self.inner = self.method.search(for: self.target, before: border)
            self.stage = .within(isBounded: true)
            self.follow()
        }
    }

    private mutating func finish(_ point: SeekPoint) {
        var point = point
        point.start = point.start + self.method.origin
        self.stage = .found(point)
    }
}

/// How times are found in a link, and what a piece of the file shows of it.
protocol LinkMethod: SeekMethod {
    /// When the link begins, in the time of the packets; other times here are counted from there.
    var origin: SampleCount { get }
    /// When its first sample is heard.
    var audibleStart: SampleCount { get }
    /// Samples a second.
    var sampleRate: Int { get }
    /// Whether the file has more bytes than the link is likely to take.
    var seemsJoined: Bool { get }
    /// A place that certainly is the link's: up to there it was read.
    var reached: Bisection.Mark { get }
    /// How many bytes a sample took up to there; `nil` if nothing was read.
    var rate: Double? { get }
    /// Where the file ends; `nil` if that is not known.
    var byteEnd: Int64? { get }
    /// Whether the link certainly ends at a time where it was seen to end.
    func isTrue(_ end: SampleCount) -> Bool
    /// The search for a time in the link.
    ///
    /// - Parameters:
    ///   - time: counted from the beginning of the link.
    ///   - border: where and when the link ends, if that was found out.
    /// - Returns: the search, which does not look behind the border.
    func search(for time: SampleCount, before border: Bisection.Mark?) -> any SeekSearching
    /// The method of the link that begins at an offset; `nil` if it is not known there.
    func next(_ view: ByteView, at offset: Int64) -> Self?
    /// What a piece shows.
    func piece(_ view: ByteView, at offset: Int64) -> LinkPiece
}

extension LinkMethod {
    var linkOutline: (any SeekSearching)? { self.byteEnd == nil ? nil : LinkOutline(self) }
}

/// What a piece of a file shows of a link.
struct LinkPiece: Sendable {
    /// The places that may be the link's, in order: those before the border.
    var marks: [Bisection.Mark]
    /// When the last of them ends, if it is whole.
    var end: SampleCount?
    /// Where another link begins, if one does in the piece.
    var border: Int64?
    /// Whether there is sound before the border that is not the link's.
    var isForeign: Bool
}
