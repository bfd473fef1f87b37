// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The held bytes of a medium as parts of its length, from 0 to 1, for a scrubber to draw.
///
/// The spans are in order, with holes between them. A span is computed from byte offsets. On a
/// scrubber that shows time, the span is exact if the bit rate is constant, and approximate
/// otherwise: only the index of the medium has the exact times.
public struct HeldSpans: Hashable, Sendable {
    /// The spans, each from its start to its end.
    public let spans: [Range<Double>]
    /// Whether every byte is held.
    public let isComplete: Bool

    /// No spans, because no bytes are held.
    public static let none = HeldSpans(Availability(held: RangeSet(), length: nil))

    /// The spans of one moment.
    ///
    /// A hole narrower than a point cannot be drawn, so the spans close it; ``isComplete`` is
    /// `false` nevertheless. Bytes past the end are not drawn.
    ///
    /// - Parameters:
    ///   - availability: the held bytes; without a length, or for an empty medium, there are no
    ///     spans.
    ///   - points: the greatest width of the scrubber; a value below 1 means 1.
    public init(_ availability: Availability, points: Int = 1_000) {
        self.isComplete = availability.isComplete
        guard let length = availability.length, length > 0 else {
            self.spans = []
            return
        }
        var spans: [Range<Double>] = []
        for run in availability.held.ranges {
            let part = run.clamped(to: 0..<length)
            guard !part.isEmpty else { continue }
            let start = Double(part.lowerBound) / Double(length)
            let end = Double(part.upperBound) / Double(length)
            if let last = spans.last, (start - last.upperBound) * Double(max(1, points)) < 1 {
                spans[spans.count - 1] = last.lowerBound..<end
            } else {
                spans.append(start..<end)
            }
        }
        self.spans = spans
    }
}
