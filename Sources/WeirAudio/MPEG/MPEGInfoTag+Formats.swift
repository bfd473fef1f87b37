// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGInfoTag {
    /// Reads Xing's tag, and LAME's part after it.
    ///
    ///     0  "Xing" or "Info"
    ///     4  flags u32: 1 frames, 2 bytes, 4 table, 8 quality; the flagged fields follow in order:
    ///        frames u32, bytes u32, table 100 × u8, quality u32
    ///     then 36 bytes, if an encoder that writes them names itself:
    ///      0  encoder, 9 characters            21  delay 12 bits, padding 12 bits
    ///      9  revision, method, lowpass, …     24  misc, gain, preset, music length, music CRC
    ///                                          34  CRC-16, see ``checksums(_:field:)``
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - start: the offset of the tag in the frame.
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
            self.isChecksumWrong = !Self.checksums(frame, field: at + 34).contains(stored)
        }
        guard !self.isChecksumWrong else { return }
        let gap = frame.big24(at + 21)
        self.delay = Int64(gap >> 12)
        self.padding = Int64(gap & 0xFFF)
    }

    /// The CRC-16 of LAME's tag: x¹⁶ + x¹⁵ + x² + 1, least significant bit first, from zero.
    ///
    /// LAME covers all bytes before the checksum. libavformat covers the 190 bytes that the
    /// description names, with the checksum as zero, whatever is stored there. The two are the same
    /// in MPEG-1 with two channels.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - field: the offset of the checksum.
    /// - Returns: the valid checksums.
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

extension MPEGInfoTag {
    /// Reads Fraunhofer's tag, which is 32 bytes after the header in every version.
    ///
    ///     36  "VBRI"                  54  entries of the table u16
    ///     40  version u16             56  scale of the entries u16
    ///     42  delay u16               58  bytes an entry u16, 1 to 4
    ///     44  quality u16             60  frames an entry u16
    ///     46  bytes u32               62  entries: the bytes of so many frames, over the scale
    ///     50  frames u32
    ///
    /// The delay is not used for trimming: it is unknown whether encoders mean samples to drop, and
    /// no other player drops them.
    ///
    /// - Parameter frame: all of the frame.
    /// - Returns: whether the tag is whole, apart from the table.
    mutating func readVBRI(_ frame: ByteView) -> Bool {
        guard frame.count >= 62 else { return false }
        let bytes = Int64(frame.big(46, UInt32.self))
        let frames = Int64(frame.big(50, UInt32.self))
        self.byteCount = bytes > 0 ? bytes : nil
        self.frameCount = frames > 0 ? frames : nil
        let entries = Int(frame.big(54, UInt16.self))
        let scale = Int64(frame.big(56, UInt16.self))
        let width = Int(frame.big(58, UInt16.self))
        self.framesPerEntry = Int64(frame.big(60, UInt16.self))
        guard (1...4).contains(width), self.framesPerEntry > 0, frame.count >= 62 + entries * width
        else {
            return true
        }
        // The sum cannot overflow: there are at most as many entries as the frame has bytes, of at
        // most 48 bits each.
        var sum: Int64 = 0
        self.table = (0..<entries).map { entry in
            defer {
                var value: Int64 = 0
                for index in 0..<width {
                    value = value << 8 | Int64(frame[62 + entry * width + index])
                }
                sum += value * scale
            }
            return sum
        }
        return true
    }
}
