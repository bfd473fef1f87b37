// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// MPEG audio and ADTS: frames that begin with a synchronization word and nothing else.
    static func audioFrames(_ window: ByteWindow) -> SniffedContent? {
        guard let word = window.bigEndian32(at: 0) else { return nil }
        if let header = MPEGAudioHeader(word) {
            return Self.agrees(header, window) ? SniffedContent(.mpegAudio) : nil
        }
        if let length = Self.adtsFrameLength(window, at: 0) {
            let next = window.dropping(length)
            // Every fixed bit of the header but the copyright bits is the same in the next frame.
            guard let nextWord = next.bigEndian32(at: 0) else { return SniffedContent(.aac) }
            return (word ^ nextWord) & 0xFFFF_FFC0 & ~0x0000_0200 == 0 ? SniffedContent(.aac) : nil
        }
        return nil
    }

    /// Whether the next header, where the bytes reach it, belongs to the same stream.
    private static func agrees(_ header: MPEGAudioHeader, _ window: ByteWindow) -> Bool {
        if let length = header.frameLength {
            guard let next = window.bigEndian32(at: length) else {
                // FF FE is also how every UTF-16 text begins: Layer I must be confirmed.
                return header.layer != .first
            }
            return header.continues(in: next)
        }
        // A free bit rate gives no length: look for the next header as far as a frame can reach.
        return (24..<max(24, window.count)).contains { offset in
            window[offset] == 0xFF && window.bigEndian32(at: offset).map(header.continues) == true
        }
    }

    /// The length of an ADTS frame with its header (ISO/IEC 14496-3 §1.A.2).
    ///
    /// ```
    /// 12 sync FFF | 1 version | 2 layer 0 | 1 no CRC | 2 profile | 4 rate, below 13 | 1 private
    /// | 3 channels | 4 | 13 frame length | 11 fullness | 2 blocks
    /// ```
    private static func adtsFrameLength(_ window: ByteWindow, at offset: Int) -> Int? {
        guard let word = window.bigEndian32(at: offset), word >> 16 & 0xFFF6 == 0xFFF0,
            word >> 10 & 0xF < 13, let fourth = window[offset + 4], let fifth = window[offset + 5]
        else { return nil }
        let length = Int(word & 0x3) << 11 | Int(fourth) << 3 | Int(fifth) >> 5
        let headerLength = word & 0x0001_0000 != 0 ? 7 : 9
        return length > headerLength ? length : nil
    }
}
