// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

@testable import WeirAudio

/// Streams for the tests, and the parser's results for them.
enum OggFixture {
    static func parser(_ limits: AudioStreamLimits = AudioStreamLimits()) -> OggParser {
        OggParser(limits: limits, length: nil)
    }

    static func parse(
        _ bytes: [UInt8],
        from start: Int = 0,
        limits: AudioStreamLimits = AudioStreamLimits(),
        sizes: () -> Int = { .max }
    ) -> ParserDriver.Outcome {
        ParserDriver.parse(bytes, from: start, sizes: sizes, with: self.parser(limits))
    }

    /// Opus of several pages with packets of many sizes, some over two or three pages.
    static func opus(pages: Int = 12, serial: UInt32 = 7, seed: UInt64 = 1, largest: Int = 300)
        -> [UInt8]
    {
        var builder = OggBuilder(serial: serial)
        var generator = SeededGenerator(seed: seed)
        var bytes = builder.opusHeaders()
        var granule: Int64 = 0
        var open: [UInt8] = []
        for number in 0..<pages {
            var pieces: [OggBuilder.Piece] = []
            var flags: UInt8 = open.isEmpty ? 0 : 1
            if !open.isEmpty {
                pieces.append(OggBuilder.Piece(bytes: open))
                open = []
                granule += 960
            }
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let size = Int.random(in: 1...largest, using: &generator)
                pieces.append(
                    OggBuilder.Piece(
                        bytes: OggBuilder.opus(size, UInt8.random(in: 0...255, using: &generator))
                    )
                )
                granule += 960
            }
            if number == pages - 1 {
                flags |= 4
                granule -= 100
            } else if Bool.random(using: &generator) {
                // The last packet continues on the next page.
                let whole = OggBuilder.opus(255 + 40, UInt8(truncatingIfNeeded: number))
                pieces.append(OggBuilder.Piece(bytes: Array(whole[0..<255]), isEnd: false))
                open = Array(whole[255...])
            }
            bytes += builder.page(pieces: pieces, granule: granule, flags: flags)
        }
        return bytes
    }

    /// Vorbis of several pages with blocks of both sizes.
    static func vorbis(pages: Int = 6, serial: UInt32 = 9, seed: UInt64 = 1, trim: Int64 = 10)
        -> [UInt8]
    {
        var builder = OggBuilder(serial: serial)
        var generator = SeededGenerator(seed: seed)
        var bytes = builder.vorbisHeaders()
        var granule: Int64 = 0
        var previous: Int64 = 0
        for number in 0..<pages {
            var packets: [[UInt8]] = []
            for _ in 0..<Int.random(in: 2...6, using: &generator) {
                let isLong = Bool.random(using: &generator)
                let size = Int.random(in: 2...60, using: &generator)
                packets.append(
                    isLong
                        ? OggBuilder.long(size, afterLong: previous == 256) : OggBuilder.short(size)
                )
                let block: Int64 = isLong ? 256 : 64
                if previous > 0 { granule += (previous + block) / 4 }
                previous = block
            }
            let isLast = number == pages - 1
            bytes += builder.page(
                packets,
                granule: isLast ? granule - trim : granule,
                flags: isLast ? 4 : 0
            )
        }
        return bytes
    }

    /// FLAC: its header packet, a comment, and frames of 192 samples that are headers alone.
    ///
    /// - Parameters:
    ///   - frames: the number of frames, each on a page of its own.
    ///   - total: the number of samples in STREAMINFO; 0 for unknown.
    /// - Returns: the stream.
    static func flac(frames: Int = 9, total: UInt64 = 0) -> [UInt8] {
        var builder = OggBuilder(serial: 5)
        var info: [UInt8] = [0, 192, 0, 192, 0, 0, 0, 0, 0, 0]
        let packed = UInt64(44_100) << 44 | 1 << 41 | 15 << 36 | total
        info += OggBuilder.little(packed, 8).reversed() + [UInt8](repeating: 0, count: 16)
        let first =
            [0x7F] + OggBuilder.bytes("FLAC") + [1, 0, 0, 1] + OggBuilder.bytes("fLaC") + [
                0, 0, 0, 34,
            ]
            + info
        let comment = OggBuilder.comment()
        var bytes = builder.page([first], granule: 0, flags: 2)
        bytes += builder.page([[0x84, 0, 0, UInt8(comment.count)] + comment], granule: 0)
        for number in 0..<frames {
            var frame: [UInt8] = [0xFF, 0xF8, 0x19, 0x18, UInt8(number)]
            var crc: UInt8 = 0
            for byte in frame {
                crc ^= byte
                for _ in 0..<8 { crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 7 }
            }
            frame += [crc] + [UInt8](repeating: UInt8(number), count: 30)
            bytes += builder.page(
                [frame],
                granule: Int64(number + 1) * 192,
                flags: number == frames - 1 ? 4 : 0
            )
        }
        return bytes
    }

    /// The heard duration of packets, in samples.
    static func heard(_ packets: [AudioPacket]) -> Int64 {
        packets.reduce(0) { $0 + ($1.duration - $1.trimStart - $1.trimEnd).rawValue }
    }
}
