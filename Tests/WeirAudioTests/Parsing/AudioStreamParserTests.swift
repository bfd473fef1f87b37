// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("A stream whose bytes show its format")
struct AudioStreamParserTests {
    /// A parser's events, up to its end or its error.
    struct Outcome: Equatable {
        var events: [AudioStreamEvent] = []
        var error: AudioStreamError?
        var container: AudioContainer?

        var packetCount: Int {
            self.events.count { if case .packet = $0 { true } else { false } }
        }
    }

    private func parse(
        _ bytes: [UInt8],
        hint: AudioTypeHint = AudioTypeHint(),
        limits: AudioStreamLimits = AudioStreamLimits(),
        size: () -> Int = { .max }
    ) -> Outcome {
        var parser = AudioStreamParser(hint: hint, length: Int64(bytes.count), limits: limits)
        var outcome = Outcome()
        var position = 0
        var isFinished = false
        var jumps = 0
        do throws(AudioStreamError) {
            while true {
                while let event = try parser.next() {
                    outcome.events.append(event)
                    guard case .wanted(let offset) = event else { continue }
                    jumps += 1
                    guard jumps < 1000 else { return outcome }
                    parser.jump(to: offset)
                    position = Int(min(offset, Int64(bytes.count)))
                    isFinished = false
                }
                outcome.container = parser.container
                if isFinished { return outcome }
                if position == bytes.count {
                    parser.finish()
                    isFinished = true
                } else {
                    let end = position + min(max(1, size()), bytes.count - position)
                    parser.push(ByteMemory(copying: bytes[position..<end]))
                    position = end
                }
            }
        } catch {
            outcome.container = parser.container
            outcome.error = error
            return outcome
        }
    }

    private func expectSame(_ outcome: Outcome, _ expected: Outcome) {
        #expect(firstDifference(outcome.events, expected.events) == nil)
        #expect(outcome.error == expected.error && outcome.container == expected.container)
    }

    @Test("Each format is recognised without a hint", arguments: SmallStream.allCases)
    func found(_ stream: SmallStream) {
        let outcome = self.parse(stream.bytes)
        #expect(outcome.container == stream.container)
        #expect(outcome.error == nil)
        #expect(outcome.packetCount > 0)
    }

    @Test("Chunks of any size give the same events", arguments: SmallStream.allCases)
    func chunking(_ stream: SmallStream) {
        let bytes = stream.bytes
        let whole = self.parse(bytes)
        self.expectSame(self.parse(bytes, size: { 1 }), whole)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<30 {
            let outcome = self.parse(bytes) { Int.random(in: 1...200, using: &generator) }
            self.expectSame(outcome, whole)
        }
    }

