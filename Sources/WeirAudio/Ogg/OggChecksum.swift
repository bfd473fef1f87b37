// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 of an Ogg page (RFC 3533 §6, field 7): polynomial 0x04c11db7, from 0, not reflected,
/// not inverted.
///
/// `@unchecked Sendable`: the tables are written once, when ``tables`` is made, and never freed.
struct OggChecksum: @unchecked Sendable {
    private static let tables = OggChecksum()

    /// 16 × 256 remainders; table n is for a byte with n bytes after it.
    private let rows: UnsafePointer<UInt32>
    /// 4 × 256 remainders; table n is for byte n of a checksum, the lowest first, with a lane of
    /// zeros after it.
    private let lane: UnsafePointer<UInt32>

    private init() {
        let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: 16 * 256)
        let lane = UnsafeMutablePointer<UInt32>.allocate(capacity: 4 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte) << 24
            for _ in 0..<8 {
                remainder = remainder << 1 ^ (remainder & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
            }
            rows[byte] = remainder
        }
        for index in 256..<16 * 256 {
            let before = rows[index - 256]
            rows[index] = before << 8 ^ rows[Int(before >> 24)]
        }
        for number in 0..<4 {
            let table = lane + number * 256
            table[0] = 0
            for bit in 0..<8 {
                var moved: UInt32 = 1 << UInt32(number * 8 + bit)
                for _ in 0..<OggChecksum.laneByteCount {
                    moved = moved << 8 ^ rows[Int(moved >> 24)]
                }
                // The remainder of a byte is the sum of the remainders of its bits.
                for byte in (1 << bit)..<(2 << bit) {
                    table[byte] = moved ^ table[byte ^ 1 << bit]
                }
            }
        }
        self.rows = UnsafePointer(rows)
        self.lane = UnsafePointer(lane)
    }
    /// How many bytes a lane has; the checksums of two neighbouring lanes are computed in parallel.
    private static let laneByteCount = 512

    /// The checksum of bytes.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - seed: the checksum of the bytes before them.
    /// - Returns: the checksum of both.
    static func checksum(_ view: ByteView, seed: UInt32 = 0) -> UInt32 {
        self.update(seed, view, self.tables)
    }

    /// The checksum that a page should have, with the checksum field zeroed.
    ///
    /// - Parameter page: a whole page, from 27 bytes.
    /// - Returns: the value for the checksum field.
    static func checksum(ofPage page: ByteView) -> UInt32 {
        let tables = self.tables
        let table = tables.rows
        var crc = self.update(0, page[0..<22], tables)
        for _ in 0..<4 { crc = crc &<< 8 ^ table[Int(crc &>> 24)] }
        return self.update(crc, page[26..<page.count], tables)
    }

    /// Takes two lanes in parallel while enough bytes are left, then sixteen bytes at a time, then
    /// single bytes.
    private static func update(_ seed: UInt32, _ view: ByteView, _ tables: OggChecksum) -> UInt32 {
        let table = tables.rows
        let lane = tables.lane
        var crc = seed
        var at = UnsafeRawPointer(view.base)
        var left = view.count
        while left >= 2 * self.laneByteCount {
            var second: UInt32 = 0
            let end = at + self.laneByteCount
            while at < end {
                crc = self.sixteen(at, crc, table)
                second = self.sixteen(at + self.laneByteCount, second, table)
                at += 16
            }
            // The first lane's remainder, moved by the length of the second lane.
            crc =
                second ^ (lane[Int(crc & 0xFF)] ^ lane[256 &+ Int(crc &>> 8 & 0xFF)])
                ^ (lane[512 &+ Int(crc &>> 16 & 0xFF)] ^ lane[768 &+ Int(crc &>> 24)])
            at += self.laneByteCount
            left &-= 2 &* self.laneByteCount
        }
        while left >= 16 {
            crc = self.sixteen(at, crc, table)
            at += 16
            left &-= 16
        }
        while left > 0 {
            crc = crc &<< 8 ^ table[Int(crc &>> 24) ^ Int(at.load(as: UInt8.self))]
            at += 1
            left &-= 1
        }
        return crc
    }

    /// Adds sixteen bytes; the checksum of the bytes before changes only the first four of them.
    @inline(__always)
    private static func sixteen(
        _ at: UnsafeRawPointer,
        _ crc: UInt32,
        _ table: UnsafePointer<UInt32>
    ) -> UInt32 {
        @inline(__always)
        func row(_ number: Int, _ word: UInt64, _ shift: UInt64) -> UInt32 {
            table[number &* 256 &+ Int(truncatingIfNeeded: word &>> shift & 0xFF)]
        }
        let high = UInt64(bigEndian: at.loadUnaligned(as: UInt64.self)) ^ UInt64(crc) &<< 32
        let low = UInt64(bigEndian: at.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let first =
            (row(15, high, 56) ^ row(14, high, 48)) ^ (row(13, high, 40) ^ row(12, high, 32))
        let second = (row(11, high, 24) ^ row(10, high, 16)) ^ (row(9, high, 8) ^ row(8, high, 0))
        let third = (row(7, low, 56) ^ row(6, low, 48)) ^ (row(5, low, 40) ^ row(4, low, 32))
        let fourth = (row(3, low, 24) ^ row(2, low, 16)) ^ (row(1, low, 8) ^ row(0, low, 0))
        return (second ^ (third ^ fourth)) ^ first
    }
}
