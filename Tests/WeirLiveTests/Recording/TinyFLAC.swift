// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A FLAC stream of 44.1 kHz, stereo, 16 bit: blocks of 64 equal samples (RFC 9639).
enum TinyFLAC {
    /// The marker and STREAMINFO.
    static var head: [UInt8] {
        var info: [UInt8] = [0, 64, 0, 64, 0, 0, 0, 0, 0, 0]
        let packed = UInt64(44_100) << 44 | 1 << 41 | 15 << 36
        info += (0..<8).map { UInt8(truncatingIfNeeded: packed >> UInt64(56 - 8 * $0)) }
        return Array("fLaC".utf8) + [0x80, 0, 0, 34] + info + [UInt8](repeating: 0, count: 16)
    }

    /// A frame; its number is below 128.
    static func frame(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xF8, 0x69, 0x18, UInt8(number), 63]
        bytes.append(self.crc(bytes, 0x07, width: 8).last ?? 0)
        for channel in 0..<2 { bytes += [0, UInt8(number), UInt8(channel)] }
        return bytes + self.crc(bytes, 0x8005, width: 16)
    }

    private static func crc(_ bytes: [UInt8], _ polynomial: UInt16, width: Int) -> [UInt8] {
        let top = UInt16(1) << UInt16(width - 1)
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte) << UInt16(width - 8)
            for _ in 0..<8 { crc = crc & top == 0 ? crc << 1 : crc << 1 ^ polynomial }
        }
        return [UInt8(crc >> 8), UInt8(crc & 0xFF)]
    }
}
