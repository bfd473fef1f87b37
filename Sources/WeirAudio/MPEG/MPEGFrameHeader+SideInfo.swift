// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The side information of a layer III frame, as far as it can contradict itself.
///
/// See ISO 11172-3 §2.4.1.7 and 13818-3 §2.4.1.7.
///
///     MPEG-1:  main_data_begin 9, private 5 (mono) or 3, scfsi 4 a channel,
///              then two granules, each with a part for each channel
///     MPEG-2:  main_data_begin 8, private 1 (mono) or 2,
///              then one granule with a part for each channel
///     a part:  part2_3_length 12, big_values 9, global_gain 8, scalefac_compress 4 (MPEG-2: 9),
///              window_switching 1; if it is set: block_type 2, mixed 1, 19 more; if not: 22,
///              preflag 1 (MPEG-1 only), scalefac_scale 1, count1table_select 1
extension MPEGFrameHeader {
    /// How many bytes the side information has: 17 or 32 in MPEG-1, 9 or 17 in MPEG-2.
    @inline(__always)
    var sideInfoByteCount: Int {
        switch (self.isMPEG1, self.isMono) {
        case (true, false): 32
        case (false, true): 9
        default: 17
        }
    }

    /// The offset of the side information in a frame.
    @inline(__always)
    var sideInfoOffset: Int { self.isProtected ? 6 : 4 }

    /// How many bytes back in the bit reservoir the frame's main data begin.
    ///
    /// - Parameter frame: at least the first eight bytes of a layer III frame.
    /// - Returns: bytes, 0 to 511.
    @inline(__always)
    func mainDataBegin(_ frame: ByteView) -> Int {
        let word = Int(frame.big(self.sideInfoOffset, UInt16.self))
        return self.isMPEG1 ? word >> 7 : word >> 8
    }

    /// Reads the side information.
    ///
    /// - Parameter frame: a layer III frame, or its front.
    /// - Returns: where the main data begin; how many bits of main data the parts claim; whether a
    ///   part has a forbidden value. `nil` if the frame is too short.
    private func sideInfo(
        _ frame: ByteView
    ) -> (mainDataBegin: Int, claimedBits: Int, isContradictory: Bool)? {
        let channels = self.channelCount
        var bits = BitReader(frame, at: self.sideInfoOffset * 8)
        guard let begin = bits.read(self.isMPEG1 ? 9 : 8) else { return nil }
        var claimedBits = 0
        var isContradictory = false
        if self.isMPEG1 {
            bits.skip((channels == 1 ? 5 : 3) + 4 * channels)
        } else {
            bits.skip(channels)
        }
        for _ in 0..<(self.isMPEG1 ? 2 : 1) * channels {
            guard let length = bits.read(12), let bigValues = bits.read(9) else { return nil }
            bits.skip(self.isMPEG1 ? 12 : 17)
            guard let isSwitched = bits.read(1), let blockType = bits.read(2),
                bits.skip(self.isMPEG1 ? 23 : 22)
            else { return nil }
            claimedBits += Int(length)
            // 576 lines are 288 pairs; a switched window has a block type other than the normal
            // one.
            if bigValues > 288 || (isSwitched == 1 && blockType == 0) { isContradictory = true }
        }
        return (Int(begin), claimedBits, isContradictory)
    }

    /// Whether the frame is consistent.
    ///
    /// The properties that an encoder does not change within a stream must be the same as in the
    /// earlier frame. A layer III frame passes if it has a checksum that matches. Otherwise its
    /// side information decides: granules may not claim more main data than this frame and the
    /// reservoir before it hold. Layers I and II have no such data: their header must equal the
    /// earlier header, except for padding and mode extension.
    func isPlausible(_ frame: ByteView, after earlier: MPEGFrameHeader?) -> Bool {
        if let earlier {
            // Protection, copyright, original and emphasis stay the same, and a dual channel stays
            // a dual channel.
            guard (self.word ^ earlier.word) & 0x0001_000F == 0, self.isDual == earlier.isDual
            else { return false }
        }
        guard self.layer == 3 else {
            guard let earlier else { return true }
            return (self.word ^ earlier.word) & ~0x0000_0330 == 0
        }
        let end = self.sideInfoOffset + self.sideInfoByteCount
        guard frame.count >= end, let side = self.sideInfo(frame) else { return false }
        if self.isProtected, self.hasRightChecksum(frame[0..<end]) { return true }
        let available = side.mainDataBegin + frame.count - end
        return !side.isContradictory && side.claimedBits <= available * 8
    }

    /// Whether the two channels are two programmes.
    private var isDual: Bool { self.word >> 6 & 3 == 2 }

    /// Whether the CRC-16 matches the last two bytes of the header and the side information (ISO
    /// 11172-3 §2.4.3.1).
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
