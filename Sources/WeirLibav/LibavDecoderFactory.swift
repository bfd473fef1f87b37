// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
public import WeirAudio
public import WeirPlayback

/// Decodes with FFmpeg's libavcodec: MPEG audio, AAC, Vorbis, Opus, FLAC and Apple Lossless.
///
/// The library is told to trim nothing and to use one thread; what it would write to the standard error it keeps to
/// itself, in the whole process. An Opus header's output gain is applied by the library.
///
/// MPEG audio of free bit rate is not decoded: the library cannot.
public struct LibavDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` for uncompressed and unknown codecs, and those that the installed library was built without.
    /// - Throws: ``/WeirPlayback/AudioError`` with `badConfiguration` if the library refuses the configuration.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard let codec = LibavCodec(format.codec) else { return nil }
        return try LibavDecoder(codec, format: format)
    }
}
#endif
