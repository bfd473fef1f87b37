// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("Sniffing")
struct SniffingTests {
    @Test("a header is recognised", arguments: MediaSamples.all)
    func recognised(_ sample: MediaSample) {
        #expect(MediaType.sniffed(from: sample.bytes) == sample.type, "\(sample)")
    }

    @Test(
        "a header that is cut at any byte gives its type, one of its family, or no type",
        arguments: MediaSamples.all
    )
    func truncated(_ sample: MediaSample) {
        for count in 0..<sample.bytes.count {
            let found = MediaType.sniffed(from: Array(sample.bytes.prefix(count)))
            let isRight =
                found == nil || found == sample.type || sample.family.contains { $0 == found }
            #expect(isRight, "\(sample): \(count) bytes are \(found as MediaType?)")
        }
    }

    @Test("a header with any bit flipped does not trap", arguments: MediaSamples.all)
    func flipped(_ sample: MediaSample) {
        for bit in 0..<min(sample.bytes.count, 96) * 8 {
            var bytes = sample.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            _ = MediaType.sniffed(from: bytes)
        }
        // The flips test something only if the sample itself is recognized.
        #expect(MediaType.sniffed(from: sample.bytes) == sample.type)
    }

    @Test(
        "random bytes, also behind true beginnings, do not trap",
        arguments: 0..<20 as Range<UInt64>
    )
    func noise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for sample in MediaSamples.all {
            let kept = Int.random(in: 0...sample.bytes.count, using: &generator)
            let noise = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let bytes = Array(sample.bytes.prefix(kept)) + noise
            // The same bytes give the same result, in an array and in unaligned memory.
            let shifted = [0] + bytes
            let other = shifted.withUnsafeBytes {
                MediaType.sniffed(from: UnsafeRawBufferPointer(rebasing: $0[1...]))
            }
            #expect(MediaType.sniffed(from: bytes) == other, "seed \(seed), \(sample)")
        }
    }

    @Test(
        "text that only resembles a format has no type",
        arguments: [
            "", " ", "\n\n", "Not Found", "OK", "<", "<>", "<!", "<!--", "<header>Hi</header>",
            "<note>x</note>", "{", "{x", "[", "[x]", "#EXTINF:1", "ID", "RIFF____MENU", "the free",
            "the free lunch is over", "to skip or not", "FORM____ILBM", "MP+!", "FLV\u{2}", "OggX",
            "GIF88a", "%PDX", "....fty", "....ftyp", "MThd\u{0}\u{0}\u{0}\u{7}",
        ]
    )
    func resemblances(_ text: String) {
        #expect(MediaType.sniffed(from: Array(text.utf8)) == nil)
    }

    @Test(
        "frames that do not match are not a stream",
        arguments: [
            // MPEG audio: a next header of another rate, none at all, bad fields.
            MediaSamples.mpegFrame + [0xFF, 0xFB, 0x94, 0x00],
            MediaSamples.mpegFrame + [0x00, 0x00, 0x00, 0x00],
            [0xFF, 0xFB, 0xF0, 0x00], [0xFF, 0xFB, 0x9C, 0x00], [0xFF, 0xEB, 0x90, 0x00],
            // UTF-16 text: its byte order mark is a header of Layer I.
            [0xFF, 0xFE] + "hello, this is text".utf8.flatMap { [$0, 0] },
            // ADTS: a next header of another rate, a length shorter than the header.
            MediaSamples.adtsFrame + [0xFF, 0xF1, 0x4C, 0x80],
            [0xFF, 0xF1, 0x50, 0x80, 0x00, 0x3F, 0xFC],
            // A transport stream of two packets, and one out of step.
            MediaSamples.transportStream(packets: 2, size: 188),
            MediaSamples.transportStream(packets: 4, size: 187),
        ] as [[UInt8]]
    )
    func disagreement(_ bytes: [UInt8]) {
        #expect(MediaType.sniffed(from: bytes) == nil)
    }
}
