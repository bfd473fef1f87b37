// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The last samples written to a device, before their gain.
///
/// It holds as many as the device's buffer, two seconds at most: the device may not have played them yet.
struct ALSAHistory: Sendable {
    private let capacity: Int
    private var ring: [Float]
    /// Where the next sample goes.
    private var next = 0
    private(set) var count = 0

    /// An empty history.
    ///
    /// - Parameter capacity: how many samples it keeps.
    init(capacity: Int) {
        self.capacity = max(capacity, 0)
        self.ring = [Float](repeating: 0, count: self.capacity)
    }

    /// Appends samples, and forgets those that are too old.
    mutating func append(_ samples: ArraySlice<Float>) {
        let kept = samples.suffix(self.capacity)
        var rest = kept[...]
        while !rest.isEmpty {
            let piece = rest.prefix(self.capacity - self.next)
            self.ring.replaceSubrange(self.next..<self.next + piece.count, with: piece)
            self.next = (self.next + piece.count) % self.capacity
            rest = rest.dropFirst(piece.count)
        }
        self.count = min(self.capacity, self.count + kept.count)
    }

    /// Removes and returns the last samples, at most `wanted` of them; the samples before them stay.
    mutating func takeLast(_ wanted: Int) -> [Float] {
        let count = min(max(wanted, 0), self.count)
        guard count > 0 else { return [] }
        let start = (self.next - count + self.capacity) % self.capacity
        self.count -= count
        self.next = start
        let first = self.ring[start..<min(start + count, self.capacity)]
        return Array(first) + self.ring[0..<count - first.count]
    }

    /// Forgets all samples.
    mutating func clear() {
        self.count = 0
    }
}
#endif
