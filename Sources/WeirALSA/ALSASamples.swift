// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import WeirPlayback

/// How a device takes samples, and how they are made for it.
struct ALSASamples: Sendable {
    /// Integers, or `Float` as it is.
    let integers: PCMIntegers?
    let channelCount: Int

    init(integers: PCMIntegers?, channelCount: Int) {
        self.integers = integers
        self.channelCount = channelCount
    }

    /// As a device said when it was set up.
    init(_ sample: weir_alsa_sample, channelCount: Int) {
        let integers: PCMIntegers? =
            switch sample {
            case WEIR_ALSA_SIGNED32: .bits32
            case WEIR_ALSA_SIGNED16: .bits16
            default: nil
            }
        self.init(integers: integers, channelCount: channelCount)
    }

    /// How many bytes a frame takes.
    var frameSize: Int { (self.integers?.bytesPerSample ?? 4) * self.channelCount }

    /// Which channel of WAVE goes where: ALSA has what is behind before the centre.
    private var order: [Int]? {
        switch self.channelCount {
        case 5: [0, 1, 3, 4, 2]
        case 6: [0, 1, 4, 5, 2, 3]
        case 8: [0, 1, 4, 5, 2, 3, 6, 7]
        default: nil
        }
    }

    /// The bytes of frames.
    func bytes(of samples: [Float]) -> [UInt8] {
        let samples = self.ordered(samples)
        if let integers { return integers.bytes(of: samples) }
        return samples.withUnsafeBytes { [UInt8]($0) }
    }

    private func ordered(_ samples: [Float]) -> [Float] {
        guard let order = self.order else { return samples }
        var ordered = samples
        for frame in stride(from: 0, to: samples.count - order.count + 1, by: order.count) {
            for (place, channel) in order.enumerated() {
                ordered[frame + place] = samples[frame + channel]
            }
        }
        return ordered
    }
}
#endif
