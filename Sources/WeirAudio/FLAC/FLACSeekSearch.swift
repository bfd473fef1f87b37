// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A search in a FLAC stream.
///
/// The search reads the bytes at a point of the seek table. They confirm the point, and may show a frame nearer to the
/// target. If the table is wrong, the search uses bisection.
struct FLACSeekSearch: SeekSearching {
    private let target: SampleCount
    private let method: FLACSeekMethod
    private let end: Int64?
    private var point: Bisection.Mark?
    private var bisection: Bisection?
    private var result: SeekPoint?

    /// - Parameters:
    ///   - target: the wanted time, within the stream.
    ///   - method: recognises frames.
    ///   - point: the point of the table, if there is one.
    ///   - end: the offset where the stream ends, if known.
    ///   - bisection: finds the time without a table; `nil` if the end is unknown.
    init(
        target: SampleCount,
        method: FLACSeekMethod,
        point: Bisection.Mark?,
        end: Int64?,
        bisection: Bisection?
    ) {
        self.target = target
        self.method = method
        self.point = point
        self.end = end
        self.bisection = bisection
    }

    var step: SeekSearch.Step {
        if let result = self.result { return .found(result) }
        if let point = self.point {
            return .read(point.offset..<min(point.offset + Bisection.window, self.end ?? .max))
        }
        guard let bisection = self.bisection else {
            return .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        }
        if let range = bisection.nextRange { return .read(range) }
        return .found(
            SeekPoint(
                offset: bisection.lower.offset,
                start: bisection.lower.start,
                precision: .exact
            )
        )
    }

    mutating func read(_ bytes: ByteMemory) {
        guard case .read(let range) = self.step else { return }
        let marks = bytes.withView { self.method.marks(in: $0, at: range.lowerBound) }
        guard let point = self.point else {
            self.bisection?.learned(marks)
            return
        }
        if marks.first == point, let last = marks.last(where: { $0.start <= self.target }) {
            self.result = SeekPoint(offset: last.offset, start: last.start, precision: .exact)
        } else if self.bisection == nil {
            self.result = SeekPoint(offset: point.offset, start: point.start, precision: .table)
        } else {
            self.point = nil
        }
    }
}
