// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The loudness of sound, for each channel.
public struct AudioLevel: Hashable, Sendable {
    /// The largest magnitude of each channel, from 0 to 1 (above 1 where it would clip).
    public var peaks: [Float]
    /// The root mean square of each channel, from 0 to 1.
    public var powers: [Float]

    /// Silence, without channels.
    public init() {
        self.peaks = []
        self.powers = []
    }

    /// Levels with the same number of channels.
    public init(peaks: [Float], powers: [Float]) {
        self.peaks = peaks
        self.powers = powers
    }
}

extension AudioLevel {
    /// The level of the same sound, multiplied by a factor.
    func scaled(by gain: Float) -> AudioLevel {
        if gain == 1 { return self }
        return AudioLevel(
            peaks: self.peaks.map { $0 * gain },
            powers: self.powers.map { $0 * gain }
        )
    }

    /// Measures sound, in time linear in its length.
    ///
    /// - Parameter buffer: any sound; an empty buffer measures as silence.
    public init(of buffer: PCMBuffer) {
        let channelCount = buffer.format.channelCount
        let frameCount = buffer.frameCount
        self.init(
            peaks: [Float](repeating: 0, count: channelCount),
            powers: [Float](repeating: 0, count: channelCount)
        )
        guard frameCount > 0 else { return }
        buffer.samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            let scale = 1 / Float(frameCount)
            for channel in 0..<channelCount {
                let (peak, sum) =
                    channelCount <= 2
                    ? Self.measured(base, channel: channel, of: channelCount, frameCount)
                    : Self.measuredSlowly(base + channel, stride: channelCount, frameCount)
                self.peaks[channel] = peak
                self.powers[channel] = (sum * scale).squareRoot()
            }
        }
    }

    /// Mono and stereo in vectors of eight samples.
    private static func measured(
        _ base: UnsafePointer<Float>,
        channel: Int,
        of channelCount: Int,
        _ frameCount: Int
    ) -> (peak: Float, sum: Float) {
        let step = 8 / channelCount
        let whole = frameCount / step
        var peaks = SIMD8<Float>.zero
        var sums = SIMD8<Float>.zero
        let source = UnsafeRawPointer(base)
        for index in 0..<whole {
            let values = source.loadUnaligned(fromByteOffset: 32 &* index, as: SIMD8<Float>.self)
            sums += values * values
            let negated = SIMD8<Float>.zero - values
            let magnitudes = values.replacing(with: negated, where: negated .> values)
            peaks.replace(with: magnitudes, where: magnitudes .> peaks)
        }
        var (peak, sum) = Self.measuredSlowly(
            base + whole * 8 + channel,
            stride: channelCount,
            frameCount - whole * step
        )
        for lane in stride(from: channel, to: 8, by: channelCount) {
            peak = max(peak, peaks[lane])
            sum += sums[lane]
        }
        return (peak, sum)
    }

    private static func measuredSlowly(
        _ base: UnsafePointer<Float>,
        stride: Int,
        _ frameCount: Int
    ) -> (peak: Float, sum: Float) {
        var peak: Float = 0
        var sum: Float = 0
        for index in 0..<frameCount {
            let value = base[index &* stride]
            peak = value.magnitude > peak ? value.magnitude : peak
            sum += value * value
        }
        return (peak, sum)
    }
}
