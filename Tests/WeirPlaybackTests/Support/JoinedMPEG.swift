// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Files of MPEG audio, concatenated as podcast servers do it.
struct JoinedMPEG: JoinedFile {
    /// How a file is coded.
    enum Kind: CaseIterable {
        /// At a constant bit rate, with an `Info` tag.
        case constant
        /// At a constant bit rate, without a tag.
        case untagged
        /// At varying bit rates, with a Xing tag and its table.
        case varying
    }

    /// One of the files.
    struct Part {
        var kind = Kind.constant
        /// The index in the table of bit rates of MPEG-1 layer III.
        var rate = 9
        /// 0: 44.1 kHz, 1: 48 kHz, 2: 32 kHz.
        var frequency = 0
        var seconds = 30.0
        var delay = 576
        var padding = 1200
        /// The title in an ID3v2 tag in front of the file.
        var title: String?
        /// How many bytes of padding the ID3v2 tag has, in place of a picture.
        var paddingByteCount = 0
        /// Whether the tag has the number of bytes.
        var countsBytes = true
    }

    static let kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    static let frequencies = [44_100, 48_000, 32_000]

    private(set) var bytes: [UInt8] = []
    /// The time of the first sample of a frame, in seconds from the start of the file, by the frame's offset.
    private(set) var times: [Int64: Double] = [:]
    /// The duration of all parts together.
    private(set) var seconds = 0.0
    /// The offsets at which the parts begin.
    private(set) var starts: [Int] = []

    init(_ parts: [Part], seed: UInt64 = 1) {
        var generator = SeededGenerator(seed: seed)
        for part in parts { self.append(part, &generator) }
    }

    private mutating func append(_ part: Part, _ generator: inout SeededGenerator) {
        self.starts.append(self.bytes.count)
        if let title = part.title { self.bytes += Self.tag(title, part.paddingByteCount) }
        let rate = Self.frequencies[part.frequency]
        let count = Int(part.seconds * Double(rate) / 1152)
        var frames: [[UInt8]] = []
        var lag = 0
        var row = part.rate
        for index in 0..<count {
            // The varying rate changes every few seconds.
            if part.kind == .varying, index % 64 == 0 {
                row = Int.random(in: 5...13, using: &generator)
            }
            lag += 144 * Self.kilobits[row] * 1000 % rate
            let isPadded = lag >= rate
            if isPadded { lag -= rate }
            frames.append(Self.frame(row, part.frequency, isPadded))
        }
        let isTagged = part.kind != .untagged
        let leading = isTagged ? part.delay + 529 : 0
        let trailing = isTagged ? max(0, part.padding - 529) : 0
        if isTagged { self.bytes += Self.infoFrame(part, frames) }
        for (index, frame) in frames.enumerated() {
            let samples = Double(index * 1152 - leading)
            self.times[Int64(self.bytes.count)] = self.seconds + samples / Double(rate)
            self.bytes += frame
        }
        self.seconds += Double(count * 1152 - leading - trailing) / Double(rate)
    }

    private static func frame(_ row: Int, _ frequency: Int, _ isPadded: Bool) -> [UInt8] {
        let word = 0xFFFB_0040 | row << 12 | frequency << 10 | (isPadded ? 0x200 : 0)
        let size = 144 * self.kilobits[row] * 1000 / self.frequencies[frequency]
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
        bytes += [UInt8](repeating: 0, count: 32)
        while bytes.count < size + (isPadded ? 1 : 0) { bytes.append(UInt8(bytes.count % 251)) }
        return bytes
    }

    private static func infoFrame(_ part: Part, _ frames: [[UInt8]]) -> [UInt8] {
        let size = self.frame(part.rate, part.frequency, false).count
        let total = frames.reduce(size) { $0 + $1.count }
        var frame = Array(self.frame(part.rate, part.frequency, false).prefix(4))
        frame += [UInt8](repeating: 0, count: 32)
        frame += Array((part.kind == .varying ? "Xing" : "Info").utf8)
        frame += [0, 0, 0, part.countsBytes ? 7 : 5]
        for number in part.countsBytes ? [frames.count, total] : [frames.count] {
            frame += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        var ends = [size]
        for other in frames { ends.append((ends.last ?? 0) + other.count) }
        frame += (0..<100).map { UInt8(min(255, ends[frames.count * $0 / 100] * 256 / total)) }
        frame += Array("LAME3.100".utf8) + [UInt8](repeating: 0, count: 12)
        let gap = part.delay << 12 | part.padding
        frame += [UInt8(gap >> 16), UInt8(gap >> 8 & 0xFF), UInt8(gap & 0xFF)]
        // A checksum of 0 means that the tag has no checksum.
        return frame + [UInt8](repeating: 0, count: max(0, size - frame.count))
    }

    private static func tag(_ title: String, _ padding: Int) -> [UInt8] {
        let content = [3] + Array(title.utf8)
        let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        let size = frame.count + padding
        // Seven bits a byte.
        let digits = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
        return Array("ID3".utf8) + [4, 0, 0] + digits + frame
            + [UInt8](repeating: 0, count: padding)
    }
}
