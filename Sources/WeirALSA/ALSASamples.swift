// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import WeirPlayback

/// A device's sample format, and the conversion to it.
struct ALSASamples: Sendable {
    let sample: weir_alsa_sample
    let channelCount: Int
    private var dither = Dither()

    /// Samples in the format that the device reported when it was set up.
    init(_ sample: weir_alsa_sample, channelCount: Int) {
        self.sample = sample
        self.channelCount = channelCount
    }

    /// How many bytes a frame has.
    var frameSize: Int {
        let size =
            switch self.sample {
            case WEIR_ALSA_SIGNED16: 2
            case WEIR_ALSA_SIGNED24_PACKED: 3
            default: 4
            }
        return size * self.channelCount
    }

    /// The bytes of whole frames.
    ///
    /// When 16 bits cannot hold the samples exactly, the function adds noise of the size of the last bit. The
    /// rounding error is then noise too, not distortion.
    mutating func bytes(of samples: [Float]) -> [UInt8] {
        var samples = self.ordered(samples)
        switch self.sample {
        case WEIR_ALSA_SIGNED32: return PCMIntegers.bits32.bytes(of: samples)
        case WEIR_ALSA_SIGNED24_PACKED: return PCMIntegers.bits24.bytes(of: samples)
        case WEIR_ALSA_SIGNED24:
            let values = samples.map { (PCMIntegers.integer32($0) >> 8).littleEndian }
            return values.withUnsafeBytes { [UInt8]($0) }
        case WEIR_ALSA_SIGNED16:
            if Dither.isNeeded(samples) { self.dither.add(to: &samples) }
            return PCMIntegers.bits16.bytes(of: samples)
        default: return samples.withUnsafeBytes { [UInt8]($0) }
        }
    }

    private func ordered(_ samples: [Float]) -> [Float] {
        guard let order = ALSALayout.order(self.channelCount) else { return samples }
        var ordered = samples
        for frame in stride(from: 0, to: samples.count - order.count + 1, by: order.count) {
            for (place, channel) in order.enumerated() {
                ordered[frame + place] = samples[frame + channel]
            }
        }
        return ordered
    }
}

/// Noise of triangular distribution, two steps of 16 bits wide.
struct Dither: Sendable {
    private var state: UInt32 = 0x9E37_79B9

    /// Whether samples need more than 16 bits.
    static func isNeeded(_ samples: [Float]) -> Bool {
        samples.contains {
            let scaled = $0 * 32_768
            return scaled != scaled.rounded(.towardZero) && scaled == scaled
        }
    }

    /// Adds noise to samples.
    mutating func add(to samples: inout [Float]) {
        for index in samples.indices {
            let noise = self.next() - self.next()
            samples[index] += noise * 0x1p-15
        }
    }

    /// A number from 0 up to 1, by a linear congruence (Numerical Recipes §7.1); its upper bits are random enough.
    private mutating func next() -> Float {
        self.state = self.state &* 1_664_525 &+ 1_013_904_223
        return Float(self.state >> 8) * 0x1p-24
    }
}
#endif
