// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Where on a scrubber the bytes are that are held: parts of 0 to 1, in order, with holes between them.
///
/// Places are those of bytes. On a scrubber that shows time they are exact where the bit rate is constant, and near
/// elsewhere; only the medium's own index knows more.
public struct HeldSpans: Equatable, Sendable {
    /// The spans, each with its start and its end.
    public let spans: [Range<Double>]
    /// Whether every byte is held.
    public let isComplete: Bool

    /// Nothing is held.
    public static let none = HeldSpans(Availability(held: RangeSet(), length: nil))

    /// The spans of a moment.
    ///
    /// A hole that is narrower than a point is drawn by nobody, so it is left out here.
    ///
    /// - Parameters:
    ///   - availability: what is held; without a length nothing can be placed.
    ///   - points: how wide the scrubber is, at most.
    public init(_ availability: Availability, points: Int = 1_000) {
        self.isComplete = availability.isComplete
        guard let length = availability.length, length > 0 else {
            self.spans = []
            return
        }
        var spans: [Range<Double>] = []
        for run in availability.held.ranges where run.lowerBound < length {
            let start = Double(run.lowerBound) / Double(length)
            let end = Double(min(run.upperBound, length)) / Double(length)
            if let last = spans.last, (start - last.upperBound) * Double(points) < 1 {
                spans[spans.count - 1] = last.lowerBound..<end
            } else {
                spans.append(start..<end)
            }
        }
        self.spans = spans
    }
}
