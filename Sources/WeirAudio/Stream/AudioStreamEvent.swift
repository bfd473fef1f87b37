// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a parser found in the bytes that were pushed, in the order of the stream.
///
/// What is rare is kept behind a reference, so that a packet is moved at the cost of a packet.
public enum AudioStreamEvent: Hashable, Sendable {
    /// The format is known, or more of it than before; packets that follow are of this format.
    indirect case format(AudioFormat)
    /// A packet.
    case packet(AudioPacket)
    /// A tag, a comment header, chapters.
    indirect case tags(AudioTags)
    /// Something was passed over and the stream goes on.
    case trouble(AudioStreamTrouble)
    /// The parser has to go on at another offset: call ``AudioStreamParser/jump(to:start:)`` and push from there.
    ///
    /// Whoever can only read forwards goes on pushing: what is before the offset is passed over. If it lies behind,
    /// the next bytes make the parser throw ``AudioStreamError/Code/unreachable``.
    case wanted(Int64)
}
