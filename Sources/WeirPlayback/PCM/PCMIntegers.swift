// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Samples as little-endian integers: as they are written to a file or a pipe.
///
/// Rounded to the nearest, halves to the even, and cut off at full scale, as libswresample does it: the bytes are
/// those that `ffmpeg -c:a pcm_s16le` (`pcm_s24le`, `pcm_s32le`) makes of the same samples.
package enum PCMIntegers: Int, Sendable, CaseIterable {
    /// 16 bits.
    case bits16 = 16
    /// 24 bits in three bytes.
    case bits24 = 24
    /// 32 bits.
    case bits32 = 32

    /// The fewest bits that lose nothing of a format.
    package init(significantBits: Int) {
        self = significantBits <= 16 ? .bits16 : significantBits <= 24 ? .bits24 : .bits32
    }

    /// How many bytes a sample takes.
    package var bytesPerSample: Int { self.rawValue / 8 }

    /// Writes samples behind each other.
    ///
    /// - Parameters:
    ///   - samples: of any number.
    ///   - target: room for as many times ``bytesPerSample``, at any address.
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
                // The upper 24 bits of 32: that is how the encoder of FFmpeg comes by them.
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

    /// The bytes of samples, as an array of their own.
    package func bytes(of samples: [Float]) -> [UInt8] {
        let count = samples.count * self.bytesPerSample
        return [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            guard let base = target.baseAddress else { return }
            samples.withUnsafeBufferPointer { self.write($0, to: UnsafeMutableRawPointer(base)) }
            initialized = count
        }
    }

    /// A sample as 16 bits; what is no number is silence.
    ///
    /// Adding 1.5 · 2²³ to a `Float` of less than 2²² leaves its nearest integer in the low bits, since processors
    /// round sums to the nearest, halves to the even: a vector instruction everywhere, as rounding is not.
    @inline(__always)
    package static func integer16(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        // A comparison with what is no number is false.
        let low = scaled < -32_768 ? -32_768 : scaled
        let cut = low < 32_767 ? low : low >= 32_767 ? 32_767 : 0
        return Int16(truncatingIfNeeded: (cut + 0x1.8p23).bitPattern)
    }

    /// A sample as 32 bits: the same with 1.5 · 2⁵² and a `Double`.
    @inline(__always)
    package static func integer32(_ sample: Float) -> Int32 {
        let scaled = Double(sample) * 0x1p31
        let low = scaled < -0x1p31 ? -0x1p31 : scaled
        let cut = low < 0x1p31 - 1 ? low : low >= 0x1p31 - 1 ? 0x1p31 - 1 : 0
        return Int32(truncatingIfNeeded: (cut + 0x1.8p52).bitPattern)
    }
}
