// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes pages of one logical stream.
struct OggBuilder {
    /// A packet, or a part of one.
    struct Piece {
        var bytes: [UInt8]
        var isEnd = true
    }

    var serial: UInt32
    var sequence: UInt32 = 0

    init(serial: UInt32 = 7) { self.serial = serial }

    /// A page with whole packets.
    mutating func page(_ packets: [[UInt8]], granule: Int64, flags: UInt8 = 0) -> [UInt8] {
        self.page(pieces: packets.map { Piece(bytes: $0) }, granule: granule, flags: flags)
    }

    /// A page; if the last piece does not end its packet, its size must be a multiple of 255 bytes.
    mutating func page(pieces: [Piece], granule: Int64, flags: UInt8 = 0) -> [UInt8] {
        var sizes: [UInt8] = []
        var body: [UInt8] = []
        for piece in pieces {
            sizes.append(contentsOf: repeatElement(255, count: piece.bytes.count / 255))
            if piece.isEnd { sizes.append(UInt8(piece.bytes.count % 255)) }
            body.append(contentsOf: piece.bytes)
        }
        var page: [UInt8] = Array("OggS".utf8) + [0, flags]
        page += Self.little(UInt64(bitPattern: granule), 8)
        page += Self.little(UInt64(self.serial), 4) + Self.little(UInt64(self.sequence), 4)
        page += [0, 0, 0, 0, UInt8(sizes.count)] + sizes + body
        self.sequence &+= 1
        return Self.sealed(page)
    }

    /// The page with its checksum, computed bit by bit.
    static func sealed(_ page: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        var crc: UInt32 = 0
        for byte in page {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 == 0 ? crc << 1 : crc << 1 ^ 0x04C1_1DB7 }
        }
        page.replaceSubrange(22..<26, with: self.little(UInt64(crc), 4))
        return page
    }

    static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    // MARK: Headers

    /// A comment header's contents: a vendor and `TITLE=…`.
    static func comment(title: String = "A") -> [UInt8] {
        let field = self.bytes("TITLE=\(title)")
        return self.little(1, 4) + self.bytes("w") + self.little(1, 4)
            + self.little(UInt64(field.count), 4) + field
    }

    static func opusHead(preSkip: Int = 312, channels: UInt8 = 2, gain: Int16 = 0) -> [UInt8] {
        self.bytes("OpusHead") + [1, channels] + self.little(UInt64(preSkip), 2)
            + self.little(44_100, 4)
            + self.little(UInt64(UInt16(bitPattern: gain)), 2) + [0]
    }

    static func opusTags(title: String = "A") -> [UInt8] {
        self.bytes("OpusTags") + self.comment(title: title)
    }

    /// The first two pages of Opus.
    mutating func opusHeaders(preSkip: Int = 312, title: String = "A") -> [UInt8] {
        self.page([Self.opusHead(preSkip: preSkip)], granule: 0, flags: 2)
            + self.page([Self.opusTags(title: title)], granule: 0)
    }

    static func vorbisIdentification(channels: UInt8 = 1, rate: Int = 8000) -> [UInt8] {
        // Blocks of 64 and 256 samples.
        [1] + self.bytes("vorbis") + self.little(0, 4) + [channels] + self.little(UInt64(rate), 4)
            + self.little(0, 4) + self.little(32_000, 4) + self.little(0, 4) + [0x86, 1]
    }

    static func vorbisComment(title: String = "A") -> [UInt8] {
        [3] + self.bytes("vorbis") + self.comment(title: title) + [1]
    }

    /// The first pages of Vorbis: mode 0 has short blocks, mode 1 long ones.
    mutating func vorbisHeaders(rate: Int = 8000, title: String = "A") -> [UInt8] {
        self.page([Self.vorbisIdentification(rate: rate)], granule: 0, flags: 2)
            + self.page([Self.vorbisComment(title: title), VorbisSetupBuilder.setup()], granule: 0)
    }

    /// A packet of Vorbis with a short block (64 samples).
    static func short(_ count: Int = 10, _ fill: UInt8 = 0x55) -> [UInt8] {
        [0] + self.filled(count - 1, fill)
    }

    /// A packet of Vorbis with a long block (256 samples).
    static func long(_ count: Int = 10, afterLong: Bool = true, _ fill: UInt8 = 0xAA) -> [UInt8] {
        [afterLong ? 0b1110 : 0b1010] + self.filled(count - 1, fill)
    }

    /// A packet of Opus: one frame of CELT with 20 ms (960 samples).
    static func opus(_ count: Int = 10, _ fill: UInt8 = 0x33) -> [UInt8] {
        [0xF8] + self.filled(count - 1, fill)
    }

    private static func filled(_ count: Int, _ fill: UInt8) -> [UInt8] {
        (0..<max(0, count)).map { fill &+ UInt8(truncatingIfNeeded: $0) }
    }
}
