// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

@testable import WeirAudio

/// Makes ADTS frames; their payload is arbitrary numbers.
struct ADTSStreamBuilder {
    var objectType = 2
    var rateIndex = 4
    var channels = 2
    var isProtected = false
    var blocks = 1
    var generator = SeededGenerator(seed: 2)

    /// A frame with a number of bytes behind its header.
    mutating func frame(_ count: Int) -> [UInt8] {
        let head = self.isProtected ? 7 + 2 * self.blocks : 7
        let size = head + count
        var bits: [(Int, Int)] = [(0xFFF, 12), (0, 1), (0, 2), (self.isProtected ? 0 : 1, 1)]
        bits += [(self.objectType - 1, 2), (self.rateIndex, 4), (0, 1), (self.channels, 3), (0, 4)]
        bits += [(size, 13), (0x7FF, 11), (self.blocks - 1, 2)]
        var word: UInt64 = 0
        for (value, width) in bits { word = word << UInt64(width) | UInt64(value) }
        var bytes = (0..<7).map { UInt8(truncatingIfNeeded: word >> UInt64(48 - 8 * $0)) }
        while bytes.count < size {
            bytes.append(UInt8.random(in: 0...0xFE, using: &self.generator))
        }
        return bytes
    }

    /// Frames of many sizes.
    mutating func frames(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes += self.frame(20 + index * 37 % 90) }
        return bytes
    }
}
