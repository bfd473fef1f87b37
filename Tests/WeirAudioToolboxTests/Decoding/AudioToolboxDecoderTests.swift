// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AudioToolbox
import Testing
import WeirAudio
import WeirPlayback

@testable import WeirAudioToolbox

@Suite("A decoder of Apple's system")
struct AudioToolboxDecoderTests {
    private func format(
        _ codec: AudioCodec,
        rate: Int = 44_100,
        channels: Int? = 2,
        _ change: (inout AudioFormat) -> Void = { _ in }
    ) -> AudioFormat {
        var format = AudioFormat(
            container: .mp4,
            codec: codec,
            sampleRate: rate,
            channelCount: channels
        )
        change(&format)
        return format
    }

    private func packet(_ bytes: [UInt8], _ frames: Int64, header: Int = 0) -> AudioPacket {
        var packet = AudioPacket(
            payload: ByteMemory(bytes),
            offset: 0,
            start: 0,
            duration: SampleCount(frames)
        )
        packet.headerCount = header
        return packet
    }

    private func decoder(_ format: AudioFormat) throws -> any AudioDecoder {
        try #require(try AudioToolboxDecoderFactory().decoder(for: format))
    }

    private static let opusHead = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]

    /// Runs a test on a stub system of its own, and expects no violations of the API's rules and no leaks.
    private func with(_ system: StubAudioSystem, _ test: () throws -> Void) rethrows {
        try StubAudioSystem.$current.withValue(system) { try test() }
        #expect(system.violations == [])
        let isLeft = system.converters.contains { !$0.isDisposed }
        #expect(!isLeft)
    }

    @Test("gives each packet its own frames, and never signals an end to the converter")
    func packets() throws {
        let system = StubAudioSystem()
        try self.with(system) {
            let decoder = try self.decoder(
                self.format(.mpegLayer(3)) { $0.samplesPerPacket = 1_152 }
            )
            for byte in UInt8(1)...20 {
                let sound = try #require(try decoder.decode(self.packet([byte, 9, 9], 1_152)))
                #expect(sound.frameCount == 1_152)
                #expect(sound.format == PCMFormat(sampleRate: 44_100, channelCount: 2))
                let value = Float(byte) / 256
                let isRight = sound.samples.indices.allSatisfy {
                    sound.samples[$0] == value + Float($0 % 2)
                }
                #expect(isRight)
            }
        }
        #expect(system.converters.map(\.source.mFormatID) == [CodecDescription.code(".mp3")])
    }

    @Test(
        "frames that a decoder drops at a beginning become silence, and no sound moves",
        arguments: [0, 1, 120, 1_023, 1_024, 1_500]
    )
    func beginning(_ dropped: Int) throws {
        try self.with(StubAudioSystem(droppedFrames: dropped)) {
            let decoder = try self.decoder(self.format(.aac(objectType: 2)))
            for round in 0..<2 {
                var values: [Float] = []
                for byte in UInt8(1)...4 {
                    let sound = try #require(try decoder.decode(self.packet([byte], 1_024)))
                    #expect(sound.frameCount == 1_024)
                    values += sound.samples.enumerated().filter { $0.offset % 2 == 0 }.map(
                        \.element
                    )
                }
                let isRight = values.indices.allSatisfy {
                    values[$0] == ($0 < dropped ? 0 : Float($0 / 1_024 + 1) / 256)
                }
                #expect(isRight, "round \(round)")
                decoder.reset()
            }
        }
    }

    @Test(
        "a damaged packet is an error and harms no other, and a dead decoder is an error of its own"
    )
    func damage() throws {
        let system = StubAudioSystem(status: { bytes in
            switch bytes.first {
            case 0xEE: kAudioCodecBadDataError
            case 0xDD: kAudioCodecStateError
            default: noErr
            }
        })
        try self.with(system) {
            let decoder = try self.decoder(self.format(.aac(objectType: 2)))
            _ = try decoder.decode(self.packet([1], 1_024))
            let damaged = #expect(throws: AudioError.self) {
                try decoder.decode(self.packet([0xEE], 1_024))
            }
            #expect(damaged?.code == .badPacket)
            #expect(damaged?.message.contains("'bada'") == true)
            let sound = try #require(try decoder.decode(self.packet([2], 1_024)))
            #expect(sound.samples.first == 2.0 / 256)
            let dead = #expect(throws: AudioError.self) {
                try decoder.decode(self.packet([0xDD], 1_024))
            }
            #expect(dead?.code == .failed)
        }
    }

    @Test("empty packets, and packets above the possible size, are refused")
    func hostile() throws {
        try self.with(StubAudioSystem()) {
            let decoder = try self.decoder(self.format(.aac(objectType: 2)))
            let hostile = [
                self.packet([], 1_024), self.packet([1], 0), self.packet([1], -5),
                self.packet([1], .max), self.packet([1], 1, header: 1),
                self.packet([1, 2], 1, header: -1), self.packet([1, 2], 1, header: 3),
            ]
            for packet in hostile {
                let error = #expect(throws: AudioError.self) { try decoder.decode(packet) }
                #expect(error?.code == .badPacket)
            }
            #expect(try decoder.decode(self.packet([1], 1_024))?.frameCount == 1_024)
        }
    }

    @Test(
        "implicit HE-AAC is found in the first packet, and decodes to twice the rate",
        arguments: [false, true]
    )
    func implicit(_ isADTS: Bool) throws {
        let system = StubAudioSystem()
        try self.with(system) {
            for (letter, rate, channels) in [("S", 48_000, 1), ("P", 48_000, 2), ("-", 24_000, 1)] {
                let format = self.format(.aac(objectType: 2), rate: 24_000, channels: 1) {
                    $0.mayDecodeToDoubleRate = true
                    $0.configuration = [0x13, 0x08]
                    $0.samplesPerPacket = 1_024
                }
                let decoder = try self.decoder(format)
                let bare = Array(letter.utf8) + [1, 2, 3]
                for _ in 0..<3 {
                    let framed = try #require(
                        CodecDescription.adtsFrame(
                            around: bare,
                            configuration: format.configuration
                        )
                    )
                    let packet =
                        isADTS ? self.packet(framed, 1_024, header: 7) : self.packet(bare, 1_024)
                    let sound = try #require(try decoder.decode(packet))
                    #expect(sound.format == PCMFormat(sampleRate: rate, channelCount: channels))
                    #expect(sound.frameCount == 1_024 * rate / 24_000)
                    #expect(sound.samples.first == Float(bare[0]) / 256)
                }
            }
        }
        let names = system.converters.map {
            CodecDescription.letters(of: Int32(bitPattern: $0.source.mFormatID))
        }
        #expect(names == ["'aach'", "'aacp'", "'aac '"])
    }

    @Test("where the parser never has enough bytes, AAC keeps its declared rate")
    func undecided() throws {
        try self.with(StubAudioSystem(framesToSee: 100)) {
            let decoder = try self.decoder(
                self.format(.aac(objectType: 2), rate: 24_000) {
                    $0.mayDecodeToDoubleRate = true
                    $0.configuration = [0x13, 0x10]
                }
            )
            let sound = try decoder.decode(self.packet(Array("S".utf8), 1_024))
            #expect(sound?.format.sampleRate == 24_000)
        }
    }

    @Test("Opus: packets of any length, the gain of its header, channels in the order of WAVE")
    func opus() throws {
        let system = StubAudioSystem()
        try self.with(system) {
            var head = Self.opusHead
            head[9] = 6
            let decoder = try self.decoder(
                self.format(.opus, rate: 48_000, channels: 6) {
                    $0.configuration = head
                    $0.outputGain = 1_541
                }
            )
            for frames in [960, 960, 480, 2_880] as [Int64] {
                let sound = try #require(try decoder.decode(self.packet([0], frames)))
                #expect(sound.frameCount == Int(frames))
                let expected = [0, 2, 1, 5, 3, 4].map { Float($0) * 2 }
                let isRight = zip(sound.samples, expected).allSatisfy { abs($0 - $1) < 0.01 }
                #expect(isRight)
            }
        }
        #expect(system.converters.map(\.source.mFramesPerPacket) == [960, 480, 2_880])
        #expect(system.converters.allSatisfy { $0.source.mSampleRate == 48_000 })
    }

    @Test("cookies are tried in order, and FLAC decodes without one, ALAC and Opus do not")
    func cookies() throws {
        let picky = StubAudioSystem(takesCookie: { $0.starts(with: Array("fLaC".utf8)) })
        try self.with(picky) {
            let info = [0, 16, 0x10, 0] + [UInt8](repeating: 0, count: 30)
            let flac = self.format(.flac) {
                $0.configuration = info
                $0.bitsPerSample = 24
            }
            let sound = try self.decoder(flac).decode(self.packet([8], 100))
            #expect(sound?.format.significantBits == 24)
            #expect(sound?.frameCount == 100)
            let alac = self.format(.alac) {
                $0.configuration = [1, 2, 3]
                $0.samplesPerPacket = 4_096
            }
            let error = #expect(throws: AudioError.self) { try self.decoder(alac) }
            #expect(error?.code == .badConfiguration)
        }
        #expect(picky.converters[0].cookies.count == 2)
        #expect(picky.converters[0].source.mFormatFlags == 3)
        #expect(picky.converters[0].source.mFramesPerPacket == 4_096)
    }

    @Test(
        "a codec that the system refuses is an error, and other codecs are left to other decoders"
    )
    func unsupported() throws {
        try self.with(
            StubAudioSystem(refusedFormats: [
                CodecDescription.code("usac"), CodecDescription.code("flac"),
            ])
        ) {
            let factory = AudioToolboxDecoderFactory()
            let none = try factory.decoder(for: self.format(.vorbis))
            #expect(none == nil)
            let flac = self.format(.flac) { $0.samplesPerPacket = 4_096 }
            let error = #expect(throws: AudioError.self) { try factory.decoder(for: flac) }
            #expect(error?.code == .unsupported)
            let many = self.format(.flac, channels: 1_000)
            let other = #expect(throws: AudioError.self) { try factory.decoder(for: many) }
            #expect(other?.code == .badConfiguration)
            let unknown = self.format(.aac(objectType: 2), channels: nil)
            #expect(throws: AudioError.self) { try factory.decoder(for: unknown) }
        }
    }
}
#endif
