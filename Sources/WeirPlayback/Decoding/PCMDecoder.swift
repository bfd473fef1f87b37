// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Converts stored samples to `Float`.
final class PCMDecoder: AudioDecoder {
    private let format: PCMFormat
    private let frameSize: Int
    private let samples: PCMSamples

    /// A decoder.
    ///
    /// - Throws: ``AudioError`` with `badConfiguration`.
    init(_ layout: PCMLayout, format: AudioFormat) throws(AudioError) {
        guard let samples = PCMSamples(layout), let channelCount = format.channelCount,
            (1...255).contains(channelCount), format.sampleRate > 0
        else {
            throw AudioError(
                .badConfiguration,
                "Uncompressed sound of \(layout.bitsPerSample) bits (\(layout.encoding.rawValue)) with "
                    + "\(format.channelCount ?? 0) channels cannot be decoded; convert it first."
            )
        }
        self.samples = samples
        self.frameSize = samples.size * channelCount
        self.format = PCMFormat(
            sampleRate: format.sampleRate,
            channelCount: channelCount,
            channelLayout: format.channelLayout,
            significantBits: samples.significantBits(format.bitsPerSample)
        )
    }

    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
        let frameCount = packet.payload.count / self.frameSize
        guard frameCount > 0 else { return nil }
        let count = frameCount * self.format.channelCount
        let samples = packet.payload.withUnsafeBytes { bytes in
            [Float](unsafeUninitializedCapacity: count) { target, initialized in
                self.samples.decode(bytes, into: target, count: count)
                initialized = count
            }
        }
        return PCMBuffer(format: self.format, samples: samples)
    }

    func reset() {}
}

/// Decodes uncompressed samples, without any library.
///
/// It supports every layout that `PCMLayout` can describe: integers of 8 to 64 bits, signed or not, floating point,
/// A-law and µ-law, in either byte order. A `Float` holds 24 bits of a sample exactly.
public struct PCMDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder of uncompressed samples.
    ///
    /// - Parameter format: the format of the packets.
    /// - Returns: `nil` if they are compressed.
    /// - Throws: ``AudioError`` with `badConfiguration` if the sample layout does not exist.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard case .pcm(let layout) = format.codec else { return nil }
        return try PCMDecoder(layout, format: format)
    }
}
