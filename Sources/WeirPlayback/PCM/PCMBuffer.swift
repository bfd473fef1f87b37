// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decoded sound: frames of interleaved samples, full scale being -1 to 1.
public struct PCMBuffer: Sendable {
    /// How the samples are laid out.
    public var format: PCMFormat
    /// The samples, frame by frame; their number is a multiple of the channels.
    public var samples: [Float]

    /// Sound.
    ///
    /// - Parameters:
    ///   - format: how the samples are laid out.
    ///   - samples: frame by frame; as many as make whole frames.
    public init(format: PCMFormat, samples: [Float]) {
        precondition(samples.count % format.channelCount == 0, "a frame is incomplete")
        self.format = format
        self.samples = samples
    }

    /// Nothing to be heard, for a number of frames.
    public static func silence(_ format: PCMFormat, frameCount: Int) -> PCMBuffer {
        PCMBuffer(
            format: format,
            samples: [Float](repeating: 0, count: frameCount * format.channelCount)
        )
    }

    /// How many frames there are.
    public var frameCount: Int { self.samples.count / self.format.channelCount }

    /// How long it sounds, in seconds.
    public var seconds: Double { Double(self.frameCount) / Double(self.format.sampleRate) }
}
