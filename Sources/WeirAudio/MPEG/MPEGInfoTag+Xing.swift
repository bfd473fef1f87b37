// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGInfoTag {
    /// Reads Xing's tag, and LAME's part behind it.
    ///
    ///     0  "Xing" or "Info"
    ///     4  flags u32: 1 frames, 2 bytes, 4 table, 8 quality; what is flagged follows in this order:
    ///        frames u32, bytes u32, table 100 × u8, quality u32
    ///     then, if an encoder that does so names itself, 36 bytes:
    ///      0  encoder, 9 characters            21  delay 12 bits, padding 12 bits
    ///      9  revision, method, lowpass, …     24  misc, gain, preset, music length, music CRC
    ///                                          34  CRC-16, see ``checksums(_:field:)``
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - start: where the tag is.
    mutating func readXing(_ frame: ByteView, at start: Int) {
        guard frame.count >= start + 8 else { return }
        let flags: UInt32 = frame.big(start + 4)
        var at = start + 8
        if flags & 1 != 0 {
            guard frame.count >= at + 4 else { return }
            let count = Int64(frame.big(at, UInt32.self))
            self.frameCount = count > 0 ? count : nil
            at += 4
        }
        if flags & 2 != 0 {
            guard frame.count >= at + 4 else { return }
            let count = Int64(frame.big(at, UInt32.self))
            self.byteCount = count > 0 ? count : nil
            at += 4
        }
        if flags & 4 != 0 {
            guard frame.count >= at + 100 else { return }
            self.table = (0..<100).map { Int64(frame[at + $0]) }
            at += 100
        }
        if flags & 8 != 0 { at += 4 }
        guard frame.count >= at + 36 else { return }
        let isLAME = frame.matches("LAME", at: at) || frame.matches("L3.99", at: at)
        let isLibav = frame.matches("Lavf", at: at) || frame.matches("Lavc", at: at)
        guard isLAME || isLibav else { return }
        let stored: UInt16 = frame.big(at + 34)
        if stored != 0 {
            let isRight = Self.checksums(frame, field: at + 34).contains(stored)
            self.checksum = isRight ? .right : .wrong
        }
        guard self.checksum != .wrong else { return }
        let gap = frame.big24(at + 21)
        self.delay = Int64(gap >> 12)
        self.padding = Int64(gap & 0xFFF)
    }

    /// The CRC-16 of LAME's tag: x¹⁶ + x¹⁵ + x² + 1, least significant bit first, from zero.
    ///
    /// LAME takes all that is before the checksum, libavformat the 190 bytes of which the description speaks, the
    /// checksum as zero, whatever is there. The two are the same in MPEG-1 with two channels.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - field: where the checksum is.
    /// - Returns: what it may be.
    static func checksums(_ frame: ByteView, field: Int) -> [UInt16] {
        var remainder: UInt16 = 0
        var first: UInt16 = 0
        for index in 0..<max(190, field) {
            if index == field { first = remainder }
            let isBlank = index == field || index == field + 1 || index >= frame.count
            remainder ^= isBlank ? 0 : UInt16(frame[index])
            for _ in 0..<8 {
                remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xA001
            }
        }
        return [field < 190 ? first : remainder, remainder]
    }
}
