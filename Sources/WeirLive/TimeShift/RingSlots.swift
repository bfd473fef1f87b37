// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which segment of a ring lies where in its file.
///
/// A slot that was left is taken again, the first one first, so that the file is no larger than what was kept at most.
struct RingSlots: Sendable {
    private var slots: [Int64: Int] = [:]
    private var free: Set<Int> = []

    /// The slot of a segment, if it has one.
    func slot(of segment: Int64) -> Int? { self.slots[segment] }

    /// The slot of a segment, which it gets if it has none.
    mutating func assign(_ segment: Int64) -> Int {
        if let slot = self.slots[segment] { return slot }
        let slot = self.free.min() ?? self.slots.count
        self.free.remove(slot)
        self.slots[segment] = slot
        return slot
    }

    /// Takes their slots from all segments before one.
    mutating func release(before segment: Int64) {
        for (old, slot) in self.slots where old < segment {
            self.slots[old] = nil
            self.free.insert(slot)
        }
    }
}
