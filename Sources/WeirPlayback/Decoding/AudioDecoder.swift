// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Makes sound of the packets of one format.
///
/// Used by one task at a time, never by two.
public protocol AudioDecoder: AnyObject {
    /// Decodes the next packet of the stream.
    ///
    /// - Parameter packet: as a parser gave it; its trims are the caller's business and are not applied here.
    /// - Returns: the packet's own frames, all of them: as many as its duration says, at the rate and with the channels
    ///   that decoding found (twice the format's rate where HE-AAC shows itself). `nil` where a codec gives nothing for
    ///   a packet, as Vorbis does for its first.
    /// - Throws: ``AudioError``; the decoder can go on with the next packet, unless the error says otherwise.
    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer?

    /// Forgets what it knows of packets before: the next is from elsewhere in the stream.
    func reset()
}

/// Knows how to decode some formats.
public protocol AudioDecoderFactory: Sendable {
    /// Makes a decoder.
    ///
    /// - Parameter format: what the packets are of; a decoder decodes one section.
    /// - Returns: `nil` if this factory does not know the codec: another may.
    /// - Throws: ``AudioError`` with `badConfiguration` where it knows the codec and the configuration cannot be used;
    ///   with `unavailable` where what it decodes with is not there: the next factory is asked, and the error is the
    ///   item's if none knows the codec.
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)?
}
