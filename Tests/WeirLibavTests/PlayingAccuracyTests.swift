// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirLibav
import WeirPlayback
import WeirTestKit

@Suite("The samples that a player hears of coded files")
struct PlayingAccuracyTests {
    static let names = [
        "flac.flac", "alac.m4a", "vorbis.ogg", "opus.opus", "layer3-stereo.mp3", "aac.m4a",
    ]

    @Test(
        "playing from a later position gives the whole file from exactly that sample on",
        arguments: names
    )
    func beginnings(_ name: String) async throws {
        let bytes = try DecodedFixture.bytes(name)
        let whole = try await PlayedSamples.of([bytes])
        let format = whole.formats[0]
        let expected = try DecodedFixture(name).samples
        let isWhole = whole.samples == expected
        #expect(isWhole)
        for milliseconds in [1, 20, 93, 150, 200, 270, 284, 294, 300, 5000] {
            let frame = min((milliseconds * format.sampleRate + 500) / 1000, expected.count)
            let heard = try await PlayedSamples.of([bytes], from: .milliseconds(milliseconds))
            let isEqual = heard.samples.elementsEqual(
                expected.dropFirst(frame * format.channelCount)
            )
            #expect(isEqual, "\(milliseconds) ms")
        }
    }

    @Test("each of several files in a row gives the same samples as alone", arguments: names)
    func gapless(_ name: String) async throws {
        let bytes = try DecodedFixture.bytes(name)
        let once = try DecodedFixture(name).samples
        let heard = try await PlayedSamples.of([bytes, bytes, bytes])
        let isEqual = heard.samples == once + once + once
        #expect(isEqual)
        #expect(heard.formats.count == 1)
    }

    @Test(
        "a start in a later stream of a chain is found by time, whatever the earlier sample rates"
    )
    func chainBeginnings() async throws {
        let vorbis = try DecodedFixture.bytes("vorbis.ogg")
        let opus = OggSerial.changed(try DecodedFixture.bytes("opus.opus"), to: 7)
        let heard = try await PlayedSamples.of([vorbis + opus], from: .milliseconds(350))
        #expect(heard.formats.map(\.sampleRate) == [48_000])
        let second = try DecodedFixture("opus.opus").samples.dropFirst(2 * 2400)
        let isSecond = heard.samples.elementsEqual(second)
        #expect(isSecond)
        let other = try await PlayedSamples.of([opus + vorbis], from: .milliseconds(400))
        let third = try DecodedFixture("vorbis.ogg").samples.dropFirst(2 * 4410)
        let isOther = other.samples.elementsEqual(third)
        #expect(isOther)
        let past = try await PlayedSamples.of([vorbis + opus], from: .milliseconds(700))
        #expect(past.samples.isEmpty)
    }

    @Test("a chain of streams of other rates and codecs goes into one format without a gap in time")
    func chain() async throws {
        let vorbis = try DecodedFixture.bytes("vorbis.ogg")
        let opus = OggSerial.changed(try DecodedFixture.bytes("opus.opus"), to: 7)
        let heard = try await PlayedSamples.of([vorbis + opus + vorbis])
        #expect(heard.formats.map(\.sampleRate) == [44_100, 48_000, 44_100])
        let once = try DecodedFixture("vorbis.ogg").samples
        // 0.3 s each: 13,230 frames of two channels, however many frames the second file has.
        #expect(heard.samples.count == once.count * 3)
        let isBetween =
            heard.samples.starts(with: once)
            && heard.samples.suffix(once.count).elementsEqual(once)
        #expect(isBetween)
        // The second file is at the right position: its sine goes on from frame to frame.
        let left = stride(from: once.count, to: once.count * 2, by: 2).map { heard.samples[$0] }
        #expect(Sine(frequency: 1000, amplitude: 0.5, sampleRate: 44_100).purity(of: left) > 20)
    }
}
#endif
