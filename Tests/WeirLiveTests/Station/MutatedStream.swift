// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// A station's response, damaged at random: the same bytes for the same seed.
struct MutatedStream {
    /// The body of the response, in the portions in which it arrives.
    let chunks: [[UInt8]]
    /// The media type in the response's headers.
    let mediaType: String?
    /// The metadata interval in the response's headers, in bytes.
    let interval: Int?

    /// How many bytes there are.
    var byteCount: Int { self.chunks.reduce(0) { $0 + $1.count } }

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (bytes, type, interval) = Self.original(Int(seed % 4), &generator)
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            Self.spoil(&bytes, &generator)
        }
        // Headers may be false too.
        switch Int.random(in: 0...9, using: &generator) {
        case 0: type = nil
        case 1: type = "text/html"
        case 2: interval = Int.random(in: 1...600, using: &generator)
        default: break
        }
        var chunks: [[UInt8]] = []
        var rest = bytes[...]
        let most = [1, 7, 64, 1000, 4096, 100_000].randomElement(using: &generator) ?? 1000
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...most, using: &generator))
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        self.chunks = chunks
        self.mediaType = type
        self.interval = interval
    }

    /// A response without damage.
    private static func original(_ kind: Int, _ generator: inout SeededGenerator) -> (
        [UInt8], String?, Int?
    ) {
        switch kind {
        case 0:
            let interval = [1, 16, 255, 1024].randomElement(using: &generator) ?? 255
            let sound = NumberedFrames.frames(0..<(interval == 1 ? 4 : 16))
            let long = String(repeating: "ä", count: 2000)
            let body = sound.withTitles(every: interval) { index in
                index % 5 == 0 ? "Title \(index)" : index % 7 == 3 && interval > 1 ? long : nil
            }
            return (body, "audio/mpeg", interval)
        case 1: return (TinyADTS.frames(0..<24), "audio/aac", nil)
        case 2:
            var body: [UInt8] = []
            for serial in UInt32(1)...3 {
                var ogg = TinyOgg(serial: serial)
                body += ogg.headers(title: "Part \(serial)") + ogg.sound() + ogg.sound(isLast: true)
            }
            return (body, "application/ogg", nil)
        default:
            var text = "[playlist]\nNumberOfEntries=9\n"
            for index in 1...9 {
                text += "File\(index)=http://radio.example/\(index)\nLength1=-1\n"
            }
            return (Array(text.utf8), "audio/x-scpls", nil)
        }
    }

    private static func spoil(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let count = min(bytes.count - place, Int.random(in: 1...300, using: &generator))
        switch Int.random(in: 0...7, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        case 2:
            for index in place..<place + min(count, 9) { bytes[index] = 0xFF }
        case 3: bytes.removeSubrange(place..<place + count)
        case 4: bytes.insert(contentsOf: bytes[place..<place + count], at: place)
        case 5:
            bytes.insert(
                contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) },
                at: place
            )
        case 6: bytes.removeSubrange(place...)
        default:
            let kind = Int.random(in: 0...3, using: &generator)
            let other = Self.original(kind, &generator).0
            bytes.insert(contentsOf: other.prefix(2000), at: place)
        }
    }
}
