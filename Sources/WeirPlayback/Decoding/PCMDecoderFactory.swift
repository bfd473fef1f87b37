// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Decodes uncompressed samples, without any library.
///
/// All that `PCMLayout` can say: integers of 8 to 64 bits, signed or not, floating point, A-law and µ-law,
/// in either order of bytes. A `Float` holds 24 bits of a sample exactly.
public struct PCMDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder of uncompressed samples.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` if they are compressed.
    /// - Throws: ``AudioError`` with `badConfiguration` where no such samples exist.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard case .pcm(let layout) = format.codec else { return nil }
        return try PCMDecoder(layout, format: format)
    }
}
