// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// FLAC files, concatenated, or a chain of FLAC in Ogg; the samples are noise.
struct JoinedFLAC: JoinedFile {
    /// One of the files.
    struct Part {
        var seconds = 20.0
        /// Samples a second, a multiple of 1000 up to 64,000.
        var frequency = 8000
        var blockSize = 1024
        /// The bits of a sample in the frames: the smallest and the largest number.
        var bits = 4...10
        /// Whether STREAMINFO has the number of samples.
        var hasTotal = true
        /// The serial number in Ogg.
        var serial: UInt32 = 7
        var title: String?
        /// Bytes of no format in front of the file.
        var garbage: [UInt8] = []
    }

    private(set) var bytes: [UInt8] = []
    private(set) var times: [Int64: Double] = [:]
    private(set) var seconds = 0.0

    init(_ parts: [Part], isOgg: Bool, seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        for part in parts {
            if isOgg {
                self.chain(part, &generator)
            } else {
                self.append(part, &generator)
            }
        }
    }

    private mutating func append(_ part: Part, _ generator: inout SeededGenerator) {
        self.bytes += part.garbage + Array("fLaC".utf8) + [part.title == nil ? 0x80 : 0, 0, 0, 34]
        self.bytes += Self.streamInfo(part)
        if let title = part.title {
            let comment = Self.comment(title)
            self.bytes += [0x84, 0, 0, UInt8(comment.count)] + comment
        }
        for (frame, start) in Self.frames(part, &generator) {
            self.times[Int64(self.bytes.count)] = self.seconds + start
            self.bytes += frame
        }
        self.seconds += Double(part.sampleCount) / Double(part.frequency)
    }

    private mutating func chain(_ part: Part, _ generator: inout SeededGenerator) {
        var sequence: UInt32 = 0
        func page(_ packets: [[UInt8]], _ granule: Int, _ flags: UInt8) -> [UInt8] {
            defer { sequence += 1 }
            return Self.page(packets, granule, flags, part.serial, sequence)
        }
        let head = [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34]
        self.bytes += page([head + Self.streamInfo(part)], 0, 2)
        let comment = Self.comment(part.title)
        self.bytes += page([[0x84, 0, 0, UInt8(comment.count)] + comment], 0, 0)
        let frames = Self.frames(part, &generator)
        for index in stride(from: 0, to: frames.count, by: 4) {
            let some = frames[index..<min(index + 4, frames.count)]
            let isLast = some.endIndex == frames.count
            let end = isLast ? part.sampleCount : some.endIndex * part.blockSize
            let page = page(some.map(\.bytes), end, isLast ? 4 : 0)
            var offset = self.bytes.count + page.count - some.reduce(0) { $0 + $1.bytes.count }
            for (frame, start) in some {
                self.times[Int64(offset)] = self.seconds + start
                offset += frame.count
            }
            self.bytes += page
        }
        self.seconds += Double(part.sampleCount) / Double(part.frequency)
    }

    // MARK: FLAC

    private static func streamInfo(_ part: Part) -> [UInt8] {
        let size = UInt64(part.blockSize)
        let total = part.hasTotal ? UInt64(part.sampleCount) : 0
        // One channel of 16 bits.
        let packed = UInt64(part.frequency) << 44 | 15 << 36 | total
        return self.big(size, 2) + self.big(size, 2) + [UInt8](repeating: 0, count: 6)
            + self.big(packed, 8) + [UInt8](repeating: 0, count: 16)
    }

    private static func frames(
        _ part: Part,
        _ generator: inout SeededGenerator
    ) -> [(bytes: [UInt8], start: Double)] {
        var frames: [(bytes: [UInt8], start: Double)] = []
        var bits = part.bits.lowerBound
        for (number, start) in stride(from: 0, to: part.sampleCount, by: part.blockSize)
            .enumerated()
        {
            // Loudness changes every few seconds.
            if number % 32 == 0 { bits = Int.random(in: part.bits, using: &generator) }
            let size = min(part.blockSize, part.sampleCount - start)
            let frame = self.frame(number, size, part.frequency / 1000, bits, &generator)
            frames.append((frame, Double(start) / Double(part.frequency)))
        }
        return frames
    }

