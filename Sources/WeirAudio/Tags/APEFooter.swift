// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The 32 bytes in front of an APE tag, behind it, or both (wiki.hydrogenaud.io: APEv2 specification).
///
///     "APETAGEX" | u32 version 1000 or 2000 | u32 size of items and footer | u32 count | u32 flags | 8 zeros
///     flags: bit 31 there is a header, bit 29 this is the header; numbers with the least byte first
struct APEFooter: Hashable, Sendable {
    /// How many bytes the items and the footer have together.
    let size: UInt32
    /// How many items there are.
    let count: UInt32
    /// Whether this is the header, and items follow.
    let isHeader: Bool

    /// Reads a header or a footer.
    ///
    /// Fails if there is none, or it is cut.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - offset: where it starts.
    init?(_ view: ByteView, at offset: Int = 0) {
        guard view.count - offset >= 32, view.matches("APETAGEX", at: offset) else { return nil }
        let version: UInt32 = view.little(offset + 8)
        self.size = view.little(offset + 12)
        self.count = view.little(offset + 16)
        self.isHeader = version >= 2000 && view.little(offset + 20, UInt32.self) & 1 << 29 != 0
    }
}
