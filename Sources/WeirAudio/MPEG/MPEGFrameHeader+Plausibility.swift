// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGFrameHeader {
    /// Whether the frame is sound in itself.
    ///
    /// What an encoder does not change in a stream has to be as it was. Layer III: its checksum, if it has one that fits, else its side information: granules may not claim more main
    /// data than this frame and the reservoir before it hold. Layers I and II say nothing of the kind; there the
    /// header has to be that of an earlier frame but for padding and mode extension.
    func isPlausible(_ frame: ByteView, after earlier: MPEGFrameHeader?) -> Bool {
        if let earlier {
            // Protection, copyright, original and emphasis stay as they are, and two languages stay two.
            guard (self.word ^ earlier.word) & 0x0001_000F == 0, self.isDual == earlier.isDual
            else { return false }
        }
        guard self.layer == 3 else {
            guard let earlier else { return true }
            return (self.word ^ earlier.word) & ~0x0000_0330 == 0
        }
        let end = MPEGSideInfo.offset(self) + MPEGSideInfo.byteCount(self)
        guard frame.count >= end, let side = MPEGSideInfo(frame, self) else { return false }
        if self.isProtected, self.hasRightChecksum(frame[0..<end]) { return true }
        let available = side.mainDataBegin + frame.count - end
        return !side.isContradictory && side.claimedBits <= available * 8
    }

    /// Whether the channels are two programmes.
    private var isDual: Bool { self.word >> 6 & 3 == 2 }

    /// Whether the CRC-16 fits the last two bytes of the header and the side information (ISO 11172-3 §2.4.3.1).
    private func hasRightChecksum(_ front: ByteView) -> Bool {
        // x¹⁶ + x¹⁵ + x² + 1, most significant bit first, from all ones.
        var remainder: UInt16 = 0xFFFF
        for index in 2..<front.count where index != 4 && index != 5 {
            remainder ^= UInt16(front[index]) << 8
            for _ in 0..<8 {
                remainder = remainder & 0x8000 == 0 ? remainder << 1 : remainder << 1 ^ 0x8005
            }
        }
        return remainder == front.big(4)
    }
}
