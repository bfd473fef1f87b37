// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Makes WAVE files in which a test can choose every field.
struct WAVEBuilder {
    var isBig = false
    var tag: UInt16 = 1
    var channels: UInt16 = 2
    var rate: UInt32 = 44_100
    var bits: UInt16 = 16
    var block: UInt16?

    func short(_ value: UInt16) -> [UInt8] {
        let bytes = [UInt8(value & 0xFF), UInt8(value >> 8)]
        return self.isBig ? bytes.reversed() : bytes
    }

    func long(_ value: UInt32) -> [UInt8] {
        let low = UInt16(value & 0xFFFF)
        let high = UInt16(value >> 16)
        return self.isBig ? self.short(high) + self.short(low) : self.short(low) + self.short(high)
    }

    func chunk(_ id: String, _ payload: [UInt8], size: UInt32? = nil) -> [UInt8] {
        let padding: [UInt8] = payload.count % 2 == 1 ? [0] : []
        return Array(id.utf8) + self.long(size ?? UInt32(payload.count)) + payload + padding
    }

    /// The `fmt ` chunk, in its old form or the extensible one.
    func format(isExtensible: Bool = false, validBits: UInt16 = 0, mask: UInt32 = 3) -> [UInt8] {
        let block = self.block ?? self.channels * ((self.bits + 7) / 8)
        var bytes =
            self.short(isExtensible ? 0xFFFE : self.tag) + self.short(self.channels)
            + self.long(self.rate)
        bytes += self.long(self.rate &* UInt32(block)) + self.short(block) + self.short(self.bits)
        guard isExtensible else { return self.chunk("fmt ", bytes) }
        bytes += self.short(22) + self.short(validBits) + self.long(mask) + self.short(self.tag)
        bytes += [
            0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
        ]
        return self.chunk("fmt ", bytes)
    }

    func file(_ chunks: [UInt8]..., magic: String? = nil) -> [UInt8] {
        let body = chunks.flatMap(\.self)
        let name = magic ?? (self.isBig ? "RIFX" : "RIFF")
        return Array(name.utf8) + self.long(UInt32(body.count + 4)) + Array("WAVE".utf8) + body
    }

    static func samples(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 4)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
