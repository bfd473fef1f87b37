// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Decodes the packets of one format.
///
/// Used by one task at a time, never by two.
public protocol AudioDecoder: AnyObject {
    /// Decodes the next packet of the stream.
    ///
    /// - Parameter packet: a packet from a parser; the caller applies its trims, and the decoder
    ///   does not.
    /// - Returns: all of the packet's own frames: as many as its duration says, at the rate and
    ///   with the channels that decoding found. The rate is twice the format's rate if the stream
    ///   turns out to be HE-AAC. `nil` if the codec makes no sound of a packet, such as the first
    ///   one in Vorbis.
    /// - Throws: ``AudioError``; the decoder can continue with the next packet, unless the error
    ///   says otherwise.
    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer?

    /// Discards its state from earlier packets: the next packet comes from elsewhere in the stream.
    func reset()
}

/// Makes decoders for some formats.
public protocol AudioDecoderFactory: Sendable {
    /// Makes a decoder.
    ///
    /// - Parameter format: the format of the packets; a decoder decodes one section.
    /// - Returns: `nil` if this factory does not support the codec; another factory may.
    /// - Throws: ``AudioError`` with `badConfiguration` when it supports the codec but not the
    ///   configuration. With `unavailable` when its library is missing: the player then tries the
    ///   next factory, and reports the error for the item if no factory supports the codec.
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)?
}
