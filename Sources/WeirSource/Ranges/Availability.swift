// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The locally held ranges of a resource, at one moment.
public struct Availability: Hashable, Sendable {
    /// The bytes that can be read without waiting for the origin.
    public var held: RangeSet<Int64>
    /// The length of the resource in bytes, once it is known.
    public var length: Int64?

    /// Describes the held ranges of a moment.
    public init(held: RangeSet<Int64>, length: Int64?) {
        self.held = held
        self.length = length
    }

    /// Whether no byte is missing: the length is known and every byte is held.
    public var isComplete: Bool {
        guard let length, length >= 0 else { return false }
        return self.held.firstMissing(in: 0..<length) == nil
    }

    /// The held part of the resource, from 0 to 1; `nil` while the length is unknown.
    ///
    /// It is 1 exactly when ``isComplete`` is true; this is always so for an empty resource. Bytes outside the
    /// resource do not count. For a sequence of fractions map ``ByteSource/availabilityChanges()``:
    ///
    ///     for await fraction in song.availabilityChanges().map(\.fraction) { bar.value = fraction ?? 0 }
    public var fraction: Double? {
        guard let length, length >= 0 else { return nil }
        if self.isComplete { return 1 }
        let count = self.held.ranges.reduce(into: Int64(0)) { count, run in
            let part = run.clamped(to: 0..<length)
            count += part.upperBound - part.lowerBound
        }
        // One missing byte of a very long resource must not round up to 1.
        return min(Double(count) / Double(length), 1.0.nextDown)
    }
}

extension RangeSet where Bound == Int64 {
    /// The held run that contains an offset, found by bisection.
    public func run(containing offset: Int64) -> Range<Int64>? {
        let runs = self.ranges
        var low = runs.startIndex
        var high = runs.endIndex
        // Access to a run is the slowest step, so each run is read once.
        var found: Range<Int64>?
        while low < high {
            let middle = low + (high - low) / 2
            let run = runs[middle]
            if run.upperBound <= offset {
                low = middle + 1
            } else {
                high = middle
                found = run
            }
        }
        return found.flatMap { $0.contains(offset) ? $0 : nil }
    }

    /// The hole that contains an offset: from the end of the run before it to the start of the next.
    ///
    /// - Parameters:
    ///   - offset: an offset in the hole.
    ///   - end: the end of the resource; `Int64.max` while it is unknown.
    /// - Returns: `nil` if the offset is held, negative or not below `end`.
    public func hole(containing offset: Int64, before end: Int64) -> Range<Int64>? {
        guard offset >= 0, offset < end else { return nil }
        let runs = self.ranges
        var low = runs.startIndex
        var high = runs.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if runs[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        let lower = low > runs.startIndex ? runs[low - 1].upperBound : 0
        guard low < runs.endIndex else { return lower..<end }
        guard offset < runs[low].lowerBound else { return nil }
        return lower..<min(end, runs[low].lowerBound)
    }

    /// The first offset of a range that is not held; `nil` if the whole range is held.
    public func firstMissing(in range: Range<Int64>) -> Int64? {
        guard !range.isEmpty else { return nil }
        guard let run = self.run(containing: range.lowerBound) else { return range.lowerBound }
        return run.upperBound < range.upperBound ? run.upperBound : nil
    }

    /// How many bytes are held.
    public var byteCount: Int64 {
        self.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    }
}
