// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A bare AAC packet made into a frame that can stand alone (ISO 13818-7 §6.2).
///
///     syncword 12 = 0xFFF, ID 1, layer 2 = 0, protection_absent 1 = 1
///     profile 2 = type - 1, frequency index 4, private 1, channels 3, 4 bits of no matter
///     frame length 13, fullness 11 = 0x7FF, blocks - 1 2
enum ADTSFrame {
    /// Puts a header in front of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet, without a header.
    ///   - configuration: the AudioSpecificConfig it belongs to.
    /// - Returns: the frame; `nil` where such a header cannot say it: another type than main, LC, SSR and LTP, a
    ///   frequency that is not in the table, more bytes than 13 bits count.
    static func around(_ packet: [UInt8], configuration: [UInt8]) -> [UInt8]? {
        guard configuration.count >= 2 else { return nil }
        let type = configuration[0] >> 3
        let index = (configuration[0] & 7) << 1 | configuration[1] >> 7
        let channels = configuration[1] >> 3 & 0xF
        let length = packet.count + 7
        guard (1...4).contains(type), index < 13, channels < 8, length < 1 << 13 else { return nil }
        return [
            0xFF, 0xF1,
            (type - 1) << 6 | index << 2 | channels >> 2,
            (channels & 3) << 6 | UInt8(length >> 11),
            UInt8(length >> 3 & 0xFF),
            UInt8(length & 7) << 5 | 0x1F,
            0xFC,
        ] + packet
    }
}
