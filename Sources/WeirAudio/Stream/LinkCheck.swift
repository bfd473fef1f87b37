// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out whether a link of a file continues up to a place, or where the link ends before it.
///
/// Two places belong to one link under two conditions. The later place has the greater time.
/// Between the places, a sample takes at most ``tolerance`` times the bytes that it takes at the
/// place with the larger rate. If there is a border between the places, the difference of their
/// times is too small for the bytes between them. In that case the check reads a piece in the
/// middle, until it sees the border or the conditions are met.
struct LinkCheck: Sendable {
    /// The result of a check.
    enum Verdict {
        /// The caller must read this range first.
        case read(Range<Int64>)
        /// There is no border before the place.
        case same
        /// The link ends at this place and time.
        case border(Bisection.Mark)
        /// The pieces contradict each other.
        case lost
    }

    private struct Probe {
        let range: Range<Int64>
        let piece: LinkPiece

        /// How many bytes a sample takes.
        func rate(_ marks: ArraySlice<Bisection.Mark>) -> Double? {
            guard let first = marks.first, let last = marks.last, last.start > first.start else {
                return nil
            }
            return Double(last.offset - first.offset)
                / Double((last.start - first.start).rawValue)
        }
    }

    /// By which factor the bytes for a sample may differ within one link.
    private static let tolerance = 1.1
    /// How many bytes neighbouring pieces overlap, so that no header of a link is cut.
    private static let overlap: Int64 = 512
    /// How many pieces are read after the last packet to see that nothing follows.
    private static let mostBehind = 4

    private let reached: Bisection.Mark
    private let rate: Double?
    private let end: Int64?
    /// The pieces that were read, in the order of the file.
    private var probes: [Probe] = []

    /// - Parameters:
    ///   - reached: a place of the link.
    ///   - rate: how many bytes a sample takes before that place, if known.
    ///   - end: where the file ends, if known.
    init(from reached: Bisection.Mark, rate: Double?, end: Int64?) {
        self.reached = reached
        self.rate = rate
        self.end = end
    }

    /// Takes a piece that was read.
    mutating func read(_ piece: LinkPiece, _ range: Range<Int64>) {
        let index = self.probes.firstIndex { $0.range.lowerBound > range.lowerBound }
        self.probes.insert(
            Probe(range: range, piece: piece),
            at: index ?? self.probes.endIndex
        )
    }

    /// Whether a piece shows a place later than a time.
    func hasMark(after time: SampleCount) -> Bool {
        self.reached.start > time
            || self.probes.contains { $0.piece.marks.contains { $0.start > time } }
    }

    /// The end time of the last packet that is complete in a piece.
    ///
    /// Without such a packet: the time of `reached` if the file ends there, otherwise `nil`.
    var lastEnd: SampleCount? {
        self.probes.last { $0.piece.end != nil }?.piece.end
            ?? (self.reached.offset == self.end ? self.reached.start : nil)
    }

    /// Whether the file ends within a page, as far as a piece shows it.
    var isCut: Bool {
        self.probes.contains { $0.range.upperBound == self.end && $0.piece.isCut }
    }

    /// Whether there is a border before a place.
    ///
    /// - Parameter place: the place; `.max` means the end of the file, if the link continues up to
    ///   it.
    /// - Returns: the verdict, or the range to read before it.
    func verdict(upTo place: Int64) -> Verdict {
        var (here, rate, covered) = (self.reached, self.rate, self.reached.offset)
        // Whether the last examined piece is after the covered range, and shows no place.
        var isEmpty = false
        for probe in self.probes
        where probe.range.upperBound > here.offset && probe.range.lowerBound <= place {
            let marks = probe.piece.marks.drop { $0.offset < here.offset }
            let (first, own) = (marks.first, probe.rate(marks))
            let isNear = probe.range.lowerBound <= covered
            let isOther = probe.piece.isForeign || probe.piece.border != nil
            if first.map({ self.isBroken(here, rate, $0, own) }) ?? isOther {
                if !isNear {
                    let gap = covered..<probe.range.lowerBound
                    return isEmpty ? self.next(from: covered) : self.middle(of: gap)
                }
                if let first, first.start < here.start { return .lost }
            }
            if let last = marks.last { (here, rate) = (last, own ?? rate) }
            if let border = probe.piece.border, border <= place {
                return self.proof(of: border, probe)
            }
            if isNear || first != nil {
                covered = max(covered, probe.range.upperBound - Self.overlap)
                isEmpty = false
            } else {
                isEmpty = true
            }
        }
        return place == .max ? self.behind(covered) : .same
    }

    /// Whether a border seems to be between two places.
    private func isBroken(
        _ one: Bisection.Mark,
        _ rate: Double?,
        _ other: Bisection.Mark,
        _ otherRate: Double?
    ) -> Bool {
        guard other.offset > one.offset else { return other.start < one.start }
        guard other.start > one.start else { return true }
        let largest = max(rate ?? 0, otherRate ?? 0)
        let own = Double(other.offset - one.offset) / Double((other.start - one.start).rawValue)
        return largest > 0 && own > Self.tolerance * largest
    }

    /// Continues where the last piece ended.
    private func next(from covered: Int64) -> Verdict {
        .read(covered..<min(covered + Bisection.window, self.end ?? .max))
    }

    private func middle(of gap: Range<Int64>) -> Verdict {
        let lower = max(self.reached.offset, gap.lowerBound - Self.overlap)
        let upper = min(gap.upperBound + Self.overlap, self.end ?? .max)
        guard upper - lower > Bisection.window else { return .read(lower..<upper) }
        let start = lower + (upper - lower - Bisection.window) / 2
        return .read(start..<start + Bisection.window)
    }

    /// The border at an offset.
    ///
    /// The time of the border is the end of the packet before it, so that packet must be read.
    private func proof(of border: Int64, _ probe: Probe) -> Verdict {
        if let end = probe.piece.end {
            return .border(Bisection.Mark(offset: border, start: end))
        }
        if border == self.reached.offset { return .border(self.reached) }
        let lower = max(self.reached.offset, border + Self.overlap - Bisection.window)
        guard lower < probe.range.lowerBound else { return .lost }
        return .read(lower..<min(border + Self.overlap, self.end ?? .max))
    }

    /// Reads after the last packet.
    private func behind(_ covered: Int64) -> Verdict {
        guard let end = self.end, covered + Self.overlap < end else { return .same }
        let last =
            self.probes.last { !$0.piece.marks.isEmpty }?.range.upperBound ?? self.reached.offset
        guard covered < last + Int64(Self.mostBehind) * Bisection.window else { return .lost }
        return self.next(from: covered)
    }
}
