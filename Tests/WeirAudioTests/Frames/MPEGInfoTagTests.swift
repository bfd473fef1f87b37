// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MPEG audio: the encoder's tag in the first frame")
struct MPEGInfoTagTests {
    private static func heard(_ outcome: ParserDriver.Outcome) -> Int64 {
        outcome.packets.reduce(0) { $0 + ($1.duration - $1.trimStart - $1.trimEnd).rawValue }
    }

    @Test("The frame with the tag gives no packet, and its delay and padding are trimmed")
    func gapless() {
        var builder = MPEGStreamBuilder()
        let frames = builder.frames(10)
        let bytes = builder.tagFrame(frames: 10, bytes: 11 * 417, gap: (576, 1260)) + frames
        let outcome = MPEGAudioParserTests.parse(bytes)
        #expect(outcome.packets.count == 10 && outcome.troubles.isEmpty)
        #expect(outcome.packets.first?.offset == 417 && outcome.packets.first?.start == 0)
        #expect(outcome.packets.first?.trimStart == 1105 && outcome.packets.last?.trimEnd == 731)
        #expect(Self.heard(outcome) == 11_520 - 1105 - 731)
        #expect(outcome.formats.first?.trim == AudioTrim(leading: 1105, trailing: 731))
        #expect(outcome.formats.first?.duration == AudioDuration(9684, .declared))
        #expect(outcome.formats.last?.duration == AudioDuration(9684, .exact))
        #expect(outcome.formats.first?.bitRate == AudioBitRate(128_000, .constant))
    }

    @Test("The trim may be longer than a frame, at either end")
    func longTrims() {
        var builder = MPEGStreamBuilder()
        let bytes = builder.tagFrame(frames: 6, bytes: nil, gap: (1105, 2500)) + builder.frames(6)
        let outcome = MPEGAudioParserTests.parse(bytes)
        #expect(outcome.packets.map(\.trimStart.rawValue) == [1152, 482, 0, 0, 0, 0])
        #expect(outcome.packets.map(\.trimEnd.rawValue) == [0, 0, 0, 0, 819, 1152])
    }

    @Test("The delay and padding of a tag with a wrong checksum are ignored")
    func checksum() {
        var builder = MPEGStreamBuilder()
        let tag = builder.tagFrame(
            frames: 10,
            bytes: 11 * 417,
            gap: (576, 1260),
            breaksChecksum: true
        )
        let outcome = MPEGAudioParserTests.parse(tag + builder.frames(10))
        #expect(outcome.troubles == [AudioStreamFailure(.badChecksum, 0..<417)])
        #expect(Self.heard(outcome) == 11_520 && outcome.formats.last?.trim == nil)
    }

    @Test("A tag that counts more bytes than exist is reported and ignored")
    func cutShort() {
        var builder = MPEGStreamBuilder()
        let tag = builder.tagFrame(frames: 1000, bytes: 1001 * 417, gap: (576, 1260))
        let outcome = MPEGAudioParserTests.parse(tag + builder.frames(20))
        #expect(outcome.troubles == [AudioStreamFailure(.contradiction, 0..<417)])
        let first = outcome.formats.first
        #expect(first?.duration?.certainty == .estimated)
        #expect(first?.duration?.samples == 21_882)
        // The duration counts only the 20 frames that are present.
        #expect(outcome.formats.last?.duration == AudioDuration(21_935, .estimated))
    }

    @Test("If the length is unknown, more frames than the tag counts contradict the tag")
    func surplus() {
        var builder = MPEGStreamBuilder()
        let bytes = builder.tagFrame(frames: 10, bytes: nil) + builder.frames(20)
        let outcome = MPEGAudioParserTests.parse(bytes, length: false)
        #expect(outcome.packets.count == 20)
        #expect(outcome.troubles == [AudioStreamFailure(.contradiction, 0..<417)])
        #expect(outcome.formats.last?.duration == AudioDuration(23_040, .exact))
    }

    @Test("Fewer frames than the tag counts contradict it at the end")
    func shortfall() {
        var builder = MPEGStreamBuilder()
        let outcome = MPEGAudioParserTests.parse(
            builder.tagFrame(frames: 30, bytes: nil) + builder.frames(20),
            length: false
        )
        #expect(outcome.troubles == [AudioStreamFailure(.contradiction, 0..<417)])
        #expect(outcome.formats.last?.duration == AudioDuration(23_040, .exact))
    }

    @Test("A frame count that no bit rate allows is ignored")
    func absurd() {
        var builder = MPEGStreamBuilder()
        let bytes = builder.tagFrame(frames: 4_000_000_000, bytes: 11 * 417) + builder.frames(10)
        let outcome = MPEGAudioParserTests.parse(bytes)
        #expect(outcome.troubles == [AudioStreamFailure(.contradiction, 0..<417)])
        #expect(outcome.formats.first?.duration == AudioDuration(11_493, .estimated))
    }

