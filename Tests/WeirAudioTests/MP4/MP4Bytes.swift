// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Writes MP4 boxes for tests.
enum MP4Bytes {
    static func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

    static func u32(_ value: Int) -> [UInt8] {
        self.u16(value >> 16 & 0xFFFF) + self.u16(value & 0xFFFF)
    }

    static func u64(_ value: Int) -> [UInt8] {
        self.u32(value >> 32 & 0xFFFF_FFFF) + self.u32(value & 0xFFFF_FFFF)
    }

    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap { $0 }
        let letters = type.unicodeScalars.map { UInt8($0.value) }
        return self.u32(8 + content.count) + letters + content
    }

    static func longBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
        self.u32(1) + Array(type.utf8) + self.u64(16 + content.count) + content
    }

    static func full(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]...)
        -> [UInt8]
    {
        self.box(type, [UInt8(version)], Array(self.u32(flags).dropFirst()), content.flatMap { $0 })
    }

    /// A full box with rows and, in front of them, their count.
    static func table(_ type: String, rows: [[Int]]) -> [UInt8] {
        self.full(type, self.u32(rows.count), rows.flatMap { $0.flatMap { self.u32($0) } })
    }
}
