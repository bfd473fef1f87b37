// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

/// A regression: the parser scanned these streams from the start for every new byte.
///
/// That took minutes; now it takes seconds.
@Suite("Frames that come byte by byte", .timeLimit(.minutes(1)))
struct FrameTrickleTests {
    private static func parsed(_ bytes: [UInt8], size: Int) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            sizes: { size },
            with: MPEGAudioParser(limits: AudioStreamLimits(), length: nil)
        )
    }

    @Test("False headers in free format are followed once")
    func freeFormat() {
        var generator = SeededGenerator(seed: 3)
        let bytes = (0..<64 << 10).map { _ -> UInt8 in
            [0xFF, 0xFB, 0x90, 0x64, 0xF1, 0x50, 0, 4][Int.random(in: 0...7, using: &generator)]
        }
        #expect(firstDifference(Self.parsed(bytes, size: 1), Self.parsed(bytes, size: .max)) == nil)
    }

    @Test("Beginnings of tags without an end are searched once")
    func lyrics() {
        let bytes = (0..<8000).flatMap { _ in Array("LYRICSBEGIN".utf8) }
        #expect(firstDifference(Self.parsed(bytes, size: 1), Self.parsed(bytes, size: .max)) == nil)
    }

    @Test("Fields of tags inside fields are followed a few times")
    func nestedFields() {
        let field = Array("LYR00011LYRICSBEGIN".utf8)
        let bytes = [0] + Array("LYRICSBEGIN".utf8) + (0..<3000).flatMap { _ in field }
        #expect(firstDifference(Self.parsed(bytes, size: 1), Self.parsed(bytes, size: .max)) == nil)
    }

    @Test("A frame longer than the limit is refused, also behind shorter frames")
    func limit() {
        var builder = MPEGStreamBuilder()
        let bytes = builder.frames(8, 0xFFFB_9000) + builder.frames(4, 0xFFFB_E000)
        var limits = AudioStreamLimits()
        limits.packet = 500
        let outcome = ParserDriver.parse(
            bytes,
            with: MPEGAudioParser(limits: limits, length: nil)
        )
        #expect(outcome.error?.code == .limit)
        #expect(outcome.packets.allSatisfy { $0.payload.count <= 500 })
    }

    @Test("The size of a frame follows the formula, for every header")
    func sizes() {
        var wrong = 0
        for bits in 0..<2048 as Range<UInt32> {
            guard let header = MPEGFrameHeader(word: 0xFFE0_0000 | bits << 10),
                !header.isFreeFormat
            else { continue }
            let rate = header.kilobitsPerSecond * 1000
            let slots =
                header.layer == 1
                ? rate * 12 / header.sampleRate
                : rate * (header.sampleCount / 8) / header.sampleRate
            if header.frameSize(freeSize: 0) != slots * header.slotSize { wrong += 1 }
        }
        #expect(wrong == 0)
    }
}