    @Test("A table that goes backwards is ignored")
    func badTable() {
        var builder = MPEGStreamBuilder()
        var table = (0..<100).map { UInt8($0 * 256 / 100) }
        table[50] = 3
        let bytes =
            builder.tagFrame("Xing", frames: 10, bytes: 11 * 417, table: table) + builder.frames(10)
        #expect(
            MPEGAudioParserTests.parse(bytes).troubles == [
                AudioStreamFailure(.contradiction, 0..<417)
            ]
        )
    }

    @Test("Joined files are two sections, each with its own trim")
    func joined() {
        var builder = MPEGStreamBuilder()
        let file =
            builder.tagFrame(frames: 10, bytes: 11 * 417, gap: (576, 1260)) + builder.frames(10)
        let outcome = MPEGAudioParserTests.parse(file + file)
        #expect(outcome.packets.count == 20 && outcome.troubles.isEmpty)
        #expect(outcome.packets[10].section == 1 && outcome.packets[10].trimStart == 1105)
        #expect(outcome.packets[9].trimEnd == 731 && outcome.packets[19].trimEnd == 731)
        #expect(Self.heard(outcome) == 2 * 9684)
        #expect(outcome.formats.last?.duration == AudioDuration(19_368, .exact))
    }

    @Test("A tag's trim at the end applies to the tag's own bytes, whatever follows them")
    func appended() {
        var builder = MPEGStreamBuilder()
        let first =
            builder.tagFrame(frames: 100, bytes: 101 * 417, gap: (576, 1260)) + builder.frames(100)
        let outcome = MPEGAudioParserTests.parse(first + builder.frames(1000))
        #expect(outcome.packets.count == 1100 && outcome.troubles.isEmpty)
        #expect(outcome.packets[99].trimEnd == 731 && outcome.packets[100].section == 1)
        #expect(outcome.formats.first?.duration?.certainty == .estimated)
        // Frames were inserted before the end that the tag counts: the parser does not trust the
        // tag.
        let other = builder.frames(1000, 0xFFFB_5000)
        let torn = first.dropLast(50 * 417) + other + first.suffix(50 * 417)
        let outcomeOfTorn = MPEGAudioParserTests.parse(Array(torn))
        #expect(outcomeOfTorn.packets.count == 1100)
        #expect(Self.heard(outcomeOfTorn) == 1100 * 1152 - 1105)
        #expect(outcomeOfTorn.troubles == [AudioStreamFailure(.contradiction, 0..<417)])
    }

    @Test("A wrong total gives no average bit rate")
    func wrongTotal() {
        var builder = MPEGStreamBuilder()
        let frames = builder.frames(50) + builder.frames(50, 0xFFFB_5000)
        for (count, bytes) in [(5000, 1_000_000), (20, 21 * 417)] {
            let tag = builder.tagFrame("Xing", frames: count, bytes: bytes)
            let rest = count == 20 ? builder.frames(300) : []
            let outcome = MPEGAudioParserTests.parse(tag + frames + rest)
            #expect(outcome.formats.first?.bitRate?.kind != .average)
        }
    }

    @Test("A VBRI tag gives the number of frames and their places, and no trim")
    func vbri() throws {
        var builder = MPEGStreamBuilder()
        var tag = builder.frame()
        let frames = builder.frames(10)
        tag.replaceSubrange(4..<72, with: [UInt8](repeating: 0, count: 68))
        let fields: [UInt8] =
            Array("VBRI".utf8) + [0, 1, 9, 0x31, 0, 75] + [0, 0, 0x11, 0xEB] + [0, 0, 0, 10]
            + [0, 5, 0, 1, 0, 2, 0, 2]
        tag.replaceSubrange(36..<36 + fields.count, with: fields)
        for entry in 0..<5 {
            tag.replaceSubrange(62 + entry * 2..<64 + entry * 2, with: [0x03, 0x42])
        }
        let outcome = MPEGAudioParserTests.parse(tag + frames)
        #expect(outcome.packets.count == 10 && outcome.troubles.isEmpty)
        #expect(outcome.formats.first?.duration == AudioDuration(11_520, .declared))
        #expect(outcome.formats.first?.trim == nil)
    }

    @Test("A VBRI tag that counts half of the stream is reported once")
    func halfVBRI() {
        var builder = MPEGStreamBuilder()
        var tag = builder.frame()
        let frames = builder.frames(200)
        tag.replaceSubrange(4..<417, with: [UInt8](repeating: 0, count: 413))
        // The tag counts 100 frames of 417 bytes; the tag's table covers 200 frames.
        let fields: [UInt8] =
            Array("VBRI".utf8) + [0, 1, 9, 0x31, 0, 75] + [0, 0, 0xA4, 0x85] + [0, 0, 0, 100]
            + [0, 20, 0, 1, 0, 2, 0, 10]
        tag.replaceSubrange(36..<36 + fields.count, with: fields)
        for entry in 0..<20 {
            tag.replaceSubrange(62 + entry * 2..<64 + entry * 2, with: [0x10, 0x4A])
        }
        let outcome = MPEGAudioParserTests.parse(tag + frames)
        #expect(outcome.packets.count == 200)
        #expect(outcome.troubles.map(\.kind) == [.contradiction])
        #expect(outcome.troubles.map(\.range) == [0..<417])
    }
}
