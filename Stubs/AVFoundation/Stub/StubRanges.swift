// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Sorted byte ranges that do not touch each other.
struct StubRanges: Sendable, Equatable {
    private(set) var list: [Range<Int64>] = []

    init() {}

    init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    /// Adds a range; in constant time if ranges are added in the order of their starts.
    mutating func insert(_ range: Range<Int64>) {
        guard let last = list.last, range.lowerBound < last.lowerBound else { return append(range) }
        self = StubRanges(list + [range])
    }

    /// Whether the ranges contain every byte of a range; true for an empty range.
    func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty
            || list.contains {
                $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound
            }
    }

    private mutating func append(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        if let last = list.last, range.lowerBound <= last.upperBound {
            list[list.count - 1] =
                last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            list.append(range)
        }
    }
}