    @Test(
        "Every truncation ends in packets or an error with its offset",
        arguments: SmallStream.allCases
    )
    func truncation(_ stream: SmallStream) {
        let bytes = stream.bytes
        for count in 0..<bytes.count {
            let outcome = self.parse(Array(bytes[0..<count]))
            if outcome.packetCount == 0 { #expect(outcome.error != nil, "cut at \(count)") }
            if let error = outcome.error { #expect(error.offset <= Int64(bytes.count)) }
        }
    }

    @Test(
        "A corrupted byte ends in packets or an error with its offset",
        arguments: SmallStream.allCases
    )
    func corruption(_ stream: SmallStream) {
        let bytes = stream.bytes
        let limits = AudioStreamLimits(packet: 1 << 16, tag: 1 << 14, index: 1 << 16)
        for index in bytes.indices {
            for flip in [0x01, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] ^= flip
                let outcome = self.parse(damaged, limits: limits)
                if outcome.packetCount == 0 { #expect(outcome.error != nil, "damaged at \(index)") }
            }
        }
    }

    @Test("A tag in front is reported before the format and counts as no packet")
    func leadingTag() throws {
        let outcome = self.parse(SmallStream.mpeg.bytes)
        guard case .tags(let tags) = try #require(outcome.events.first) else {
            Issue.record("the first event is \(outcome.events[0])")
            return
        }
        #expect(tags.title == "Title")
        #expect(outcome.packetCount == 8)
    }

    @Test(
        "A page or a playlist is an error that says so",
        arguments: [
            "<!DOCTYPE html><html><head><title>Log in</title></head></html>",
            "{\"error\": \"unauthorized\", \"code\": 401}",
            "#EXTM3U\n#EXTINF:10,A\nhttp://radio.example/1.mp3\n",
            "[playlist]\nFile1=http://radio.example/\n",
        ]
    )
    func noAudio(_ text: String) throws {
        let outcome = self.parse(Array(text.utf8), hint: AudioTypeHint(mediaType: "audio/mpeg"))
        #expect(try #require(outcome.error).code == .notAudio)
    }

    @Test("Noise is not recognised, and a stream without bytes has ended")
    func nothing() throws {
        var generator = SeededGenerator(seed: 3)
        let noise = (0..<60_000).map { _ in UInt8.random(in: 0...0xEF, using: &generator) }
        #expect(try #require(self.parse(noise).error).code == .unrecognized)
        #expect(try #require(self.parse([]).error).code == .ended)
    }

    @Test("Every further call throws the same error")
    func errorStays() {
        var parser = AudioStreamParser()
        parser.push(ByteMemory(Array("<html></html>".utf8)))
        parser.finish()
        for _ in 0..<3 {
            #expect(throws: AudioStreamError.self) { _ = try parser.next() }
        }
    }

    @Test("A stream of a known format may begin anywhere")
    func joined() throws {
        var builder = MPEGStreamBuilder()
        let frames = builder.frames(20)
        let start = 1000
        var parser = AudioStreamParser(container: .mpegAudio, startingAt: Int64(start))
        parser.push(ByteMemory(copying: frames[start...]))
        parser.finish()
        var offsets: [Int64] = []
        while let event = try parser.next() {
            if case .packet(let packet) = event { offsets.append(packet.offset) }
        }
        let first = try #require(offsets.first)
        #expect(first >= Int64(start))
        #expect(offsets.count >= 15)
    }

    @Test("The gap of iTunes in a tag in front of MPEG audio is trimmed")
    func encoderGap() {
        var builder = MPEGStreamBuilder()
        let text = " 00000000 00000210 000003C0 0000000000001A30"
        let tag = TagBytes.frame(3, "COMM", [0] + TagBytes.ascii("engiTunSMPB\0" + text))
        let outcome = self.parse(TagBytes.id3v2(3, [tag]) + builder.frames(7))
        let format = outcome.events.compactMap {
            if case .format(let format) = $0 { format } else { nil }
        }.first
        #expect(format?.trim?.leading == SampleCount(0x210 + 529))
    }

    @Test("A time that is given before the format is known applies")
    func startBeforeFormat() throws {
        var builder = MPEGStreamBuilder()
        var parser = AudioStreamParser(container: .mpegAudio)
        parser.jump(to: 5000, start: 11_520)
        parser.push(ByteMemory(builder.frames(6)))
        parser.finish()
        var first: AudioPacket?
        while let event = try parser.next() {
            if case .packet(let packet) = event, first == nil { first = packet }
        }
        #expect(first?.offset == 5000)
        #expect(first?.start == 11_520)
    }

    @Test("A stream of a tag alone is an error that says so")
    func onlyTag() {
        let tag = TagBytes.frame(3, "TIT2", [0] + TagBytes.ascii("Title"))
        let outcome = self.parse(TagBytes.id3v2(3, [tag]))
        #expect(outcome.error?.code == .ended)
        #expect(outcome.error?.reason.contains("tag") == true)
    }

    @Test("FLAC that begins at a frame plays, whatever its name suggests")
    func headlessFLAC() {
        let builder = FLACBuilder(blockSize: 4_096)
        let bytes = Array(builder.stream(frames: 30)[builder.head.count...])
        for hint in [AudioTypeHint(), AudioTypeHint(fileExtension: "mp3")] {
            var parser = AudioStreamParser(hint: hint, length: Int64(bytes.count))
            parser.push(ByteMemory(bytes))
            parser.finish()
            var packets = 0
            while let event = try? parser.next() {
                if case .packet = event { packets += 1 }
            }
            #expect(parser.container == .flac)
            #expect(packets == 30)
        }
    }
}
