// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How decoded sound is laid out: samples a second, and channels.
public struct PCMFormat: Hashable, Sendable {
    /// Frames a second, from 1.
    public var sampleRate: Int
    /// How many samples a frame has, from 1; in the order of WAVE (left, right, centre, low frequencies, …).
    public var channelCount: Int
    /// How many bits of a sample mean anything: those of the source where it is without loss, else 16.
    ///
    /// Samples are handed on as `Float` whatever this says; a sink that writes integers takes as many bits.
    public var significantBits: Int

    /// A format.
    public init(sampleRate: Int, channelCount: Int, significantBits: Int = 16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.significantBits = significantBits
    }
}
