// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Random numbers of a seed, so that a course of events can be repeated (SplitMix64).
struct Jitter: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A time that is longer or shorter than another at random.
    ///
    /// - Parameters:
    ///   - duration: the other.
    ///   - part: by which part of it at most, 0 to 1; what is beyond is taken as the nearest of these.
    /// - Returns: zero for zero, never less.
    mutating func vary(_ duration: Duration, by part: Double) -> Duration {
        guard duration > .zero, part > 0 else { return max(.zero, duration) }
        let part = min(part, 1)
        return max(.zero, duration * Double.random(in: 1 - part...1 + part, using: &self))
    }
}
