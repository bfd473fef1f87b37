// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MPEG audio: packets and format")
struct MPEGAudioParserTests {
    typealias Outcome = ParserDriver.Outcome

    static func parse(_ bytes: [UInt8], length: Bool = true) -> Outcome {
        ParserDriver.parse(
            bytes,
            with: MPEGAudioParser(
                limits: AudioStreamLimits(),
                length: length ? Int64(bytes.count) : nil
            )
        )
    }

    @Test("Frames become packets without a gap in bytes or in time")
    func frames() {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        for index in 0..<20 {
            bytes += builder.frame(0xFFFB_9000 | UInt32(index % 3 == 0 ? 0x200 : 0))
        }
        let outcome = Self.parse(bytes)
        #expect(outcome.packets.count == 20)
        #expect(outcome.troubles.isEmpty && outcome.error == nil)
        var offset: Int64 = 0
        for (index, packet) in outcome.packets.enumerated() {
            #expect(packet.offset == offset && packet.start == SampleCount(Int64(index) * 1152))
            #expect(packet.duration == 1152 && packet.section == 0)
            offset += Int64(packet.payload.count)
        }
        #expect(offset == Int64(bytes.count))
        let last = outcome.formats.last
        #expect(last?.duration == AudioDuration(23_040, .exact))
        #expect(last?.bitRate == AudioBitRate(128_000, .constant))
        #expect(last?.codec == .mpegLayer(3) && last?.samplesPerPacket == 1152 && last?.trim == nil)
    }

    @Test("The format comes before the first packet, and again only when it changes")
    func formatFirst() {
        var builder = MPEGStreamBuilder()
        let outcome = Self.parse(builder.frames(200))
        guard case .format = outcome.events.first else {
            Issue.record("the first event is no format")
            return
        }
        for (former, latter) in zip(outcome.formats, outcome.formats.dropFirst()) {
            #expect(former != latter)
        }
        #expect(outcome.formats.count == 2)
    }

    @Test("A packet that uses the bit reservoir is not independent")
    func independence() {
        var builder = MPEGStreamBuilder()
        let bytes =
            builder.frame() + builder.frame(mainDataBegin: 1) + builder.frame(mainDataBegin: 511)
            + builder.frame()
        #expect(Self.parse(bytes).packets.map(\.isIndependent) == [true, false, false, true])
        let low: UInt32 = 0xFFF3_8000
        let half = builder.frame(low) + builder.frame(low, mainDataBegin: 255) + builder.frame(low)
        #expect(Self.parse(half).packets.map(\.isIndependent) == [true, false, true])
    }

    @Test(
        "Frames of every layer, version and rate are parsed",
        arguments: [0xFFFF_9000, 0xFFFD_9000, 0xFFF5_8400, 0xFFE3_4840] as [UInt32]
    )
    func layers(word: UInt32) throws {
        var builder = MPEGStreamBuilder()
        let outcome = Self.parse(builder.frames(12, word))
        let header = try #require(MPEGFrameHeader(word: word))
        #expect(outcome.packets.count == 12)
        #expect(outcome.formats.first?.codec == .mpegLayer(header.layer))
        #expect(outcome.formats.first?.sampleRate == header.sampleRate)
        #expect(outcome.packets.last?.start == SampleCount(Int64(11 * header.sampleCount)))
    }

    @Test("The following frames show the size of frames in free format, with padding")
    func freeFormat() {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        for index in 0..<20 {
            bytes += builder.frame(0xFFFB_0000 | UInt32(index % 4 == 2 ? 0x200 : 0), free: 1306)
        }
        let outcome = Self.parse(bytes)
        let sizes = outcome.packets.map(\.payload.count)
        #expect(sizes == (0..<20).map { $0 % 4 == 2 ? 1307 : 1306 })
    }

    @Test("A stream of one, two or three frames plays", arguments: 1...3)
    func short(count: Int) {
        var builder = MPEGStreamBuilder()
        #expect(Self.parse(builder.frames(count)).packets.count == count)
    }

