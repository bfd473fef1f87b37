// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A random number generator that gives the same numbers for the same seed, everywhere and for ever.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). A test
/// that draws from it prints ``seed``, so that a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// What the numbers follow from.
    public let seed: UInt64

    private var state: UInt64

    /// Starts a sequence.
    public init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        self.state &+= Self.increment
        return Self.mixed(self.state)
    }

    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
