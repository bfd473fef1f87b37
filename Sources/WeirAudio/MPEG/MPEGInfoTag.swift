// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an encoder wrote into a first frame that holds no sound: Xing's and LAME's tag, or Fraunhofer's VBRI.
struct MPEGInfoTag: Hashable, Sendable {
    /// The format of the tag.
    enum Kind: Sendable {
        /// `Xing`: the bit rate varies.
        case xing
        /// `Info`: the same tag for a constant bit rate.
        case info
        /// `VBRI`.
        case vbri
    }

    /// The format of the tag.
    var kind: Kind
    /// How many frames follow, this one not counted; `nil` if it is not said.
    var frameCount: Int64?
    /// How many bytes the stream has from this frame on, this one counted; `nil` if it is not said.
    var byteCount: Int64?
    /// Where in these bytes the parts of the time begin that the table has; empty if there is none.
    ///
    /// 100 of Xing's, in 1/256 of all bytes; as many as there are of VBRI's, in bytes behind this frame.
    var table: [Int64] = []
    /// How many frames a part of VBRI's table has.
    var framesPerEntry: Int64 = 0
    /// Samples that the encoder put before the first, without the decoder's delay.
    var delay: Int64?
    /// Samples that the encoder put behind the last, with the decoder's delay.
    var padding: Int64?
    /// Whether the checksum of LAME's part is there and does not fit: what it covers is not believed then.
    var isChecksumWrong = false
    /// Whether the number of frames is that of this stream, as far as known; the table may hold all the same.
    var isFrameCountBelieved = true

    /// Reads the tag in a frame; `nil` if it holds none.
    ///
    /// - Parameters:
    ///   - frame: all of the frame.
    ///   - header: its header.
    ///   - isCertain: whether the frame is where tags are, the first of the stream; if not, it has to be silent, too.
    init?(_ frame: ByteView, _ header: MPEGFrameHeader, isCertain: Bool) {
        guard header.layer == 3 else { return nil }
        let side = header.sideInfoOffset
        let length = header.sideInfoByteCount
        let start = side + length
        if !isCertain {
            guard frame.count >= 4 + length else { return nil }
            for index in side..<4 + length where frame[index] != 0 { return nil }
        }
        // LAME writes it where it would be without a checksum even if there is one.
        let mark = [start, 4 + length].first {
            frame.matches("Xing", at: $0) || frame.matches("Info", at: $0)
        }
        if let mark {
            self.kind = frame[mark] == UInt8(ascii: "X") ? .xing : .info
            self.readXing(frame, at: mark)
        } else if frame.matches("VBRI", at: 36) {
            self.kind = .vbri
            guard self.readVBRI(frame) else { return nil }
        } else {
            return nil
        }
    }

    /// Whether a frame may hold a tag, at little cost: it starts with eight bytes of silence.
    @inline(__always)
    static func isPossible(in frame: ByteView, _ header: MPEGFrameHeader) -> Bool {
        frame.big(header.sideInfoOffset, UInt64.self) == 0
    }

    /// Samples to drop at the start: what the encoder says, and 529 for the decoder.
    var leading: Int64? { self.delay.map { $0 + Self.decoderDelay } }

    /// Samples to drop at the end: what the encoder says, less what the decoder's delay has moved out.
    var trailing: Int64? { self.padding.map { max(0, $0 - Self.decoderDelay) } }

    /// How far any layer III decoder lags behind: 528 samples and one.
    static let decoderDelay: Int64 = 529
}

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
            self.isChecksumWrong = !Self.checksums(frame, field: at + 34).contains(stored)
        }
        guard !self.isChecksumWrong else { return }
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

extension MPEGInfoTag {
    /// Reads Fraunhofer's tag, which stands 32 bytes behind the header of whatever version.
    ///
    ///     36  "VBRI"                  54  entries of the table u16
    ///     40  version u16             56  scale of the entries u16
    ///     42  delay u16               58  bytes an entry u16, 1 to 4
    ///     44  quality u16             60  frames an entry u16
    ///     46  bytes u32               62  the entries: bytes of so many frames, divided by the scale
    ///     50  frames u32
    ///
    /// The delay is not taken for a trim: what encoders write there is not known to be one, and no peer trims by it.
    ///
    /// - Parameter frame: all of the frame.
    /// - Returns: whether it is whole, the table aside.
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
        // At most as many as a frame has bytes, of at most 48 bits each.
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

extension MPEGInfoTag {
    /// Drops what contradicts itself or the stream.
    ///
    /// - Parameters:
    ///   - header: of the frame that holds the tag.
    ///   - available: how many bytes the stream has from that frame on, if known.
    /// - Returns: whether anything did.
    mutating func doubt(_ header: MPEGFrameHeader, available: Int64?) -> Bool {
        var isDoubtful = false
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        if let bytes = self.byteCount, let available {
            // More than there is: cut short. Much more behind it than tags take: something was appended. Either way
            // count and duration are of something else, while the table holds for the bytes that it speaks of.
            let surplus = available - bytes
            if surplus < -largest || (surplus > available / 16 && surplus > 256 << 10) {
                self.isFrameCountBelieved = false
                isDoubtful = true
            }
        }
        if let frames = self.frameCount, let bytes = self.byteCount ?? available {
            // No frame is longer, or shorter than at the lowest bit rate: 8 kbit/s, in MPEG-1 32.
            let bits: Int64 = header.isMPEG1 ? 32_000 : 8000
            let smallest = Int64(header.sampleCount / 8) * bits / Int64(header.sampleRate)
            if frames > bytes / smallest + 1
                || (self.byteCount != nil && frames * largest < bytes / 2)
            {
                self.frameCount = nil
                isDoubtful = true
            }
        }
        if !self.hasSoundTable {
            self.table = []
            isDoubtful = true
        }
        return isDoubtful
    }

    /// Whether the places in the table go forwards, and not past the end.
    private var hasSoundTable: Bool {
        for (former, latter) in zip(self.table, self.table.dropFirst()) where latter < former {
            return false
        }
        guard self.kind == .vbri, let last = self.table.last, let bytes = self.byteCount else {
            return true
        }
        return last <= bytes
    }
}
