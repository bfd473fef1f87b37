// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Streams of ADTS frames; their payload is arbitrary numbers.
enum ADTSBytes {
    static let sampleRate = 44_100

    /// A frame of LC at 44.1 kHz with two channels.
    ///
    /// - Parameter size: the number of bytes, with the header.
    /// - Returns: the frame; no byte behind the header is 0xFF.
    static func frame(_ size: Int) -> [UInt8] {
        let fields: [(Int, Int)] = [
            (0xFFF, 12), (1, 4), (1, 2), (4, 4), (0, 1), (2, 3), (0, 4), (size, 13), (0x7FF, 11),
            (0, 2),
        ]
        let word = fields.reduce(UInt64(0)) { $0 << UInt64($1.1) | UInt64($1.0) }
        let header = (0..<7).map { UInt8(truncatingIfNeeded: word >> UInt64(48 - 8 * $0)) }
        return header + (7..<size).map { UInt8($0 * 7 % 251) }
    }

    /// Seconds of frames; a closure gives the size of a frame from its time.
    static func stream(seconds: Double, _ size: (Double) -> Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<Int(seconds * Double(self.sampleRate) / 1024) {
            bytes += self.frame(size(Double(index) * 1024 / Double(self.sampleRate)))
        }
        return bytes
    }

    /// The time of each packet in seconds, by its offset; found by reading everything.
    static func times(_ bytes: [UInt8]) throws -> [Int64: Double] {
        var parser = AudioStreamParser(length: Int64(bytes.count))
        parser.push(ByteMemory(bytes))
        parser.finish()
        var times: [Int64: Double] = [:]
        while let event = try parser.next() {
            guard case .packet(let packet) = event else { continue }
            times[packet.offset] = packet.start.seconds(sampleRate: self.sampleRate)
        }
        return times
    }
}
