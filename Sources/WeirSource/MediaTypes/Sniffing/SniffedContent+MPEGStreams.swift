// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// MPEG transport, program and video streams (ISO/IEC 13818-1 §2.4.3, §2.5.3; 13818-2 §6.2.2).
    static func mpegStream(_ window: ByteWindow) -> SniffedContent? {
        // Packets of 188 bytes; with a time code of 4 bytes before each (M2TS); with 16 bytes of
        // parity behind each.
        for (start, step) in [(0, 188), (4, 192), (0, 204)] {
            let isSynchronized = (0..<3).allSatisfy { window[start + $0 * step] == 0x47 }
            if isSynchronized { return SniffedContent(.mpegTransportStream) }
        }
        // A pack header; the bits that follow tell MPEG-2 (01) from MPEG-1 (0010).
        if window.has([0x00, 0x00, 0x01, 0xBA]), let next = window[4],
            next & 0xC0 == 0x40 || next & 0xF0 == 0x20
        {
            return SniffedContent(.mpegVideo)
        }
        // A sequence header, its width and height not zero.
        if window.has([0x00, 0x00, 0x01, 0xB3]), let size = window.bigEndian32(at: 4),
            size >> 20 != 0, size >> 8 & 0xFFF != 0
        {
            return SniffedContent(.mpegVideo)
        }
        return nil
    }
}
