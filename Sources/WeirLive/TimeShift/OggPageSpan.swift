// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a page of an Ogg stream lies, and how it stands to its neighbours (RFC 3533 §6).
struct OggPageSpan: Hashable, Sendable {
    /// Where its first byte is.
    var offset: Int64
    /// How many bytes it has, 27 to 65,307.
    var byteCount: Int
    /// Whether it begins in the middle of a packet.
    var isContinued: Bool
    /// Whether it is the first of its logical stream.
    var isFirst: Bool
    /// Which logical stream it belongs to.
    var serial: UInt32

    /// Where the next page should begin.
    var end: Int64 { self.offset + Int64(self.byteCount) }
}
