// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing
import WeirAudio
import WeirLibav
import WeirPlayback
import WeirTestKit

@Suite struct LibavDecoderTests {
    static let names = [
        "layer3-stereo.mp3", "layer2.mp2", "aac.aac", "vorbis.ogg", "opus.opus", "flac.flac",
        "alac.m4a",
    ]

    @Test("a library too old for xHE-AAC refuses it by name")
    func newestAAC() {
        let format = AudioFormat(
            container: .mp4,
            codec: .aac(objectType: 42),
            sampleRate: 44_100,
            channelCount: 2
        )
        do throws(AudioError) {
            // FFmpeg 7.1 and newer have an xHE-AAC decoder.
            _ = try LibavDecoderFactory().decoder(for: format)
        } catch {
            #expect("\(error)".contains("xHE-AAC"))
        }
    }

    @Test("MPEG audio of free format is refused by name")
    func freeFormat() throws {
        let format = AudioFormat(
            container: .mpegAudio,
            codec: .mpegLayer(3),
            sampleRate: 44_100,
            channelCount: 2
        )
        let decoder = try #require(try LibavDecoderFactory().decoder(for: format))
        let frame: [UInt8] = [0xFF, 0xFB, 0x00, 0x00] + [UInt8](repeating: 0, count: 1302)
        let packet = AudioPacket(
            payload: ByteMemory(frame),
            offset: 0,
            start: 0,
            duration: 1152
        )
        let error = #expect(throws: AudioError.self) { try decoder.decode(packet) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("free format") == true)
    }

    @Test("it leaves unknown codecs to other decoders")
    func otherCodecsAreLeft() throws {
        let factory = LibavDecoderFactory()
        let layout = PCMLayout(encoding: .signedInteger, bitsPerSample: 16)
        for codec in [AudioCodec.pcm(layout), .other("Sowt"), .mpegLayer(4)] {
            let format = AudioFormat(
                container: .wave,
                codec: codec,
                sampleRate: 44_100,
                channelCount: 2
            )
            #expect(try factory.decoder(for: format) == nil)
        }
    }

    @Test(
        "a configuration that cannot be used is refused with a sentence",
        arguments: [AudioCodec.vorbis, .flac, .alac, .aac(objectType: 2)]
    )
    func badConfigurationsAreRefused(_ codec: AudioCodec) throws {
        var format = AudioFormat(
            container: .ogg,
            codec: codec,
            sampleRate: 44_100,
            channelCount: 2
        )
        format.configuration = [UInt8](repeating: 0xFF, count: 7)
        let error = #expect(throws: AudioError.self) {
            try LibavDecoderFactory().decoder(for: format)
        }
        #expect(error?.code == .badConfiguration)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test("after a damaged packet it decodes the next one", arguments: names)
    func damagedPacketsAreSurvived(_ name: String) throws {
        let fixture = try DecodedFixture(name)
        let format = try #require(fixture.formats.last)
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<40 {
            let decoder = try #require(try LibavDecoderFactory().decoder(for: format))
            for (index, packet) in fixture.packets.enumerated() {
                var packet = packet
                if index.isMultiple(of: 2) {
                    var bytes = packet.payload.array
                    for _ in 0..<4 {
                        let place = Int.random(in: 0..<bytes.count, using: &generator)
                        bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
                    }
                    packet.payload = ByteMemory(bytes)
                }
                do throws(AudioError) {
                    _ = try decoder.decode(packet)
                } catch {
                    #expect(error.code == .badPacket)
                }
            }
            decoder.reset()
            var frameCount = 0
            for packet in fixture.packets.prefix(3) {
                frameCount += try decoder.decode(packet)?.frameCount ?? 0
            }
            #expect(frameCount > 0)
        }
    }

    @Test("a packet that ends early is an error or sound, at every length", arguments: names)
    func truncatedPacketsAreSurvived(_ name: String) throws {
        let fixture = try DecodedFixture(name)
        let format = try #require(fixture.formats.last)
        let decoder = try #require(try LibavDecoderFactory().decoder(for: format))
        let packet = try #require(fixture.packets.dropFirst(2).first)
        for count in 0..<packet.payload.count {
            var cut = packet
            cut.payload = packet.payload[0..<count]
            do throws(AudioError) {
                _ = try decoder.decode(cut)
            } catch {
                #expect(error.code == .badPacket)
            }
        }
    }

    @Test("after a reset the same packets give the same sound", arguments: names)
    func resetForgets(_ name: String) throws {
        let fixture = try DecodedFixture(name)
        let format = try #require(fixture.formats.last)
        let decoder = try #require(try LibavDecoderFactory().decoder(for: format))
        func sound() throws -> [Float] {
            // The library's AAC decoder keeps the shape of its last window over a reset. This changes one packet,
            // which a seek has in its run-up.
            Array(
                try fixture.packets.map { try decoder.decode($0)?.samples ?? [] }.dropFirst(2)
                    .joined()
            )
        }
        let first = try sound()
        decoder.reset()
        let isSame = try sound() == first
        #expect(isSame)
        #expect(!first.isEmpty)
    }

    @Test("the first packet of Vorbis gives nothing, at the start and after a reset")
    func firstOfVorbis() throws {
        let file = try DecodedFixture("vorbis.ogg")
        let decoder = try #require(try LibavDecoderFactory().decoder(for: file.formats[0]))
        for _ in 0..<2 {
            let buffers = try file.packets.prefix(3).map { try decoder.decode($0) }
            #expect(buffers.map { $0 == nil } == [true, false, false])
            decoder.reset()
        }
    }
}
#endif
