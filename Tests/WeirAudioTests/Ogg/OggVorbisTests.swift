// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Vorbis in Ogg")
struct OggVorbisTests {
    @Test("A packet lasts a quarter of the block before and a quarter of its own")
    func durations() {
        var builder = OggBuilder()
        var bytes = builder.vorbisHeaders()
        let packets = [
            OggBuilder.short(), OggBuilder.short(), OggBuilder.long(afterLong: false),
            OggBuilder.long(),
            OggBuilder.short(),
            OggBuilder.short(),
        ]
        bytes += builder.page(packets, granule: 32 + 80 + 128 + 80 + 32 - 12, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.packets.map(\.duration) == [32, 32, 80, 128, 80, 32])
        #expect(outcome.packets.map(\.start) == [-32, 0, 32, 112, 240, 320])
        #expect(outcome.packets.map(\.trimStart) == [32, 0, 0, 0, 0, 0])
        #expect(outcome.packets.map(\.trimEnd) == [0, 0, 0, 0, 0, 12])
        #expect(OggFixture.heard(outcome.packets) == 340)
        #expect(outcome.troubles.isEmpty)
    }

    @Test("The format has rate, channels and headers, and at the end the duration")
    func format() throws {
        let outcome = OggFixture.parse(OggFixture.vorbis())
        let first = try #require(outcome.formats.first)
        let last = try #require(outcome.formats.last)
        #expect(outcome.formats.count == 2)
        #expect(first.codec == .vorbis && first.sampleRate == 8000 && first.channelCount == 1)
        #expect(first.bitRate == AudioBitRate(32_000, .nominal))
        #expect(first.duration == nil)
        #expect(
            last.duration == AudioDuration(SampleCount(OggFixture.heard(outcome.packets)), .exact)
        )
        #expect(last.trim == AudioTrim(leading: 0, trailing: 10))
        #expect(last.bitRate?.kind == .average)
        let comment = OggBuilder.vorbisComment()
        let laced =
            [2, 30, UInt8(comment.count)] + OggBuilder.vorbisIdentification() + comment
            + VorbisSetupBuilder.setup()
        #expect(firstDifference(first.configuration, laced) == nil)
    }

    @Test("A stream that starts before 0 is trimmed there, one that starts late keeps its time")
    func starts() {
        for (granule, starts, trims) in [
            (Int64(64 - 20), [SampleCount(-52), -20, 12], [SampleCount(32), 20, 0]),
            (5000 + 64, [4968, 5000, 5032], [32, 0, 0]),
        ] {
            var builder = OggBuilder()
            var bytes = builder.vorbisHeaders()
            bytes += builder.page(
                [OggBuilder.short(), OggBuilder.short(), OggBuilder.short()],
                granule: granule
            )
            bytes += builder.page([OggBuilder.short()], granule: granule + 32, flags: 4)
            let packets = OggFixture.parse(bytes).packets
            #expect(packets.dropLast().map(\.start) == starts)
            #expect(packets.dropLast().map(\.trimStart) == trims)
        }
    }

    @Test(
        "The modes are found behind every form of codebook, floor, residue and mapping",
        arguments: [1, 2, 6]
    )
    func setup(channels: Int) {
        let modes = [true, false, false, true, true]
        let bytes = VorbisSetupBuilder.setup(modes: modes, channels: channels)
        let setup = ByteMemory(bytes).withView { VorbisSetup($0, channelCount: channels) }
        #expect(setup?.modeCount == 5)
        #expect(setup?.longModes == 0b11001)
        for count in 0..<bytes.count {
            let cut = ByteMemory(Array(bytes[0..<count])).withView {
                VorbisSetup($0, channelCount: channels)
            }
            #expect(cut == nil)
        }
    }

    @Test("An unreadable setup header is an error, and a lost comment is not")
    func headers() {
        var builder = OggBuilder()
        var setup = VorbisSetupBuilder.setup()
        setup[8] ^= 0xFF
        var bytes = builder.page([OggBuilder.vorbisIdentification()], granule: 0, flags: 2)
        bytes += builder.page([OggBuilder.vorbisComment(), setup], granule: 0)
        #expect(OggFixture.parse(bytes).error?.code == .malformed)

        builder = OggBuilder()
        bytes = builder.page([OggBuilder.vorbisIdentification()], granule: 0, flags: 2)
        _ = builder.page([OggBuilder.vorbisComment()], granule: 0)
        bytes += builder.page([VorbisSetupBuilder.setup()], granule: 0)
        bytes += builder.page([OggBuilder.short(), OggBuilder.short()], granule: 32, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.packets.count == 2)
        #expect(outcome.troubles.map(\.kind) == [.missing])
    }

    @Test("A packet without a mode, or a header among the audio, is skipped and reported")
    func noAudio() {
        var builder = OggBuilder()
        var bytes = builder.vorbisHeaders()
        bytes += builder.page(
            [OggBuilder.short(), OggBuilder.vorbisComment(), OggBuilder.short(), []],
            granule: 32,
            flags: 4
        )
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.packets.map(\.start) == [-32, 0])
        #expect(outcome.troubles.map(\.kind) == [.garbage])
    }
}
