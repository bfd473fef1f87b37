// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirAudio
import WeirLibav
import WeirPlayback

@Suite struct SampleAccuracyTests {
    struct Lossy: CustomTestStringConvertible {
        var name: String
        var sampleRate: Int
        var channelCount: Int
        var frameCount: Int
        /// How many frames late the sound is, where the container does not declare the encoder's delay.
        var lateness = 0
        var testDescription: String { self.name }
    }

    static let lossy = [
        Lossy(name: "layer3-stereo.mp3", sampleRate: 44_100, channelCount: 2, frameCount: 13_230),
        Lossy(name: "layer3-8000-mono.mp3", sampleRate: 8000, channelCount: 1, frameCount: 2400),
        Lossy(name: "aac.m4a", sampleRate: 44_100, channelCount: 2, frameCount: 13_230),
        Lossy(
            name: "aac.aac",
            sampleRate: 44_100,
            channelCount: 2,
            frameCount: 14 * 1024,
            lateness: 1024
        ),
        Lossy(
            name: "layer2.mp2",
            sampleRate: 48_000,
            channelCount: 2,
            frameCount: 13 * 1152,
            lateness: 481
        ),
        Lossy(name: "vorbis.ogg", sampleRate: 44_100, channelCount: 2, frameCount: 13_230),
        Lossy(name: "opus.opus", sampleRate: 48_000, channelCount: 2, frameCount: 14_400),
    ]

    @Test("decoded sound has the length of the source, at the same places", arguments: lossy)
    func lossyFilesAreExact(_ file: Lossy) throws {
        let decoded = try DecodedFixture(file.name)
        #expect(decoded.pcm?.sampleRate == file.sampleRate)
        #expect(decoded.pcm?.channelCount == file.channelCount)
        #expect(decoded.pcm?.significantBits == 16)
        #expect(decoded.samples.count == file.frameCount * file.channelCount)
        let sines = [
            Sine(frequency: 1000, amplitude: 0.5, sampleRate: file.sampleRate),
            Sine(frequency: 3000, amplitude: 0.25, sampleRate: file.sampleRate),
        ]
        // Moved by one sample, the 1000 Hz sine would reach 18 dB, the 3000 Hz sine 7 dB.
        for channel in 0..<file.channelCount {
            let sound = Array(decoded.channel(channel).dropFirst(file.lateness))
            let limit = file.sampleRate == 8000 ? 9.0 : 24
            #expect(sines[channel].purity(of: sound) > limit, "channel \(channel)")
        }
    }

    @Test(
        "lossless codecs give the samples of the source, bit for bit",
        arguments: [
            ("flac.flac", 44_100, 16, 13_230), ("alac.m4a", 44_100, 16, 13_230),
            ("flac-96000-24.flac", 96_000, 24, 7680), ("alac-96000-24.m4a", 96_000, 24, 7680),
        ]
    )
    func losslessFilesAreExact(_ file: (String, Int, Int, Int)) throws {
        let (name, sampleRate, bits, frameCount) = file
        let decoded = try DecodedFixture(name)
        #expect(
            decoded.pcm
                == PCMFormat(sampleRate: sampleRate, channelCount: 2, significantBits: bits)
        )
        #expect(decoded.samples.count == frameCount * 2)
        let unit = 1 / Double(1 << (bits - 1))
        let left = Sine(frequency: 1000, amplitude: 0.5, sampleRate: sampleRate)
        let right = Sine(frequency: 3000, amplitude: 0.25, sampleRate: sampleRate)
        // Half a unit from rounding before the encoder, and one unit where FFmpeg cut 32 bits to 24.
        #expect(left.distance(of: decoded.channel(0)) <= unit * 1.01)
        #expect(right.distance(of: decoded.channel(1)) <= unit * 1.01)
        // All samples are whole steps of the source's integers.
        let isWhole = decoded.samples.allSatisfy {
            ($0 / Float(unit)).rounded() * Float(unit) == $0
        }
        #expect(isWhole)
    }

    @Test(
        "each packet gives its own frames",
        arguments: [
            "layer3-stereo.mp3", "layer3-8000-mono.mp3", "layer2.mp2", "aac.aac", "aac.m4a",
            "vorbis.ogg", "opus.opus", "opus-speech.opus", "opus-51.opus", "flac.flac",
            "flac-96000-24.flac", "alac.m4a", "vorbis-51.ogg", "aac-51.aac",
        ]
    )
    func packetsGiveTheirFrames(_ name: String) throws {
        let decoded = try DecodedFixture(name)
        #expect(!decoded.packets.isEmpty)
        for (packet, buffer) in zip(decoded.packets, decoded.buffers) {
            // A packet that gives no samples (the first of Vorbis) is trimmed over its whole duration.
            let expected =
                buffer == nil ? packet.trimStart.rawValue : Int64(buffer?.frameCount ?? 0)
            #expect(packet.duration.rawValue == expected)
        }
    }

    @Test(
        "six channels come in the order of WAVE",
        arguments: ["flac-51.flac", "vorbis-51.ogg", "opus-51.opus", "aac-51.aac"]
    )
    func channelsAreInOrder(_ name: String) throws {
        let decoded = try DecodedFixture(name)
        #expect(decoded.pcm?.channelCount == 6)
        let frequencies = [400.0, 700, 1100, 60, 1700, 2300]
        for channel in 0..<6 {
            let sound = decoded.channel(channel)
            let strengths = frequencies.map { Self.strength(of: $0, in: sound, at: 48_000) }
            #expect(strengths.max() == strengths[channel], "channel \(channel)")
        }
    }

    @Test("the gain of an Opus header is applied once")
    func opusGainIsApplied() throws {
        let plain = try DecodedFixture("opus.opus")
        let halved = try DecodedFixture("opus.opus") { format in
            // -6.0206 dB in steps of 1/256, at its place in the header (RFC 7845 §5.1).
            format.outputGain = -1541
            format.configuration.replaceSubrange(16..<18, with: [0xFB, 0xF9])
        }
        let ratio =
            halved.samples.reduce(0) { $0 + Double($1 * $1) }
            / plain.samples.reduce(0) { $0 + Double($1 * $1) }
        #expect(abs(ratio - 0.25) < 0.001)
    }

    /// The magnitude of a frequency in the samples.
    static func strength(of frequency: Double, in samples: [Float], at sampleRate: Int) -> Double {
        let sine = Sine(frequency: frequency, amplitude: 1, sampleRate: sampleRate)
        let quarter = sampleRate / Int(frequency * 4)
        var (real, imaginary) = (0.0, 0.0)
        for (frame, sample) in samples.enumerated() {
            real += Double(sample) * sine.value(frame)
            imaginary += Double(sample) * sine.value(frame + quarter)
        }
        return (real * real + imaginary * imaginary).squareRoot()
    }
}
#endif
