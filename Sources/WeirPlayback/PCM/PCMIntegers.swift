// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Samples as little-endian integers, as they are written to a file or a pipe.
///
/// They are rounded to the nearest integer, halves to the even one, and clipped at full scale, as
/// in libswresample. The bytes are those that `ffmpeg -c:a pcm_s16le` (`pcm_s24le`, `pcm_s32le`)
/// makes from the same samples.
package enum PCMIntegers: Int, Sendable, CaseIterable {
    /// 16 bits.
    case bits16 = 16
    /// 24 bits in three bytes.
    case bits24 = 24
    /// 32 bits.
    case bits32 = 32

    /// The fewest bits that hold a format without loss.
    package init(significantBits: Int) {
        self = significantBits <= 16 ? .bits16 : significantBits <= 24 ? .bits24 : .bits32
    }

    /// How many bytes a sample has.
    package var bytesPerSample: Int { self.rawValue / 8 }

    /// Writes contiguous samples.
    ///
    /// - Parameters:
    ///   - samples: any number of samples.
    ///   - target: room for ``bytesPerSample`` times their number, at any address.
    package func write(
        _ samples: UnsafeBufferPointer<Float>,
        to target: UnsafeMutableRawPointer
    ) {
        switch self {
        case .bits16:
            for index in 0..<samples.count {
                target.storeBytes(
                    of: Self.integer16(samples[index]).littleEndian,
                    toByteOffset: 2 &* index,
                    as: Int16.self
                )
            }
        case .bits24:
            for index in 0..<samples.count {
                // The upper 24 bits of 32, as FFmpeg's encoder takes them.
                let value = Self.integer32(samples[index])
                let bytes = target + 3 &* index
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value &>> 8), as: UInt8.self)
                (bytes + 1).storeBytes(of: UInt8(truncatingIfNeeded: value &>> 16), as: UInt8.self)
                (bytes + 2).storeBytes(of: UInt8(truncatingIfNeeded: value &>> 24), as: UInt8.self)
            }
        case .bits32:
            for index in 0..<samples.count {
                target.storeBytes(
                    of: Self.integer32(samples[index]).littleEndian,
                    toByteOffset: 4 &* index,
                    as: Int32.self
                )
            }
        }
    }

    /// The bytes of samples, as a new array.
    package func bytes(of samples: [Float]) -> [UInt8] {
        let count = samples.count * self.bytesPerSample
        return [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            guard let base = target.baseAddress else { return }
            samples.withUnsafeBufferPointer { self.write($0, to: UnsafeMutableRawPointer(base)) }
            initialized = count
        }
    }

    /// A sample as 16 bits; NaN becomes silence.
    ///
    /// Adding 1.5 · 2²³ to a `Float` below 2²² leaves its nearest integer in the low bits.
    /// Processors round sums to the nearest number, halves to the even one. Every processor has a
    /// vector instruction for this addition, but not for rounding.
    @inline(__always)
    package static func integer16(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        // A comparison with NaN is false.
        let low = scaled < -32_768 ? -32_768 : scaled
        let cut = low < 32_767 ? low : low >= 32_767 ? 32_767 : 0
        return Int16(truncatingIfNeeded: (cut + 0x1.8p23).bitPattern)
    }

    /// A sample as 32 bits, in the same way with 1.5 · 2⁵² and a `Double`.
    @inline(__always)
    package static func integer32(_ sample: Float) -> Int32 {
        let scaled = Double(sample) * 0x1p31
        let low = scaled < -0x1p31 ? -0x1p31 : scaled
        let cut = low < 0x1p31 - 1 ? low : low >= 0x1p31 - 1 ? 0x1p31 - 1 : 0
        return Int32(truncatingIfNeeded: (cut + 0x1.8p52).bitPattern)
    }
}
