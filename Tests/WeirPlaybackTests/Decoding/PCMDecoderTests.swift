// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirPlayback
import WeirTestKit

@Suite struct PCMDecoderTests {
    struct Case: CustomTestStringConvertible {
        var encoding: PCMLayout.Encoding
        var bits: Int
        var isBig = false
        var bytes: [UInt8]
        var samples: [Float]
        var significantBits: Int
        var testDescription: String {
            "\(self.encoding.rawValue) \(self.bits) \(self.isBig ? "big" : "little")"
        }
    }

    static let cases: [Case] = [
        Case(
            encoding: .unsignedInteger,
            bits: 8,
            bytes: [0, 64, 128, 255],
            samples: [-1, -0.5, 0, 0.992_187_5],
            significantBits: 8
        ),
        Case(
            encoding: .signedInteger,
            bits: 8,
            bytes: [128, 192, 0, 127],
            samples: [-1, -0.5, 0, 0.992_187_5],
            significantBits: 8
        ),
        Case(
            encoding: .signedInteger,
            bits: 16,
            bytes: [0, 0x80, 0, 0xC0, 1, 0, 0xFF, 0x7F],
            samples: [-1, -0.5, 0x1p-15, 1 - 0x1p-15],
            significantBits: 16
        ),
        Case(
            encoding: .signedInteger,
            bits: 16,
            isBig: true,
            bytes: [0x80, 0, 0xC0, 0, 0, 1, 0x7F, 0xFF],
            samples: [-1, -0.5, 0x1p-15, 1 - 0x1p-15],
            significantBits: 16
        ),
        Case(
            encoding: .unsignedInteger,
            bits: 16,
            bytes: [0, 0, 0, 0x40, 1, 0x80],
            samples: [-1, -0.5, 0x1p-15],
            significantBits: 16
        ),
        Case(
            encoding: .signedInteger,
            bits: 24,
            bytes: [0, 0, 0x80, 1, 0, 0, 0xFF, 0xFF, 0x7F],
            samples: [-1, 0x1p-23, 1 - 0x1p-23],
            significantBits: 24
        ),
        Case(
            encoding: .signedInteger,
            bits: 24,
            isBig: true,
            bytes: [0x80, 0, 0, 0, 0, 1, 0x7F, 0xFF, 0xFF],
            samples: [-1, 0x1p-23, 1 - 0x1p-23],
            significantBits: 24
        ),
        Case(
            encoding: .signedInteger,
            bits: 32,
            bytes: [0, 0, 0, 0x80, 0, 1, 0, 0],
            samples: [-1, 0x1p-23],
            significantBits: 32
        ),
        Case(
            encoding: .signedInteger,
            bits: 32,
            isBig: true,
            bytes: [0x80, 0, 0, 0, 0, 0, 1, 0],
            samples: [-1, 0x1p-23],
            significantBits: 32
        ),
        Case(
            encoding: .signedInteger,
            bits: 64,
            bytes: [0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40],
            samples: [-1, 0.5],
            significantBits: 32
        ),
        Case(
            encoding: .float,
            bits: 32,
            bytes: [0, 0, 0, 0x3F, 0, 0, 0, 0xC0],
            samples: [0.5, -2],
            significantBits: 24
        ),
        Case(
            encoding: .float,
            bits: 32,
            isBig: true,
            bytes: [0x3F, 0, 0, 0, 0xC0, 0, 0, 0],
            samples: [0.5, -2],
            significantBits: 24
        ),
        Case(
            encoding: .float,
            bits: 64,
            isBig: true,
            bytes: [0x3F, 0xE0, 0, 0, 0, 0, 0, 0],
            samples: [0.5],
            significantBits: 24
        ),
        // The ends and the middle of the tables of G.711.
        Case(
            encoding: .muLaw,
            bits: 8,
            bytes: [0x00, 0x80, 0x7F, 0xFF, 0x70],
            samples: [-32_124, 32_124, 0, 0, -120].map { $0 / 32_768 },
            significantBits: 16
        ),
        Case(
            encoding: .aLaw,
            bits: 8,
            bytes: [0x2A, 0xAA, 0x55, 0xD5, 0x45],
            samples: [-32_256, 32_256, -8, 8, -264].map { $0 / 32_768 },
            significantBits: 16
        ),
    ]

    private func decoder(
        _ layout: PCMLayout,
        channelCount: Int? = 1
    ) throws -> (any AudioDecoder)? {
        let format = AudioFormat(
            container: .wave,
            codec: .pcm(layout),
            sampleRate: 8000,
            channelCount: channelCount
        )
        return try PCMDecoderFactory().decoder(for: format)
    }

    private func packet(_ bytes: [UInt8]) -> AudioPacket {
        AudioPacket(payload: ByteMemory(bytes), offset: 0, start: 0, duration: 1)
    }

    @Test("samples of every layout have the right values", arguments: cases)
    func layouts(_ sample: Case) throws {
        let layout = PCMLayout(
            encoding: sample.encoding,
            bitsPerSample: sample.bits,
            isBigEndian: sample.isBig
        )
        let decoder = try #require(try self.decoder(layout))
        let buffer = try #require(try decoder.decode(self.packet(sample.bytes)))
        #expect(buffer.samples == sample.samples)
        #expect(buffer.format.significantBits == sample.significantBits)
        #expect(buffer.format.sampleRate == 8000)
        // The decoder leaves out an incomplete frame at the end, at every length.
        for count in 0..<sample.bytes.count {
            let whole = count / (sample.bits / 8)
            let cut = try decoder.decode(self.packet(Array(sample.bytes.prefix(count))))
            #expect(cut?.samples ?? [] == Array(sample.samples.prefix(whole)))
        }
    }

    @Test("all 16 bit integers survive decoding and writing")
    func roundTrip() throws {
        let layout = PCMLayout(encoding: .signedInteger, bitsPerSample: 16)
        let decoder = try #require(try self.decoder(layout))
        let bytes = (0...UInt16.max).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let samples = try decoder.decode(self.packet(bytes))?.samples ?? []
        let isSame = PCMIntegers.bits16.bytes(of: samples) == bytes
        #expect(isSame)
    }

    @Test("impossible layouts are refused, and compressed sound is left to other decoders")
    func refusals() throws {
        for (encoding, bits) in [
            (PCMLayout.Encoding.signedInteger, 12), (.float, 16), (.aLaw, 16), (.signedInteger, 0),
        ] {
            let layout = PCMLayout(encoding: encoding, bitsPerSample: bits)
            let error = #expect(throws: AudioError.self) { try self.decoder(layout) }
            #expect(error?.code == .badConfiguration)
        }
        let layout = PCMLayout(encoding: .signedInteger, bitsPerSample: 16)
        for channelCount in [nil, 0, -1, 100_000] {
            #expect(throws: AudioError.self) {
                try self.decoder(layout, channelCount: channelCount)
            }
        }
        let opus = AudioFormat(
            container: .ogg,
            codec: .opus,
            sampleRate: 48_000,
            channelCount: 2
        )
        #expect(try PCMDecoderFactory().decoder(for: opus) == nil)
    }
}
