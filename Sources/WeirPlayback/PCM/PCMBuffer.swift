// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Decoded sound: frames of interleaved samples, with full scale from -1 to 1.
public struct PCMBuffer: Sendable {
    /// The layout of the samples.
    public var format: PCMFormat
    /// The samples, frame by frame; their number is a multiple of the channel count.
    public var samples: [Float]

    /// Sound.
    ///
    /// - Parameters:
    ///   - format: the layout of the samples.
    ///   - samples: whole frames, frame by frame.
    public init(format: PCMFormat, samples: [Float]) {
        precondition(samples.count % format.channelCount == 0, "a frame is incomplete")
        self.format = format
        self.samples = samples
    }

    /// Silence, for a number of frames.
    public static func silence(_ format: PCMFormat, frameCount: Int) -> PCMBuffer {
        PCMBuffer(
            format: format,
            samples: [Float](repeating: 0, count: frameCount * format.channelCount)
        )
    }

    /// The number of frames.
    public var frameCount: Int { self.samples.count / self.format.channelCount }

    /// The duration in seconds.
    public var seconds: Double { Double(self.frameCount) / Double(self.format.sampleRate) }
}

/// The layout of decoded sound: its sample rate and its channels.
public struct PCMFormat: Hashable, Sendable {
    /// Frames per second, from 1.
    public var sampleRate: Int
    /// The number of samples in a frame, from 1.
    public let channelCount: Int
    /// The loudspeakers of the channels, in order; the last channels may be without one.
    ///
    /// It has at most as many positions as there are channels.
    public let channelLayout: ChannelLayout
    /// How many bits of a sample are significant: as many as in the source if it is lossless, else
    /// 16.
    ///
    /// Samples are always `Float`; a sink that writes integers uses at least as many bits.
    public var significantBits: Int

    /// A format.
    ///
    /// - Parameters:
    ///   - sampleRate: frames per second, from 1.
    ///   - channelCount: the number of samples in a frame, from 1.
    ///   - channelLayout: the loudspeakers of the channels; if it is `nil`, or has more positions
    ///     than channels, the usual layout for so many channels.
    ///   - significantBits: how many bits of a sample are significant.
    public init(
        sampleRate: Int,
        channelCount: Int,
        channelLayout: ChannelLayout? = nil,
        significantBits: Int = 16
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        let layout = channelLayout ?? .standard(channelCount)
        self.channelLayout = layout.count > channelCount ? .standard(channelCount) : layout
        self.significantBits = significantBits
    }
}

extension PCMFormat {
    /// The duration of a number of frames, rounded down to the attosecond.
    ///
    /// - Parameter frameCount: from 0.
    /// - Returns: the time at this format's rate.
    package func duration(ofFrames frameCount: Int) -> Duration {
        .seconds(frameCount) / max(self.sampleRate, 1)
    }
}

extension PCMBuffer {
    /// The duration, rounded down to the attosecond.
    package var duration: Duration { self.format.duration(ofFrames: self.frameCount) }
}

extension PCMBuffer {
    /// Drops frames at both ends; drops all of them if the counts exceed the number of frames.
    ///
    /// - Parameters:
    ///   - leading: how many to drop at the start, counted at `sampleRate`; none if negative.
    ///   - trailing: how many to drop at the end.
    ///   - sampleRate: the rate of the counts, such as the stream's rate when a decoder found twice
    ///     that rate.
    package mutating func trim(leading: SampleCount, trailing: SampleCount, at sampleRate: Int) {
        let first = self.frames(leading, at: sampleRate)
        let last = self.frames(trailing, at: sampleRate)
        guard first > 0 || last > 0 else { return }
        let channelCount = self.format.channelCount
        let kept = max(0, self.frameCount - first - last)
        guard kept > 0 else {
            self.samples = []
            return
        }
        self.samples.removeLast(last * channelCount)
        self.samples.removeFirst(first * channelCount)
    }

    /// A count of samples in frames of this buffer, from 0 to all.
    private func frames(_ count: SampleCount, at sampleRate: Int) -> Int {
        guard count > 0, sampleRate > 0 else { return 0 }
        let all = Int64(self.frameCount)
        guard sampleRate != self.format.sampleRate else { return Int(min(count.rawValue, all)) }
        let (product, overflow) = count.rawValue.multipliedReportingOverflow(
            by: Int64(self.format.sampleRate)
        )
        return overflow ? Int(all) : Int(min(product / Int64(sampleRate), all))
    }
}
