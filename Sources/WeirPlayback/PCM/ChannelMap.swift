// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes frames of some channels into frames of others.
///
/// One channel goes to the left and the right. More than two become two by the coefficients of ITU-R BS.775 (1/√2 for
/// the centre and the channels behind, without low frequencies), attenuated so that nothing is cut off, as
/// `ffmpeg -ac 2` does it; one is their mean. Output channels beyond those of the input stay silent.
package struct ChannelMap: Sendable {
    /// How many channels come in.
    package let inputCount: Int
    /// How many go out.
    package let outputCount: Int
    /// The factor of each input channel for each output channel, those of an output behind each other.
    private let factors: [Float]

    /// A map.
    ///
    /// - Parameters:
    ///   - inputCount: how many channels come in, from 1, in the order of WAVE.
    ///   - outputCount: how many go out, from 1.
    package init(from inputCount: Int, to outputCount: Int) {
        precondition(inputCount > 0 && outputCount > 0, "sound has channels")
        self.inputCount = inputCount
        self.outputCount = outputCount
        self.factors = Self.factors(inputCount, outputCount)
    }

    /// Maps sound; handed on as it is where the channels are as many.
    ///
    /// - Parameter samples: whole frames of ``inputCount`` channels.
    /// - Returns: as many frames of ``outputCount``.
    package func apply(_ samples: [Float]) -> [Float] {
        if self.inputCount == self.outputCount { return samples }
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

    private static func factors(_ inputCount: Int, _ outputCount: Int) -> [Float] {
        var factors = [Float](repeating: 0, count: inputCount * outputCount)
        if outputCount > inputCount, inputCount > 1 {
            for channel in 0..<inputCount { factors[channel * inputCount + channel] = 1 }
            return factors
        }
        var (left, right) = Self.stereo(of: inputCount)
        let loudest = max(1, left.reduce(0, +), right.reduce(0, +))
        for channel in 0..<inputCount {
            left[channel] /= loudest
            right[channel] /= loudest
            if outputCount == 1 {
                factors[channel] = (left[channel] + right[channel]) / 2
            } else {
                factors[channel] = left[channel]
                factors[inputCount + channel] = right[channel]
            }
        }
        return factors
    }

    /// What of each channel goes to the left and to the right, before it is made quieter.
    private static func stereo(of count: Int) -> (left: [Float], right: [Float]) {
        let half = Float(0.5).squareRoot()
        let (left, right): ([Float], [Float]) =
            switch count {
            case 1: ([1], [1])
            case 2: ([1, 0], [0, 1])
            case 3: ([1, 0, half], [0, 1, half])
            case 4: ([1, 0, half, 0], [0, 1, 0, half])
            case 5: ([1, 0, half, half, 0], [0, 1, half, 0, half])
            case 6: ([1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half])
            case 7: ([1, 0, half, 0, 0.5, half, 0], [0, 1, half, 0, 0.5, 0, half])
            default: ([1, 0, half, 0, half, 0, half, 0], [0, 1, half, 0, 0, half, 0, half])
            }
        let rest = [Float](repeating: 0, count: max(0, count - left.count))
        return (left + rest, right + rest)
    }
}
