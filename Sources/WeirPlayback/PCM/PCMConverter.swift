// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Converts sound from one format to another.
///
/// The channels are converted first, unless their number grows, and then the rate. Formats with the same rate and
/// loudspeakers need no conversion, whatever their significant bits.
package struct PCMConverter: Sendable {
    /// The input format.
    package let input: PCMFormat
    /// The output format.
    package let output: PCMFormat
    private let map: ChannelMap?
    private var resampler: Resampler?

    /// A converter at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - input: the input format.
    ///   - output: the output format.
    /// - Throws: ``AudioError`` with `badFormat` when the formats differ and one has a rate outside of 1 kHz to
    ///   1 MHz or more than 64 channels. No real sound has such a format, and converting it could take unlimited
    ///   memory.
    package init(from input: PCMFormat, to output: PCMFormat) throws(AudioError) {
        self.input = input
        self.output = output
        let needsMap = ChannelMap.isNeeded(from: input, to: output)
        let needsRate = input.sampleRate != output.sampleRate
        if needsMap || needsRate {
            for format in [input, output] {
                guard (1000...1_000_000).contains(format.sampleRate),
                    (1...64).contains(format.channelCount)
                else {
                    throw AudioError(
                        .badFormat,
                        "Sound of \(format.channelCount) channels at \(format.sampleRate) Hz cannot be converted."
                    )
                }
            }
        }
        self.map = needsMap ? ChannelMap(from: input, to: output) : nil
        self.resampler =
            needsRate
            ? Resampler(
                from: input.sampleRate,
                to: output.sampleRate,
                channelCount: min(input.channelCount, output.channelCount)
            ) : nil
    }

    /// Whether sound passes unchanged.
    package var isIdentity: Bool { self.map == nil && self.resampler == nil }

    /// Converts the next sound of the stream.
    ///
    /// - Parameter buffer: sound in the ``input`` format.
    /// - Returns: the sound that is complete by now, in the ``output`` format; it may be empty.
    package mutating func convert(_ buffer: PCMBuffer) -> PCMBuffer {
        if self.isIdentity { return PCMBuffer(format: self.output, samples: buffer.samples) }
        var samples = buffer.samples
        if let map, map.outputCount <= map.inputCount { samples = map.apply(samples) }
        if self.resampler != nil { samples = self.resampler?.push(samples) ?? [] }
        return self.widened(samples)
    }

    /// Ends the stream, and begins a new one.
    ///
    /// - Returns: the sound that waited for the next samples; it may be empty.
    package mutating func finish() -> PCMBuffer {
        self.widened(self.resampler?.finish() ?? [])
    }

    private func widened(_ samples: [Float]) -> PCMBuffer {
        guard let map, map.outputCount > map.inputCount else {
            return PCMBuffer(format: self.output, samples: samples)
        }
        return PCMBuffer(format: self.output, samples: map.apply(samples))
    }
}
