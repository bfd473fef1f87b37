// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Gives every generation a name that none had before: 48 bits of milliseconds, 16 bits of chance,
/// always larger than the last one given and than every one that was found on disk.
struct GenerationSequence: Sendable {
    private var last: UInt64

    /// Starts after a name; 0 if there is none.
    init(after last: UInt64 = 0) {
        self.last = last
    }

    /// Makes sure that the names to come are larger than one that is in use.
    mutating func skip(_ id: GenerationID) {
        self.last = max(self.last, id.rawValue)
    }

    /// The next name, at a time in milliseconds since 1970.
    ///
    /// A clock that was set back only makes the names closer to each other. When all 64 bits are used
    /// up, which a forged file name can bring about, names start again in the clock's order.
    mutating func next(at milliseconds: Int64, chance: UInt16) -> GenerationID {
        let time = UInt64(max(0, milliseconds)) & 0xFFFF_FFFF_FFFF
        let wanted = time << 16 | UInt64(chance)
        self.last = wanted > self.last || self.last == .max ? wanted : self.last + 1
        return GenerationID(rawValue: self.last)
    }
}
