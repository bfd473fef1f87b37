// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Changes the gain of sound without a click.
///
/// A new gain is reached over the length of the first buffer that it is requested for. Sound at full gain passes
/// unchanged.
package struct GainRamp: Sendable {
    /// The gain of the last frame.
    package private(set) var gain: Float

    /// A constant ramp.
    ///
    /// - Parameter gain: the gain of sound before the first buffer.
    package init(gain: Float = 1) {
        self.gain = gain
    }

    /// Multiplies sound by a gain, which is reached with the last frame.
    ///
    /// - Parameters:
    ///   - target: the gain; 1 changes nothing.
    ///   - buffer: the sound.
    package mutating func apply(_ target: Float, to buffer: inout PCMBuffer) {
        let start = self.gain
        let channelCount = buffer.format.channelCount
        let frameCount = buffer.frameCount
        guard frameCount > 0 else { return }
        self.gain = target
        if start == target {
            if target != 1 { Self.scale(&buffer.samples, by: target) }
            return
        }
        let step = (target - start) / Float(frameCount)
        buffer.samples.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for frame in 0..<frameCount {
                let factor = frame == frameCount - 1 ? target : start + step * Float(frame + 1)
                for channel in 0..<channelCount {
                    base[frame &* channelCount &+ channel] *= factor
                }
            }
        }
    }

    private static func scale(_ samples: inout [Float], by factor: Float) {
        samples.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for index in 0..<samples.count { base[index] *= factor }
        }
    }
}
