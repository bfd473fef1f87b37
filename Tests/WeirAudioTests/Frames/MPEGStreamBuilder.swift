// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Makes frames of MPEG audio with valid headers; their main data are arbitrary numbers.
struct MPEGStreamBuilder {
    /// The four bytes of the header, without padding: MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo.
    var word: UInt32 = 0xFFFB_9000
    var generator = SeededGenerator(seed: 1)

    static let kilobits: [[Int]] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// The length of a frame with this header, computed in another way than in the parser.
    static func size(_ word: UInt32, free: Int = 0) -> Int {
        let isMPEG1 = word >> 19 & 3 == 3
        let layer = 4 - Int(word >> 17 & 3)
        let row = isMPEG1 ? layer - 1 : (layer == 1 ? 3 : 4)
        let bits = Self.kilobits[row][Int(word >> 12 & 15)] * 1000
        let divisor = [3: 1, 2: 2, 0: 4][Int(word >> 19 & 3)] ?? 1
        let rate = [44_100, 48_000, 32_000][Int(word >> 10 & 3)] / divisor
        let padding = Int(word >> 9 & 1)
        if word >> 12 & 15 == 0 { return free + padding * (layer == 1 ? 4 : 1) }
        switch layer {
        case 1: return (12 * bits / rate + padding) * 4
        case 2: return 144 * bits / rate + padding
        default: return (isMPEG1 ? 144 : 72) * bits / rate + padding
        }
    }

    /// How many bytes of side information a header announces.
    static func sideSize(_ word: UInt32) -> Int {
        let isMono = word >> 6 & 3 == 3
        return word >> 19 & 3 == 3 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }

    /// A frame.
    ///
    /// - Parameters:
    ///   - word: the header; the builder's header if `nil`.
    ///   - mainDataBegin: how far back the main data begins.
    ///   - free: the frame's length without padding, in free format.
    /// - Returns: all bytes of the frame.
    mutating func frame(_ word: UInt32? = nil, mainDataBegin: Int = 0, free: Int = 0) -> [UInt8] {
        let word = word ?? self.word
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        if word >> 17 & 3 == 1 {
            var side = [UInt8](repeating: 0, count: Self.sideSize(word))
            if word >> 19 & 3 == 3 {
                side[0] = UInt8(mainDataBegin >> 1)
                side[1] = UInt8(mainDataBegin & 1) << 7
            } else {
                side[0] = UInt8(mainDataBegin)
            }
            bytes += side
        }
        // No other byte is 0xFF: no header can start there.
        while bytes.count < Self.size(word, free: free) {
            bytes.append(UInt8.random(in: 1...0xFE, using: &self.generator))
        }
        return bytes
    }

    /// Several frames, one after the other.
    mutating func frames(_ count: Int, _ word: UInt32? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += self.frame(word) }
        return bytes
    }

    /// A frame with a Xing tag and LAME's part.
    func tagFrame(
        _ mark: String = "Info",
        frames: Int?,
        bytes: Int?,
        table: [UInt8]? = nil,
        gap: (delay: Int, padding: Int)? = nil,
        breaksChecksum: Bool = false
    ) -> [UInt8] {
        let start = 4 + Self.sideSize(self.word)
        var frame = (0..<4).map { UInt8(truncatingIfNeeded: self.word >> UInt32(24 - 8 * $0)) }
        frame += [UInt8](repeating: 0, count: start - 4) + Array(mark.utf8)
        let flags = (frames == nil ? 0 : 1) | (bytes == nil ? 0 : 2) | (table == nil ? 0 : 4)
        frame += [0, 0, 0, UInt8(flags)]
        for number in [frames, bytes] {
            guard let number else { continue }
            frame += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        frame += table ?? []
        if let gap {
            frame += Array("LAME3.100".utf8) + [UInt8](repeating: 0, count: 12)
            let numbers = gap.delay << 12 | gap.padding
            frame += [UInt8(numbers >> 16), UInt8(numbers >> 8 & 0xFF), UInt8(numbers & 0xFF)]
            frame += [UInt8](repeating: 0, count: 10)
            var remainder: UInt16 = 0
            for byte in frame {
                for bit in 0..<8 {
                    let isSet = (remainder ^ UInt16(byte >> UInt8(bit))) & 1 == 1
                    remainder = remainder >> 1 ^ (isSet ? 0xA001 : 0)
                }
            }
            if breaksChecksum { remainder ^= 0x0101 }
            frame += [UInt8(remainder >> 8), UInt8(remainder & 0xFF)]
        }
        frame += [UInt8](repeating: 0, count: max(0, Self.size(self.word) - frame.count))
        return frame
    }
}
