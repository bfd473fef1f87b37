// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The points of a SEEKTABLE block (RFC 9639 §8.5), as many as fit into a bound.
///
///     point   first sample of a frame 64 (all ones: a placeholder) | offset of the frame 64 | its samples 16
///
/// Offsets count from the first frame. Points out of order are left out; where there are too many, every other one
/// goes, and the ones that come are taken as sparsely.
struct FLACSeekTable: Hashable, Sendable {
    /// A frame of which the place is told.
    struct Point: Hashable, Sendable {
        /// The number of its first sample, from 0.
        let sample: Int64
        /// How many bytes lie between the first frame and it, from 0.
        let offset: Int64
    }

    /// How many bytes a point takes in the stream.
    static let pointByteCount = 18
    /// How many points are kept at most; they take half a megabyte.
    static let maximumCount = 32_768

    /// The points, ascending in sample and offset.
    private(set) var points: [Point] = []
    private var stride = 1
    private var ignored = 0

    /// Takes the next point.
    ///
    /// - Parameter view: its 18 bytes.
    mutating func append(_ view: ByteView) {
        guard let sample = Int64(exactly: view.big(0, UInt64.self)),
            let offset = Int64(exactly: view.big(8, UInt64.self)), offset < 1 << 60
        else { return }
        if let last = self.points.last, sample <= last.sample || offset <= last.offset { return }
        self.ignored += 1
        guard self.ignored >= self.stride else { return }
        self.ignored = 0
        self.points.append(Point(sample: sample, offset: offset))
        guard self.points.count >= Self.maximumCount else { return }
        self.stride *= 2
        self.points = self.points.indices.filter { $0 % 2 == 0 }.map { self.points[$0] }
    }

    /// The last point at or before a sample.
    ///
    /// - Parameter sample: the sample.
    /// - Returns: `nil` if there is none.
    func point(before sample: Int64) -> Point? {
        var low = 0
        var high = self.points.count
        while low < high {
            let middle = (low + high) / 2
            if self.points[middle].sample <= sample { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : self.points[low - 1]
    }

    /// The last point at or before an offset from the first frame.
    ///
    /// - Parameter offset: the offset.
    /// - Returns: `nil` if there is none.
    func point(beforeOffset offset: Int64) -> Point? {
        self.points.last { $0.offset <= offset }
    }
}
