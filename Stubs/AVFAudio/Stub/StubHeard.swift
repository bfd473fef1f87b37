// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A buffer that a stub device has begun to mix; not Apple's.
public struct StubHeard: Hashable, Sendable {
    /// The time of its first frame, in nanoseconds of the host's clock.
    public var hostTime: UInt64
    /// How many frames it has.
    public var frames: Int
    /// Frames a second.
    public var sampleRate: Double
    /// The first sample of each channel.
    public var first: [Float]

    /// The time of the frame behind its last one.
    public var end: UInt64 {
        self.hostTime + UInt64((Double(self.frames) * 1e9 / self.sampleRate).rounded())
    }
}
