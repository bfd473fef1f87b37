// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MPEG audio: any chunking, damage, and joins")
struct MPEGRobustnessTests {
    private static func trials(_ bytes: [UInt8]) -> FrameStreamTrials<MPEGAudioParser> {
        FrameStreamTrials(bytes: bytes) {
            MPEGAudioParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        }
    }

    /// A tag, frames of several sizes, foreign bytes, and a truncated frame.
    private static var mixture: [UInt8] {
        var builder = MPEGStreamBuilder(word: 0xFFF3_8000)
        var bytes = builder.tagFrame("Xing", frames: 9, bytes: nil, gap: (576, 1000))
        for index in 0..<9 {
            let rate = UInt32(3 + index % 4) << 12
            bytes += builder.frame(0xFFF3_0000 | rate, mainDataBegin: index % 2)
            if index == 5 { bytes += [1, 2, 0xFF, 0xF3, 0x80, 9, 9, 0xFF, 0x49, 0x44] }
        }
        return bytes + builder.frame().prefix(60)
    }

    @Test("Chunks of any size give the same events")
    func chunking() {
        Self.trials(Self.mixture).chunking()
    }

    @Test("Frames in free format do not depend on chunks, either")
    func freeChunking() {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        for index in 0..<11 {
            bytes += builder.frame(0xFFF3_0000 | UInt32(index % 3 == 1 ? 0x200 : 0), free: 60)
        }
        Self.trials(bytes).chunking()
    }

    @Test("A stream that is cut at any byte gives the whole packets")
    func truncation() {
        var builder = MPEGStreamBuilder(word: 0xFFF3_3000)
        Self.trials(builder.frames(8)).truncation()
    }

    @Test("After any wrong byte, parsing continues")
    func corruption() {
        Self.trials(Self.mixture).corruption()
    }

    @Test("A parser that joins a stream anywhere gives the same packets from there on")
    func joins() {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        for index in 0..<60 { bytes += builder.frame(0xFFFB_0000 | UInt32(1 + index % 14) << 12) }
        Self.trials(bytes).joins(500)
    }

    @Test("Random bytes between frames give no packet")
    func garbage() {
        var builder = MPEGStreamBuilder()
        Self.trials(builder.frames(40)).garbage(100)
    }

    @Test("A header in free format within silence does not mislead the parser")
    func freeFormatInSilence() {
        // All frames are the same, and each contains bytes that look like a header.
        var builder = MPEGStreamBuilder()
        var frame = builder.frame()
        frame.replaceSubrange(200..<204, with: [0xFF, 0xFB, 0x02, 0x01])
        let bytes = Array(repeatElement(frame, count: 40).joined())
        Self.trials(bytes).joins(200)
    }

    @Test("Bytes that are all ones, or all headers, are skipped", arguments: [0, 1, 2, 3])
    func hostile(kind: Int) {
        let pattern: [UInt8] =
            switch kind {
            case 0: [0xFF]
            case 1: [0xFF, 0xFB, 0x00, 0x00]
            case 2: [0xFF, 0xFB, 0x90, 0x00]
            default: [0xFF, 0xFF, 0x02, 0x00, 0xFF, 0xFD, 0x00]
            }
        let bytes = Array(repeatElement(pattern, count: 40_000 / pattern.count).joined())
        let outcome = MPEGAudioParserTests.parse(bytes)
        #expect(outcome.error != nil || !outcome.events.isEmpty)
    }
}
