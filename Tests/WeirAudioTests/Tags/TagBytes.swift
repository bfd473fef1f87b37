// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirAudio

/// Builds tags, byte by byte.
enum TagBytes {
    static func synchsafe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }

    static func big(_ value: Int, _ width: Int = 4) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    static func little(_ value: Int, _ width: Int = 4) -> [UInt8] {
        self.big(value, width).reversed()
    }

    static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func utf16(_ text: String, isBig: Bool = false, isMarked: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        for unit in (isMarked ? [0xFEFF] : []) + Array(text.utf16) {
            let pair = self.big(Int(unit), 2)
            bytes += isBig ? pair : pair.reversed()
        }
        return bytes
    }

    /// A tag around frames.
    static func id3v2(
        _ version: UInt8,
        _ frames: [[UInt8]],
        flags: UInt8 = 0,
        padding: Int = 0
    ) -> [UInt8] {
        let body = frames.flatMap { $0 } + [UInt8](repeating: 0, count: padding)
        let head = self.ascii("ID3") + [version, 0, flags] + self.synchsafe(body.count)
        let foot = self.ascii("3DI") + [version, 0, flags] + self.synchsafe(body.count)
        return head + body + (flags & 0x10 != 0 ? foot : [])
    }

    /// A frame of any version of ID3v2.
    static func frame(
        _ version: UInt8,
        _ name: String,
        _ content: [UInt8],
        flags: UInt8 = 0
    ) -> [UInt8] {
        switch version {
        case 2: self.ascii(name) + self.big(content.count, 3) + content
        case 3: self.ascii(name) + self.big(content.count) + [0, flags] + content
        default: self.ascii(name) + self.synchsafe(content.count) + [0, flags] + content
        }
    }

    static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            result.append(byte)
            guard byte == 0xFF else { continue }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0xFF
            if next == 0 || next >= 0xE0 { result.append(0) }
        }
        return result
    }

    static func id3v1(title: String, artist: String = "", track: UInt8 = 0, genre: UInt8 = 255)
        -> [UInt8]
    {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return Array((bytes + [UInt8](repeating: 0, count: count)).prefix(count))
        }
        var bytes = self.ascii("TAG") + field(title, 30) + field(artist, 30)
        bytes += field("", 30) + field("1999", 4) + field("", 29)
        return bytes + [track, genre]
    }

    /// An APE tag; items are keys, flags and values.
    static func ape(
        _ items: [(String, Int, [UInt8])],
        hasHeader: Bool = true
    ) -> [UInt8] {
        var body: [UInt8] = []
        for (key, flags, value) in items {
            body += self.little(value.count) + self.little(flags)
            body += self.ascii(key) + [0]
            body += value
        }
        func end(_ flags: Int) -> [UInt8] {
            var end = self.ascii("APETAGEX") + self.little(hasHeader ? 2000 : 1000)
            end += self.little(body.count + 32) + self.little(items.count)
            end += self.little(flags) + [UInt8](repeating: 0, count: 8)
            return end
        }
        let head = hasHeader ? end(0xA000_0000) : []
        return head + body + end(hasHeader ? 0x8000_0000 : 0)
    }

    static func lyrics3(_ fields: [(String, String)]) -> [UInt8] {
        let body =
            "LYRICSBEGIN"
            + fields.map { name, text in
                name + String(repeating: "0", count: 5 - String(text.utf8.count).count)
                    + String(text.utf8.count) + text
            }.joined()
        let size = String(body.utf8.count)
        return self.ascii(body + String(repeating: "0", count: 6 - size.count) + size + "LYRICS200")
    }

    static func vorbisComment(_ comments: [String], vendor: String = "test") -> [UInt8] {
        var bytes = self.little(vendor.utf8.count) + self.ascii(vendor)
        bytes += self.little(comments.count)
        for comment in comments { bytes += self.little(comment.utf8.count) + self.ascii(comment) }
        return bytes
    }

    static func flacPicture(kind: Int, type: String, text: String, data: [UInt8]) -> [UInt8] {
        var bytes = self.big(kind)
        for part in [self.ascii(type), self.ascii(text)] { bytes += self.big(part.count) + part }
        bytes += [UInt8](repeating: 0, count: 16)
        return bytes + self.big(data.count) + data
    }
}
