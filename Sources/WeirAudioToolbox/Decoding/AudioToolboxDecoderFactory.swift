// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
public import WeirAudio
public import WeirPlayback

/// Decodes with what Apple's systems bring along: MPEG audio, AAC of every kind, ALAC, FLAC and Opus.
///
/// Vorbis is not among them, and uncompressed sound needs no decoder of a system's.
public struct AudioToolboxDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` for codecs that Apple's systems do not decode.
    /// - Throws: `AudioError` where the system knows the codec and cannot use the configuration.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard let description = CodecDescription(format) else { return nil }
        return try AudioConverterDecoder(format, description)
    }
}
#endif
