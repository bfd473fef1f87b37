// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Gives the pages of an Ogg file another serial number, as each stream of a chain needs (RFC 3533 §4).
enum OggSerial {
    static func changed(_ bytes: [UInt8], to serial: UInt8) -> [UInt8] {
        var bytes = bytes
        var page = 0
        while page + 27 <= bytes.count {
            let segments = Int(bytes[page + 26])
            let head = page + 27 + segments
            let end = head + bytes[(page + 27)..<head].reduce(0) { $0 + Int($1) }
            bytes.replaceSubrange((page + 14)..<(page + 18), with: [serial, 0, 0, 0])
            bytes.replaceSubrange((page + 22)..<(page + 26), with: [0, 0, 0, 0])
            let sum = Self.checksum(bytes[page..<end])
            for index in 0..<4 { bytes[page + 22 + index] = UInt8(sum >> (8 * index) & 255) }
            page = end
        }
        return bytes
    }

    /// CRC-32 of the polynomial 04C11DB7, not reflected, from 0.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
                sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0)
            }
        }
    }
}
#endif
