// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Pages of an Opus stream in Ogg; the packets contain arbitrary numbers.
struct TinyOgg {
    var serial: UInt32
    private var sequence: UInt32 = 0
    private var granule: Int64 = 0

    init(serial: UInt32) { self.serial = serial }

    /// A stream that has already sent its two headers and a number of pages of sound.
    init(serial: UInt32, after pages: Int, packets: Int) {
        self.serial = serial
        self.sequence = UInt32(2 + pages)
        self.granule = Int64(pages * packets) * 960
    }

    /// The first two pages.
    mutating func headers(title: String) -> [UInt8] {
        let field = Array("TITLE=\(title)".utf8)
        let head =
            Array("OpusHead".utf8) + [1, 2] + Self.little(312, 2) + Self.little(48_000, 4) + [
                0, 0, 0,
            ]
        let tags =
            Array("OpusTags".utf8) + Self.little(1, 4) + Array("w".utf8) + Self.little(1, 4)
            + Self.little(UInt64(field.count), 4) + field
        return self.page([head], granule: 0, flags: 2) + self.page([tags], granule: 0)
    }

    /// A page with packets of 20 ms.
    mutating func sound(packets: Int = 10, fill: UInt8 = 1, isLast: Bool = false) -> [UInt8] {
        self.granule += Int64(packets) * 960
        let packet = [0xF8] + [UInt8](repeating: fill, count: 40)
        return self.page(
            [[UInt8]](repeating: packet, count: packets),
            granule: self.granule,
            flags: isLast ? 4 : 0
        )
    }

    /// Pages with a limited number of segments, filled with packets of 20 ms and of these sizes.
    mutating func crossing(sizes: [Int], segments: Int) -> [UInt8] {
        var lacing: [(size: UInt8, packet: Int)] = []
        var body: [UInt8] = []
        // The bytes have no runs or repetitions that look like another format.
        var noise = UInt32(17)
        for (index, size) in sizes.enumerated() {
            lacing += [(UInt8, Int)](repeating: (255, index), count: size / 255)
            lacing.append((UInt8(size % 255), index))
            body.append(0xF8)
            for _ in 1..<size {
                noise = noise &* 1_664_525 &+ 1_013_904_223
                body.append(UInt8(truncatingIfNeeded: noise >> 24))
            }
        }
        var bytes: [UInt8] = []
        var isContinued = false
        while !lacing.isEmpty {
            let part = lacing.prefix(segments)
            lacing.removeFirst(part.count)
            let count = part.reduce(0) { $0 + Int($1.size) }
            let ended = Set(part.filter { $0.size < 255 }.map(\.packet)).count
            self.granule += Int64(ended) * 960
            bytes += self.page(
                lacing: part.map(\.size),
                Array(body.prefix(count)),
                granule: ended == 0 ? -1 : self.granule,
                flags: isContinued ? 1 : 0
            )
            body.removeFirst(count)
            isContinued = part.last?.size == 255
        }
        return bytes
    }

    private mutating func page(_ packets: [[UInt8]], granule: Int64, flags: UInt8 = 0) -> [UInt8] {
        self.page(
            lacing: packets.map { UInt8($0.count) },
            packets.flatMap { $0 },
            granule: granule,
            flags: flags
        )
    }

    private mutating func page(
        lacing: [UInt8],
        _ body: [UInt8],
        granule: Int64,
        flags: UInt8
    ) -> [UInt8] {
        var page: [UInt8] = Array("OggS".utf8) + [0, flags]
        page += Self.little(UInt64(bitPattern: granule), 8)
        page += Self.little(UInt64(self.serial), 4) + Self.little(UInt64(self.sequence), 4)
        page += [0, 0, 0, 0, UInt8(lacing.count)] + lacing + body
        self.sequence += 1
        return Self.sealed(page)
    }

    /// A page with its checksum.
    static func sealed(_ page: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        var crc: UInt32 = 0
        for byte in page {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 == 0 ? crc << 1 : crc << 1 ^ 0x04C1_1DB7 }
        }
        page.replaceSubrange(22..<26, with: Self.little(UInt64(crc), 4))
        return page
    }

    static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
}
