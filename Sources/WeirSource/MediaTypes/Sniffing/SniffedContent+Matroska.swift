// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// Matroska and WebM: an EBML header (RFC 8794 §11.2) that names its document type.
    static func matroska(_ window: ByteWindow) -> SniffedContent? {
        guard window.has([0x1A, 0x45, 0xDF, 0xA3]), let header = Self.variableSize(window, at: 4)
        else { return nil }
        var offset = 4 + header.width
        // Every element is at least two bytes long, so the window bounds the loop.
        while offset < window.count {
            guard let first = window[offset], first != 0 else { return nil }
            let identifierWidth = first.leadingZeroBitCount + 1
            guard let size = Self.variableSize(window, at: offset + identifierWidth) else {
                return nil
            }
            let content = offset + identifierWidth + size.width
            if window.has([0x42, 0x82], at: offset) {
                return Self.documentType(window, at: content, length: size.value)
            }
            guard size.value < UInt64(window.count) else { return nil }
            offset = content + Int(size.value)
        }
        return nil
    }

    private static func documentType(
        _ window: ByteWindow,
        at offset: Int,
        length: UInt64
    ) -> SniffedContent? {
        if length >= 4, window.has("webm", at: offset) {
            return SniffedContent(undecided: .webMVideo)
        }
        if length >= 8, window.has("matroska", at: offset) {
            return SniffedContent(undecided: .matroskaVideo)
        }
        return nil
    }

    /// A size of 1 to 8 bytes: as many zero bits as bytes follow, a one, and the value (RFC 8794 §4).
    private static func variableSize(
        _ window: ByteWindow,
        at offset: Int
    ) -> (value: UInt64, width: Int)? {
        guard let first = window[offset], first != 0 else { return nil }
        let width = first.leadingZeroBitCount + 1
        var value = UInt64(first) & ((1 << (8 - width)) - 1)
        for index in 1..<max(1, width) {
            guard let byte = window[offset + index] else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return (value, width)
    }
}
