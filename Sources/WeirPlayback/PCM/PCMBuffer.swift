// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

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

    /// Silence, for a number of frames.
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

/// How decoded sound is laid out: samples a second, and channels.
public struct PCMFormat: Hashable, Sendable {
    /// Frames a second, from 1.
    public var sampleRate: Int
    /// How many samples a frame has, from 1.
    public let channelCount: Int
    /// Which loudspeakers they are for, in their order; channels beyond its positions, the last, are for none.
    ///
    /// It has no more positions than there are channels.
    public let channelLayout: ChannelLayout
    /// How many bits of a sample mean anything: those of the source where it is without loss, else 16.
    ///
    /// Samples are `Float` in any case; a sink that writes integers takes as many bits.
    public var significantBits: Int

    /// A format.
    ///
    /// - Parameters:
    ///   - sampleRate: frames a second, from 1.
    ///   - channelCount: how many samples a frame has, from 1.
    ///   - channelLayout: which loudspeakers they are for; what so many channels usually mean where it is `nil`, or
    ///     has more positions.
    ///   - significantBits: how many bits of a sample mean anything.
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
    /// How long a number of frames sounds, to the attosecond below.
    ///
    /// - Parameter frameCount: from 0.
    /// - Returns: the time at this format's rate.
    package func duration(ofFrames frameCount: Int) -> Duration {
        .seconds(frameCount) / max(self.sampleRate, 1)
    }
}

extension PCMBuffer {
    /// How long it sounds, to the attosecond below.
    package var duration: Duration { self.format.duration(ofFrames: self.frameCount) }
}

extension PCMBuffer {
    /// Drops frames at both ends; all of them where more are to go than there are.
    ///
    /// - Parameters:
    ///   - leading: how many to drop at the start, counted at `sampleRate`; nothing if negative.
    ///   - trailing: how many to drop at the end.
    ///   - sampleRate: what the counts are counted at, such as the stream's where a decoder found twice its rate.
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
