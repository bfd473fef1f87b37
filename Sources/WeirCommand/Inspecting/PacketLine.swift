// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import WeirAudio

/// A packet as a line of output.
///
/// ``duration`` is the duration in the container, which may be shorter than the decoded duration.
struct PacketLine {
    var index: Int
    var offset: Int64
    var size: Int
    var time: Int64
    var duration: Int64
    var sampleRate: Int
    var md5: String
    var trimStart: Int64?
    var trimEnd: Int64?
    var isIndependent: Bool
    var section: Int

    /// The line for a packet.
    ///
    /// A container such as Ogg or MP4 may cut a packet: the container's times end before samples
    /// that are not to be heard. Then the decoded duration is ``duration`` plus ``trimEnd``.
    init(_ packet: AudioPacket, index: Int, sampleRate: Int, isCutByContainer: Bool) {
        self.index = index
        self.offset = packet.offset
        self.size = packet.payload.count
        self.time = packet.start.rawValue
        let cut = isCutByContainer ? packet.trimEnd : 0
        self.duration = max(0, (packet.duration - cut).rawValue)
        self.sampleRate = sampleRate
        self.md5 = Self.digest(packet.payload)
        self.trimStart = packet.trimStart == 0 ? nil : packet.trimStart.rawValue
        self.trimEnd = packet.trimEnd == 0 ? nil : packet.trimEnd.rawValue
        self.isIndependent = packet.isIndependent
        self.section = packet.section
    }

    /// The heading of the columns of ``text``.
    static let heading =
        "  index       offset       size      time (s)  samples  MD5"

    /// Index, offset, size, time in seconds, duration in samples, and digest, for a person.
    var text: String {
        let seconds = Double(self.time) / Double(self.sampleRate)
        let columns = [
            Self.padded("\(self.index)", 7), Self.padded("\(self.offset)", 11),
            Self.padded("\(self.size) B", 9), Self.padded(String(format: "%.6f", seconds), 13),
            Self.padded("\(self.duration)", 7), self.md5,
        ]
        var line = columns.joined(separator: "  ")
        if let trim = self.trimStart { line += "  first \(trim) trimmed" }
        if let trim = self.trimEnd { line += "  last \(trim) trimmed" }
        return line
    }

    /// The line, as `--json` prints it.
    var json: JSON {
        [
            "event": "packet", "index": self.index, "offset": self.offset, "bytes": self.size,
            "time": self.time,
            "duration": self.duration, "sampleRate": self.sampleRate, "md5": self.md5,
            "trimStart": self.trimStart, "trimEnd": self.trimEnd,
            "isIndependent": self.isIndependent, "section": self.section,
        ]
    }

    /// The MD5 of bytes, for comparison only, not for security.
    static func digest(_ bytes: ByteMemory) -> String {
        var hash = Insecure.MD5()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Self.hexadecimal(hash.finalize())
    }

    /// The bytes as hexadecimal digits, two for each byte.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
