// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How much a parser keeps, whatever a stream asks for.
///
/// Beside these a parser keeps less than 1 MiB, not counting the chunk that it was given last. What is large is held
/// more than once while it is taken apart: as bytes that were gathered and as what is made of them, and a tag in whose
/// bytes others were put (unsynchronised) once more.
public struct AudioStreamLimits: Hashable, Sendable {
    /// The longest packet in bytes; one that claims more is an error.
    public var packet: Int
    /// The largest tag in bytes that is read, its pictures included.
    ///
    /// A larger one is passed over with a word of trouble.
    public var tag: Int
    /// The largest index of an MP4 file in bytes (`moov`, or one `moof`).
    public var index: Int

    /// Limits; the defaults are 4 MiB for a packet, 16 MiB for a tag, 64 MiB for an index.
    public init(packet: Int = 4 << 20, tag: Int = 16 << 20, index: Int = 64 << 20) {
        self.packet = packet
        self.tag = tag
        self.index = index
    }
}
