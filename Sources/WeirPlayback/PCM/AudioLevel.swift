// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How loud sound is, of each channel.
public struct AudioLevel: Hashable, Sendable {
    /// The largest magnitude of each channel, from 0 to 1 (more where it would be cut off).
    public var peaks: [Float]
    /// The root of the mean square of each channel, from 0 to 1.
    public var powers: [Float]

    /// Silence, of no channels.
    public init() {
        self.peaks = []
        self.powers = []
    }

    /// Levels of as many channels each.
    public init(peaks: [Float], powers: [Float]) {
        self.peaks = peaks
        self.powers = powers
    }
}