    @Test("A stream without a frame ends with an error")
    func nothing() {
        #expect(Self.parse([]).error?.code == .ended)
        let outcome = Self.parse([UInt8](repeating: 0x55, count: 5000))
        #expect(outcome.error?.code == .ended && outcome.error?.offset == 5000)
        #expect(outcome.troubles == [AudioStreamFailure(.garbage, 0..<5000)])
    }

    @Test("A frame that the end of the stream cuts is reported, and gives no packet")
    func truncated() {
        var builder = MPEGStreamBuilder()
        let bytes = builder.frames(5)
        let outcome = Self.parse(Array(bytes.dropLast(100)))
        #expect(outcome.packets.count == 4)
        #expect(
            outcome.troubles == [AudioStreamFailure(.truncated, 4 * 417..<Int64(bytes.count - 100))]
        )
    }

    @Test("Another sample rate or channel count begins a section, and time goes on")
    func sections() {
        var builder = MPEGStreamBuilder()
        let bytes =
            builder.frames(10) + builder.frames(10, 0xFFFB_9400) + builder.frames(10, 0xFFFB_94C0)
        let outcome = Self.parse(bytes)
        #expect(outcome.packets.count == 30 && outcome.troubles.isEmpty)
        #expect(outcome.packets[10].section == 1 && outcome.packets[29].section == 2)
        // 11520 samples at 44.1 kHz are 12538 at 48 kHz.
        #expect(outcome.packets[10].start == 12_538)
        let sections = Dictionary(grouping: outcome.formats, by: \.section)
        #expect(sections[1]?.first?.sampleRate == 48_000 && sections[2]?.first?.channelCount == 1)
    }

    @Test("Foreign bytes before, between and behind frames are reported, and cost no frame")
    func garbage() {
        var builder = MPEGStreamBuilder()
        let noise = [UInt8](repeating: 0xAB, count: 100_000)
        let outcome = Self.parse(noise + builder.frames(5) + noise + builder.frames(5) + noise)
        #expect(outcome.packets.count == 10)
        #expect(outcome.troubles.map(\.kind) == [.garbage, .garbage, .garbage])
        #expect(outcome.troubles.map { $0.range.count } == [100_000, 100_000, 100_000])
    }

    @Test("A tag between frames is skipped first, whatever its content is")
    func tagBetween() {
        var builder = MPEGStreamBuilder()
        // An ID3v2 tag whose content looks like frames of another stream.
        let content = builder.frames(6, 0xFFFB_9400)
        let size = content.count
        let head: [UInt8] = [
            0x49, 0x44, 0x33, 4, 0, 0, 0, 0, UInt8(size >> 7 & 0x7F), UInt8(size & 0x7F),
        ]
        var frame: [UInt8] = Array("PRIV".utf8)
        let inner = size - 10
        frame += [0, 0, UInt8(inner >> 7 & 0x7F), UInt8(inner & 0x7F), 0, 0]
        let tag = head + frame + content.dropFirst(10)
        let outcome = Self.parse(tag + builder.frames(5) + tag + builder.frames(5))
        #expect(outcome.packets.count == 10)
        let isOne = outcome.packets.allSatisfy { $0.section == 0 }
        #expect(isOne)
        #expect(outcome.troubles.filter { $0.kind == .garbage }.isEmpty)
    }

    @Test(
        "After a jump packets go on at the given time, and the rest of a frame is not reported"
    )
    func discontinuity() throws {
        var builder = MPEGStreamBuilder()
        let bytes = builder.frames(12)
        var parser = MPEGAudioParser(limits: AudioStreamLimits(), length: nil)
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        _ = try parser.next(&window)
        _ = try parser.next(&window)
        window.jump(to: 2000)
        parser.discontinued(start: 5760)
        window.push(ByteMemory(copying: bytes[2000...]))
        window.finish()
        var packets: [AudioPacket] = []
        while let event = try parser.next(&window) {
            if case .packet(let packet) = event {
                packets.append(packet)
            } else {
                Issue.record("\(event)")
            }
        }
        #expect(packets.map(\.offset) == (5..<12).map { Int64($0 * 417) })
        #expect(packets.first?.start == 5760 && packets.first?.section == 0)
    }
}
