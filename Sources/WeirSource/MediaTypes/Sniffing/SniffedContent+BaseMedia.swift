// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// ISO base media files (ISO/IEC 14496-12 §4.2) and QuickTime before them.
    ///
    /// ```
    /// | size, 32 bits | type, 4 letters | major brand, 4 letters, if the type is ftyp
    /// ```
    static func baseMedia(_ window: ByteWindow) -> SniffedContent? {
        guard let size = window.bigEndian32(at: 0), window.count >= 8 else { return nil }
        if window.has("ftyp", at: 4) || window.has("styp", at: 4) {
            guard window.count >= 12 else { return nil }
            return Self.branded(window)
        }
        // 0: up to the end of the file; 1: the size follows in 64 bits.
        let isSize = size <= 1 || size >= 8
        if isSize, window.has("moov", at: 4) || window.has("mdat", at: 4) {
            return Self.unbranded
        }
        if isSize, window.has("moof", at: 4) || window.has("sidx", at: 4) {
            return SniffedContent(undecided: .mp4Video)
        }
        // These are words as well: not below a size that is text.
        let padding: [StaticString] = ["free", "skip", "wide", "pnot"]
        if isSize, size < 0x0100_0000, padding.contains(where: { window.has($0, at: 4) }) {
            return Self.unbranded
        }
        return nil
    }

    /// Without a brand a file is QuickTime by definition, yet writers have left the brand out of MP4.
    private static let unbranded = SniffedContent(.quickTime, or: [.mp4Video, .mp4Audio])

    private static func branded(_ window: ByteWindow) -> SniffedContent {
        let brands: [(StaticString, SniffedContent)] = [
            ("M4A ", SniffedContent(.mp4Audio)),
            ("M4B ", SniffedContent(.mp4Audio)),
            ("M4P ", SniffedContent(.mp4Audio)),
            ("F4A ", SniffedContent(.mp4Audio)),
            ("F4B ", SniffedContent(.mp4Audio)),
            ("M4V", SniffedContent(.mp4Video)),
            ("qt  ", SniffedContent(.quickTime)),
            ("3g2", SniffedContent(.threeGPP2Video)),
            ("KDDI", SniffedContent(.threeGPP2Video)),
            ("3g", SniffedContent(undecided: .threeGPPVideo)),
            ("3G", SniffedContent(undecided: .threeGPPVideo)),
            ("avif", SniffedContent(.avif)),
            ("avis", SniffedContent(.avif)),
            ("heic", SniffedContent(.heic)),
            ("heix", SniffedContent(.heic)),
            ("mif1", SniffedContent(.heic)),
        ]
        return brands.first { window.has($0.0, at: 8) }?.1 ?? SniffedContent(undecided: .mp4Video)
    }
}
