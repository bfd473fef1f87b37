// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Knows how to decode some formats.
public protocol AudioDecoderFactory: Sendable {
    /// Makes a decoder.
    ///
    /// - Parameter format: what the packets are of; a decoder decodes one section.
    /// - Returns: `nil` if this factory does not know the codec: another may.
    /// - Throws: ``AudioError`` where it knows the codec and the configuration cannot be used.
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)?
}
