// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Frames of sound with their numbers inside: MPEG-1 layer III, 32 kbit/s, 32 kHz, 144 bytes, 36 ms.
enum NumberedFrames {
    static let size = 144
    static let duration = Duration.milliseconds(36)

    /// A frame without its number; only its first byte is 0xFF.
    private static let template: [UInt8] = {
        let head: [UInt8] = [0xFF, 0xFB, 0x18, 0x00] + [UInt8](repeating: 0, count: 32)
        return head + (head.count..<Self.size).map { UInt8(1 + $0) }
    }()

    /// A frame.
    static func frame(_ number: Int) -> [UInt8] {
        var bytes = Self.template
        // Six bits a byte, and no byte is 0 or 0xFF.
        for index in 0..<6 { bytes[36 + index] = 0x40 | UInt8(number >> (30 - 6 * index) & 0x3F) }
        return bytes
    }

    /// Frames in a row.
    static func frames(_ numbers: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * Self.size)
        for number in numbers { bytes += Self.frame(number) }
        return bytes
    }

    /// The number of a frame that starts at an index; `nil` if no frame starts there.
    static func number(_ bytes: [UInt8], at index: Int) -> Int? {
        guard index + Self.size <= bytes.count, bytes[index] == 0xFF, bytes[index + 1] == 0xFB
        else {
            return nil
        }
        let number = bytes[index + 36..<index + 42].reduce(0) { $0 << 6 | Int($1 & 0x3F) }
        return bytes[index..<index + Self.size].elementsEqual(Self.frame(number)) ? number : nil
    }

    /// The numbers of all frames; `nil` if there is anything else in the bytes.
    static func numbers(_ bytes: [UInt8]) -> [Int]? {
        guard bytes.count % Self.size == 0 else { return nil }
        var numbers: [Int] = []
        for index in stride(from: 0, to: bytes.count, by: Self.size) {
            guard let number = Self.number(bytes, at: index) else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