    /// A frame of one channel: a predictor of order 0, and residuals of `bits` bits each.
    private static func frame(
        _ number: Int,
        _ size: Int,
        _ kilohertz: Int,
        _ bits: Int,
        _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var frame: [UInt8] = [0xFF, 0xF8, 0x7C, 0x08]
        if number < 0x80 {
            frame.append(UInt8(number))
        } else if number < 0x800 {
            frame += [0xC0 | UInt8(number >> 6), 0x80 | UInt8(number & 0x3F)]
        } else {
            frame += [0xE0 | UInt8(number >> 12), 0x80 | UInt8(number >> 6 & 0x3F)]
            frame.append(0x80 | UInt8(number & 0x3F))
        }
        frame += self.big(UInt64(size - 1), 2) + [UInt8(kilohertz)]
        frame.append(frame.reduce(0) { self.crc8[Int($0 ^ $1)] })
        // Method 0, one partition, parameter 15: uncompressed residuals of `bits` bits each.
        frame += [0x10] + self.big(UInt64(0b1111 << 6 | bits << 1), 2)
        var left = size * bits / 8 - 1
        while left > 0 {
            frame += self.big(generator.next(), min(8, left))
            left -= 8
        }
        frame.append(UInt8(truncatingIfNeeded: generator.next()) & 0xFE)
        var sum: UInt16 = 0
        for byte in frame { sum = sum << 8 ^ self.crc16[Int(UInt8(sum >> 8) ^ byte)] }
        return frame + self.big(UInt64(sum), 2)
    }

    private static func comment(_ title: String?) -> [UInt8] {
        let fields = title.map { ["TITLE=\($0)"] } ?? []
        var comment: [UInt8] = [1, 0, 0, 0, 0x77, UInt8(fields.count), 0, 0, 0]
        for field in fields { comment += [UInt8(field.utf8.count), 0, 0, 0] + Array(field.utf8) }
        return comment
    }

    // MARK: Ogg

    private static func page(
        _ packets: [[UInt8]],
        _ granule: Int,
        _ flags: UInt8,
        _ serial: UInt32,
        _ sequence: UInt32
    ) -> [UInt8] {
        var sizes: [UInt8] = []
        for packet in packets {
            sizes += [UInt8](repeating: 255, count: packet.count / 255)
            sizes.append(UInt8(packet.count % 255))
        }
        var page = Array("OggS".utf8) + [0, flags] + self.little(UInt64(granule), 8)
        page += self.little(UInt64(serial), 4) + self.little(UInt64(sequence), 4)
        page += [0, 0, 0, 0, UInt8(sizes.count)] + sizes
        for packet in packets { page += packet }
        var sum: UInt32 = 0
        for byte in page { sum = sum << 8 ^ self.crc32[Int(UInt8(sum >> 24) ^ byte)] }
        page.replaceSubrange(22..<26, with: self.little(UInt64(sum), 4))
        return page
    }

    // MARK: Numbers

    private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static let crc8: [UInt8] = (0..<256).map { index in
        (0..<8).reduce(UInt8(index)) { sum, _ in sum << 1 ^ (sum & 0x80 == 0 ? 0 : 0x07) }
    }
    private static let crc16: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { sum, _ in
            sum << 1 ^ (sum & 0x8000 == 0 ? 0 : 0x8005)
        }
    }
    private static let crc32: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in
            sum << 1 ^ (sum & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
        }
    }
}

extension JoinedFLAC.Part {
    /// The number of samples: a multiple of 8.
    var sampleCount: Int { Int(self.seconds * Double(self.frequency)) / 8 * 8 }
}
