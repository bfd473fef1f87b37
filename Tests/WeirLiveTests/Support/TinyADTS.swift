// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Frames of AAC with ADTS headers: 44.1 kHz, stereo; their payload is arbitrary numbers.
enum TinyADTS {
    /// A frame of 1024 samples.
    static func frame(_ number: Int, count: Int = 93) -> [UInt8] {
        let size = 7 + count
        let bits: [(Int, Int)] = [
            (0xFFF, 12), (0, 1), (0, 2), (1, 1), (1, 2), (4, 4), (0, 1), (2, 3), (0, 4),
            (size, 13), (0x7FF, 11), (0, 2),
        ]
        var word: UInt64 = 0
        for (value, width) in bits { word = word << UInt64(width) | UInt64(value) }
        let head = (0..<7).map { UInt8(truncatingIfNeeded: word >> UInt64(48 - 8 * $0)) }
        return head + (0..<count).map { UInt8(1 + (number * 7 + $0) % 250) }
    }

    static func frames(_ numbers: Range<Int>) -> [UInt8] { numbers.flatMap { Self.frame($0) } }
}
