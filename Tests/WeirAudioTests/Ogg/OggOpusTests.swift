// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("Opus and FLAC in Ogg")
struct OggOpusTests {
    @Test("The first byte of an Opus packet gives the length and number of its frames")
    func durations() {
        let frames: [Int64] = [
            480, 960, 1920, 2880, 480, 960, 1920, 2880, 480, 960, 1920, 2880, 480, 960, 480, 960,
            120, 240, 480, 960,
            120, 240, 480, 960, 120, 240, 480, 960, 120, 240, 480, 960,
        ]
        for configuration in 0..<32 {
            for code in 0..<4 {
                for count in 0..<64 {
                    let number: Int64 = code == 0 ? 1 : code == 3 ? Int64(count) : 2
                    let samples = number * frames[configuration]
                    let packet = ByteMemory([UInt8(configuration << 3 | code), UInt8(count) | 0xC0])
                    let duration = packet.withView { $0.opusDuration }
                    #expect(duration == (samples == 0 || samples > 5760 ? nil : samples))
                }
            }
        }
        #expect(ByteMemory([0xFB]).withView { $0.opusDuration } == nil)
        #expect(ByteMemory.empty.withView { $0.opusDuration } == nil)
    }

    @Test("The format has channels, gain and pre-skip, and the end is trimmed")
    func format() throws {
        var builder = OggBuilder()
        let head = OggBuilder.opusHead(preSkip: 1000, channels: 1, gain: -256)
        var bytes =
            builder.page([head], granule: 0, flags: 2)
            + builder.page([OggBuilder.opusTags()], granule: 0)
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 1920)
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 2500, flags: 4)
        let outcome = OggFixture.parse(bytes)
        let format = try #require(outcome.formats.first)
        #expect(format.codec == .opus && format.sampleRate == 48_000 && format.channelCount == 1)
        #expect(format.outputGain == -256)
        #expect(format.trim == AudioTrim(leading: 1000, trailing: nil))
        #expect(format.configuration == head)
        #expect(outcome.packets.map(\.start) == [-1000, -40, 920, 1880])
        #expect(outcome.packets.map(\.trimStart) == [960, 40, 0, 0])
        #expect(outcome.packets.map(\.trimEnd) == [0, 0, 380, 960])
        #expect(OggFixture.heard(outcome.packets) == 1500)
        #expect(outcome.formats.last?.duration == AudioDuration(1500, .exact))
        #expect(outcome.formats.last?.trim == AudioTrim(leading: 1000, trailing: 1340))
    }

    @Test(
        "A stream on one page starts at granule position 0, and drops its pre-skip when it starts late"
    )
    func onePage() {
        var builder = OggBuilder()
        var bytes = builder.opusHeaders()
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 1500, flags: 4)
        var packets = OggFixture.parse(bytes).packets
        #expect(packets.map(\.start) == [-312, 648])
        #expect(OggFixture.heard(packets) == 1500 - 312)

        builder = OggBuilder()
        bytes = builder.opusHeaders()
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 96_000)
        bytes += builder.page([OggBuilder.opus()], granule: 96_960, flags: 4)
        packets = OggFixture.parse(bytes).packets
        #expect(packets.map(\.start) == [93_768, 94_728, 95_688])
        #expect(packets.map(\.trimStart) == [312, 0, 0])
    }

    @Test("Pages without a granule position, or with a smaller one, do not stop the parser")
    func granules() {
        var builder = OggBuilder()
        var bytes = builder.opusHeaders()
        bytes += builder.page([OggBuilder.opus()], granule: 960)
        bytes += builder.page([OggBuilder.opus()], granule: -1)
        bytes += builder.page([OggBuilder.opus()], granule: -5)
        bytes += builder.page([OggBuilder.opus()], granule: 960)
        bytes += builder.page([OggBuilder.opus()], granule: 1920)
        bytes += builder.page([OggBuilder.opus()], granule: .max)
        bytes += builder.page([], granule: 2880, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.packets.map { $0.start.rawValue + 312 } == [0, 960, 1920, 2880, 960, 1920])
        #expect(outcome.troubles.map(\.kind) == [.contradiction])
        #expect(outcome.formats.last?.duration?.certainty == .exact)
    }

    @Test("An Opus header of another version or without channels is refused")
    func refused() {
        for (offset, value) in [(8, UInt8(0x10)), (9, 0), (9, 3), (18, 1)] {
            var head = OggBuilder.opusHead()
            head[offset] = value
            var builder = OggBuilder()
            let bytes =
                builder.page([head], granule: 0, flags: 2)
                + builder.page([OggBuilder.opusTags()], granule: 0)
            #expect(OggFixture.parse(bytes).error?.code == .unsupported)
        }
    }

    @Test("FLAC takes its format from the first packet, and times from its frames")
    func flac() throws {
        let outcome = OggFixture.parse(OggFixture.flac())
        let format = try #require(outcome.formats.first)
        #expect(format.codec == .flac && format.sampleRate == 44_100 && format.channelCount == 2)
        #expect(
            format.bitsPerSample == 16 && format.samplesPerPacket == 192
                && format.configuration.count == 34
        )
        #expect(outcome.packets.map(\.start.rawValue) == (0..<9).map { $0 * 192 })
        #expect(outcome.packets.allSatisfy { $0.duration == 192 && $0.payload.count == 36 })
        #expect(outcome.tags.first?.fields == [AudioTagField("TITLE", ["A"])])
        #expect(outcome.formats.last?.duration == AudioDuration(SampleCount(9 * 192), .exact))
    }
}
