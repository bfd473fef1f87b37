// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Converts frames from one loudspeaker layout to another.
///
/// A channel goes only to its own loudspeaker if the output has it, or else to the loudspeakers
/// that ``ChannelFold`` chooses. When an output channel could exceed full scale, all channels are
/// attenuated alike, so that none clips. `ffmpeg -ac 2` does the same, except for mono: here it
/// goes to left and right unchanged, whatever its loudspeaker. Mono output is the mean of left and
/// right. Output channels without input are silent.
package struct ChannelMap: Sendable {
    /// The number of input channels.
    package let inputCount: Int
    /// The number of output channels.
    package let outputCount: Int
    /// The factor of each input channel for each output channel; the factors of one output are
    /// contiguous.
    private let factors: [Float]

    /// A map.
    ///
    /// - Parameters:
    ///   - input: the input format, from one channel.
    ///   - output: the output format, from one channel.
    package init(from input: PCMFormat, to output: PCMFormat) {
        precondition(input.channelCount > 0 && output.channelCount > 0, "sound has channels")
        self.inputCount = input.channelCount
        self.outputCount = output.channelCount
        if output.channelCount == 1 {
            let stereo = Self.factors(input, .stereo, 2)
            self.factors = (0..<self.inputCount).map { [inputCount] in
                (stereo[$0] + stereo[inputCount + $0]) / 2
            }
        } else {
            self.factors = Self.factors(input, output.channelLayout, output.channelCount)
        }
    }

    /// Whether frames need conversion between two formats: mono to mono does not, for any
    /// loudspeaker.
    package static func isNeeded(from input: PCMFormat, to output: PCMFormat) -> Bool {
        if input.channelCount != output.channelCount { return true }
        return input.channelCount > 1 && input.channelLayout != output.channelLayout
    }

    /// Maps sound.
    ///
    /// - Parameter samples: whole frames of ``inputCount`` channels.
    /// - Returns: as many frames of ``outputCount``.
    package func apply(_ samples: [Float]) -> [Float] {
        let frameCount = samples.count / self.inputCount
        let count = frameCount * self.outputCount
        let (inputCount, outputCount) = (self.inputCount, self.outputCount)
        return [Float](unsafeUninitializedCapacity: count) { target, initialized in
            initialized = count
            samples.withUnsafeBufferPointer { source in
                self.factors.withUnsafeBufferPointer { factors in
                    guard let target = target.baseAddress, let source = source.baseAddress,
                        let factors = factors.baseAddress
                    else { return }
                    for frame in 0..<frameCount {
                        let input = source + frame &* inputCount
                        for channel in 0..<outputCount {
                            let row = factors + channel &* inputCount
                            var sum: Float = 0
                            for index in 0..<inputCount { sum += row[index] * input[index] }
                            target[frame &* outputCount &+ channel] = sum
                        }
                    }
                }
            }
        }
    }

    private static func factors(
        _ input: PCMFormat,
        _ layout: ChannelLayout,
        _ outputCount: Int
    ) -> [Float] {
        let fold = ChannelFold(
            from: input.channelLayout,
            // Without front channels in the output, its first two channels count as left and right.
            to: layout.isSuperset(of: .stereo) || layout.contains(.frontCentre) ? layout : .stereo
        )
        let positions = input.channelLayout.positions
        let targets = fold.output.positions
        var factors = [Float](repeating: 0, count: outputCount * input.channelCount)
        for channel in 0..<input.channelCount {
            let parts: [ChannelFold.Part]
            if input.channelCount == 1 {
                parts = fold.partsOfMono
            } else if channel < positions.count {
                parts = fold.parts(of: positions[channel])
            } else {
                parts = fold.parts(of: .frontCentre)
            }
            for part in parts {
                guard let target = targets.firstIndex(of: part.position) else { continue }
                factors[target * input.channelCount + channel] += part.factor
            }
        }
        let sums = stride(from: 0, to: factors.count, by: input.channelCount).map {
            factors[$0..<$0 + input.channelCount].reduce(0, +)
        }
        let loudest = max(1, sums.max() ?? 1)
        return factors.map { $0 / loudest }
    }
}
