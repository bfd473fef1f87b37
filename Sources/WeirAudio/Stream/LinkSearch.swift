// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A search in a file that may consist of several streams (links), one after the other.
///
/// The search ends in the present link, or at the border of the next link. The packets of each link
/// are numbered from the beginning again. ``LinkCheck`` therefore checks each place that another
/// search has found. The check looks for a border before the place, and usually needs no read. If
/// there is a border, the search begins again within the link, or ends at the border, where the
/// reader continues with the next link.
struct LinkSearch<Method: LinkMethod>: SeekSearching {
    /// The most reads to find the border.
    private static var mostReads: Int { 48 }

    private enum Stage {
        /// The search within the link goes on; the value says whether the bounds of the link are
        /// known.
        case within(isBounded: Bool)
        /// The search looks for a border, in this range.
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
    ///   - method: the method of the link.
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

    /// When the link ends, as far as known.
    var end: SampleCount? { self.border?.start ?? self.check.lastEnd }

    /// Whether the file ends within the link, as far as known.
    var isCut: Bool { self.border == nil && self.check.isCut }

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
        // No place after the target was seen: the target may be past the end of the link.
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

/// Finds times in a link, and reads the facts that a piece of the file shows about it.
protocol LinkMethod: SeekMethod {
    /// When the link begins, in the time of the packets; the other times of this protocol count
    /// from there.
    var origin: SampleCount { get }
    /// When the link's first sample is heard.
    var audibleStart: SampleCount { get }
    /// Samples a second.
    var sampleRate: Int { get }
    /// Whether the file has more bytes than the link is likely to take.
    var seemsJoined: Bool { get }
    /// A place that certainly belongs to the link: the file was read up to this place.
    var reached: Bisection.Mark { get }
    /// How many bytes a sample took on average up to ``reached``; `nil` if nothing was read.
    var rate: Double? { get }
    /// The offset at which the file ends; `nil` if that is unknown.
    var byteEnd: Int64? { get }
    /// Whether the link certainly ends at the time that the search found as its end.
    func isTrue(_ end: SampleCount) -> Bool
    /// The search for a time in the link.
    ///
    /// - Parameters:
    ///   - time: the time, counted from the beginning of the link.
    ///   - border: where and when the link ends, if known.
    /// - Returns: the search, which does not read past the border.
    func search(for time: SampleCount, before border: Bisection.Mark?) -> any SeekSearching
    /// The method of the link that begins at an offset; `nil` if the view shows no such link.
    func next(_ view: ByteView, at offset: Int64) -> Self?
    /// The facts that a piece shows.
    func piece(_ view: ByteView, at offset: Int64) -> LinkPiece
}

extension LinkMethod {
    var linkOutline: (any SeekSearching)? { self.byteEnd == nil ? nil : LinkOutline(self) }
}

/// The facts that a piece of a file shows about a link.
struct LinkPiece: Sendable {
    /// The places that may belong to the link, in order: those before the border.
    var marks: [Bisection.Mark]
    /// When the last packet ends, if it is whole.
    var end: SampleCount?
    /// The offset where another link begins, if one begins in the piece.
    var border: Int64?
    /// Whether there is sound before the border that does not belong to the link.
    var isForeign: Bool
    /// Whether the piece ends within a page: at the end of a file, the file is then cut short.
    var isCut = false
}
