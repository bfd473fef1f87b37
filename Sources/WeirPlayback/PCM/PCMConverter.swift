// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes sound of one format into sound of another: channels first unless they become more, then the rate.
///
/// Formats with the same rate and channels for the same loudspeakers pass untouched, whatever their significant bits.
package struct PCMConverter: Sendable {
    /// What comes in.
    package let input: PCMFormat
    /// What goes out.
    package let output: PCMFormat
    private let map: ChannelMap?
    private var resampler: Resampler?

    /// A converter at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - input: what comes in.
    ///   - output: what goes out.
    /// - Throws: ``AudioError`` with `badFormat` where the formats differ and one has a rate outside of 1 kHz to 1 MHz
    ///   or more than 64 channels: nothing that sounds has, and converting it would take memory without end.
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

    /// Whether sound is handed on as it is.
    package var isIdentity: Bool { self.map == nil && self.resampler == nil }

    /// Converts the next sound of the stream.
    ///
    /// - Parameter buffer: of the ``input`` format.
    /// - Returns: the sound that is known by now, in the ``output`` format; it may be empty.
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
