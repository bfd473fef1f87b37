// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("ADTS")
struct ADTSParserTests {
    private static func parse(_ bytes: [UInt8]) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            with: ADTSParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        )
    }

    private static func trials(_ bytes: [UInt8]) -> FrameStreamTrials<ADTSParser> {
        FrameStreamTrials(bytes: bytes) {
            ADTSParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        }
    }

    @Test("Frames become packets of 1024 samples with their headers")
    func frames() {
        var builder = ADTSStreamBuilder()
        let bytes = builder.frames(20)
        let outcome = Self.parse(bytes)
        #expect(outcome.packets.count == 20 && outcome.troubles.isEmpty)
        #expect(outcome.packets.map(\.start.rawValue) == (0..<20).map { $0 * 1024 })
        let isWhole = outcome.packets.flatMap(\.payload.array) == bytes
        #expect(isWhole)
        let isPlain = outcome.packets.allSatisfy {
            $0.headerCount == 7 && $0.duration == 1024 && $0.isIndependent
        }
        #expect(isPlain)
        let format = outcome.formats.first
        #expect(
            format?.codec == .aac(objectType: 2) && format?.sampleRate == 44_100
                && format?.channelCount == 2
        )
        #expect(format?.configuration == [0x12, 0x10] && format?.mayDecodeToDoubleRate == false)
        #expect(outcome.formats.last?.duration == AudioDuration(20_480, .exact))
    }

    @Test(
        "With the channel count in the blocks, no configuration exists: a decoder reads the headers"
    )
    func channelsInBlocks() {
        var builder = ADTSStreamBuilder(channels: 0)
        let format = Self.parse(builder.frames(5)).formats.first
        #expect(format?.configuration.isEmpty == true && format?.channelCount == nil)
    }

    @Test("A frame with a checksum has a header of 9 bytes, and 2 more for each further block")
    func protected() {
        var builder = ADTSStreamBuilder(isProtected: true)
        #expect(Self.parse(builder.frames(5)).packets.map(\.headerCount) == [9, 9, 9, 9, 9])
        builder.blocks = 3
        let outcome = Self.parse(builder.frames(5))
        #expect(outcome.packets.map(\.headerCount) == [13, 13, 13, 13, 13])
        #expect(outcome.packets.map(\.duration.rawValue) == [3072, 3072, 3072, 3072, 3072])
        #expect(outcome.formats.first?.samplesPerPacket == 3072)
    }

    @Test("Where the number of blocks varies, so does the number of samples")
    func blocks() {
        var builder = ADTSStreamBuilder()
        var bytes = builder.frames(4)
        builder.blocks = 2
        bytes += builder.frames(4)
        let outcome = Self.parse(bytes)
        #expect(outcome.packets.last?.start == 10_240)
        #expect(outcome.formats.last?.samplesPerPacket == nil)
        #expect(Set(outcome.packets.map(\.section)) == [0])
    }

    @Test("Rates and channels agree with the tables", arguments: 0..<13)
    func rates(index: Int) {
        var builder = ADTSStreamBuilder(rateIndex: index, channels: index % 8)
        let format = Self.parse(builder.frames(4)).formats.first
        let rates = [
            96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
            8000, 7350,
        ]
        #expect(format?.sampleRate == rates[index])
        let channels: [Int?] = [nil, 1, 2, 3, 4, 5, 6, 8]
        #expect(format?.channelCount == channels[index % 8])
        #expect(format?.mayDecodeToDoubleRate == (rates[index] <= 24_000))
    }

    @Test("A new configuration begins a section when the following frames confirm it")
    func sections() {
        var builder = ADTSStreamBuilder()
        var other = ADTSStreamBuilder(rateIndex: 3, channels: 1)
        let outcome = Self.parse(builder.frames(5) + other.frames(5))
        #expect(outcome.packets.map(\.section) == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
        #expect(outcome.formats.last?.sampleRate == 48_000)
    }

    @Test("A header with a length below its own, or with a bad rate, is refused")
    func refused() {
        var builder = ADTSStreamBuilder()
        var short = builder.frame(20)
        short[3] &= 0xFC
        short[4] = 0
        short[5] = 0x5F
        let isShort = ByteMemory(short).withView { ADTSHeader($0, at: 0) == nil }
        #expect(isShort)
        builder.rateIndex = 13
        let frame = builder.frame(20)
        let isBad = ByteMemory(frame).withView { ADTSHeader($0, at: 0) == nil }
        #expect(isBad)
    }

    @Test("Chunks of any size give the same events")
    func chunking() {
        var builder = ADTSStreamBuilder()
        let bytes =
            builder.frames(8) + [0xFF, 0xF1, 0x50, 3, 0xFF] + builder.frames(6)
            + builder.frame(80).prefix(50)
        Self.trials(bytes).chunking()
    }

    @Test("A stream that is cut at any byte gives the whole packets")
    func truncation() {
        var builder = ADTSStreamBuilder()
        Self.trials(builder.frames(10)).truncation()
    }

    @Test("After any wrong byte, parsing continues")
    func corruption() {
        var builder = ADTSStreamBuilder()
        Self.trials(builder.frames(12)).corruption()
    }

    @Test("A parser that joins a stream anywhere gives the same packets from there on")
    func joins() {
        var builder = ADTSStreamBuilder()
        Self.trials(builder.frames(200)).joins(500)
    }

    @Test("Random bytes between frames give no packet")
    func garbage() {
        var builder = ADTSStreamBuilder()
        Self.trials(builder.frames(40)).garbage(100)
    }

    @Test("LOAS is refused with a sentence for the user")
    func loas() {
        let outcome = ParserDriver.parse(
            [0x56, 0xE0, 0x20, 0],
            with: FoundParser(.loas, limits: AudioStreamLimits(), length: nil)
        )
        #expect(outcome.error?.code == .unsupported && outcome.error?.offset == 0)
    }
}
