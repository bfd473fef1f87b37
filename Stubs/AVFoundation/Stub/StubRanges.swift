// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Byte ranges, sorted, none touching another.
struct StubRanges: Sendable, Equatable {
    private(set) var list: [Range<Int64>] = []

    init() {}

    init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    /// Adds a range; in the order of their beginnings in constant time.
    mutating func insert(_ range: Range<Int64>) {
        guard let last = list.last, range.lowerBound < last.lowerBound else { return append(range) }
        self = StubRanges(list + [range])
    }

    /// Whether every byte of a range is here; true for an empty one.
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
