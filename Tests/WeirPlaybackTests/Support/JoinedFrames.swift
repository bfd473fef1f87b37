// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Files of bare frames, concatenated: AAC in ADTS, or MPEG audio without tags.
struct JoinedFrames: JoinedFile {
    enum Codec: CaseIterable {
        case aac
        case mp2
        case mp3
    }

    /// One of the files.
    struct Part {
        /// 0: 44.1 kHz, 1: 48 kHz, 2: 32 kHz.
        var frequency = 0
        var kilobits = 128
        var seconds = 30.0
    }

    private(set) var bytes: [UInt8] = []
    private(set) var times: [Int64: Double] = [:]
    private(set) var seconds = 0.0

    init(_ codec: Codec, _ parts: [Part], seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        for part in parts { self.append(part, codec, &generator) }
    }

    private mutating func append(
        _ part: Part,
        _ codec: Codec,
        _ generator: inout SeededGenerator
    ) {
        let rate = JoinedMPEG.frequencies[part.frequency]
        let samples = codec == .aac ? 1024 : 1152
        let count = Int(part.seconds * Double(rate) / Double(samples))
        let content = (0..<2048).map { UInt8($0 * 7 % 251) }
        for index in 0..<count {
            self.times[Int64(self.bytes.count)] =
                self.seconds + Double(index * samples) / Double(rate)
            let mean = part.kilobits * 1000 * samples / 8 / rate
            var frame: [UInt8]
            var size = mean
            if codec == .aac {
                size = Int.random(in: mean * 3 / 4...mean * 5 / 4, using: &generator)
                frame = Self.adts(size, [4, 3, 5][part.frequency])
            } else {
                frame = Self.mpeg(part, isLayerII: codec == .mp2)
            }
            frame += content.prefix(size - frame.count)
            self.bytes += frame
        }
        self.seconds += Double(count * samples) / Double(rate)
    }

    private static func adts(_ size: Int, _ rate: Int) -> [UInt8] {
        let fields: [(Int, Int)] = [
            (0xFFF, 12), (1, 4), (1, 2), (rate, 4), (0, 1), (2, 3), (0, 4), (size, 13),
            (0x7FF, 11), (0, 2),
        ]
        let word = fields.reduce(UInt64(0)) { $0 << UInt64($1.1) | UInt64($1.0) }
        return (0..<7).map { UInt8(truncatingIfNeeded: word >> UInt64(48 - 8 * $0)) }
    }

    /// A header without padding, and silent side information.
    private static func mpeg(_ part: Part, isLayerII: Bool) -> [UInt8] {
        let layerII = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
        let rows = isLayerII ? layerII : JoinedMPEG.kilobits
        let row = rows.firstIndex(of: part.kilobits) ?? 1
        let word = (isLayerII ? 0xFFFD_0000 : 0xFFFB_0040) | row << 12 | part.frequency << 10
        return (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
            + [UInt8](repeating: isLayerII ? 1 : 0, count: 32)
    }
}
