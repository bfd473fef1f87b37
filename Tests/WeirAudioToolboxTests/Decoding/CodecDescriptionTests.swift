// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirAudioToolbox

@Suite("The description of a stream for Apple's decoders")
struct CodecDescriptionTests {
    private func describe(
        _ codec: AudioCodec,
        _ change: (inout AudioFormat) -> Void = { _ in }
    ) -> CodecDescription? {
        var format = AudioFormat(
            container: .mp4,
            codec: codec,
            sampleRate: 44_100,
            channelCount: 2
        )
        change(&format)
        return CodecDescription(format)
    }

    @Test(
        "the letters of every codec",
        arguments: [
            (AudioCodec.mpegLayer(1), ".mp1"), (.mpegLayer(2), ".mp2"), (.mpegLayer(3), ".mp3"),
            (.aac(objectType: 2), "aac "), (.aac(objectType: 5), "aach"),
            (.aac(objectType: 29), "aacp"), (.aac(objectType: 23), "aacl"),
            (.aac(objectType: 39), "aace"), (.aac(objectType: 42), "usac"), (.alac, "alac"),
            (.flac, "flac"), (.opus, "opus"),
        ]
    )
    func letters(_ codec: AudioCodec, _ letters: String) {
        #expect(self.describe(codec)?.formatID == CodecDescription.code(letters))
        #expect(
            CodecDescription.letters(of: Int32(bitPattern: CodecDescription.code(letters)))
                == "'\(letters)'"
        )
    }

    @Test(
        "codecs without a description",
        arguments: [
            AudioCodec.vorbis, .other("spex"), .mpegLayer(4), .aac(objectType: 1),
            .pcm(PCMLayout(encoding: .signedInteger, bitsPerSample: 16)),
        ]
    )
    func foreign(_ codec: AudioCodec) {
        #expect(self.describe(codec) == nil)
    }

    @Test("frames of a packet: as declared, or the codec's own number")
    func frames() {
        #expect(self.describe(.aac(objectType: 2))?.framesPerPacket == 1_024)
        #expect(self.describe(.aac(objectType: 29))?.framesPerPacket == 2_048)
        #expect(self.describe(.aac(objectType: 39))?.framesPerPacket == 512)
        #expect(
            self.describe(.aac(objectType: 2)) { $0.samplesPerPacket = 960 }?.framesPerPacket == 960
        )
        #expect(self.describe(.mpegLayer(3)) { $0.samplesPerPacket = 576 }?.framesPerPacket == 576)
        #expect(self.describe(.opus)?.framesPerPacket == 0)
        let flac = self.describe(.flac) {
            $0.configuration = [0x10, 0, 0x12, 0] + Array(repeating: 0, count: 30)
        }
        #expect(flac?.framesPerPacket == 0x1200)
    }

    @Test("Opus is decoded at 48 kHz, and lossless codecs have their bit depth")
    func details() {
        #expect(self.describe(.opus)?.sampleRate == 48_000)
        for (bits, flags) in [(16, 1), (20, 2), (24, 3), (32, 4), (12, 0)] {
            let alac = self.describe(.alac) { $0.bitsPerSample = bits }
            #expect(alac?.bitsPerChannel == bits)
            #expect(alac?.flags == UInt32(flags))
        }
        #expect(self.describe(.flac) { $0.bitsPerSample = 99 }?.bitsPerChannel == 0)
        #expect(CodecDescription.letters(of: -50) == "-50")
        #expect(CodecDescription.code("a") == CodecDescription.code("a   "))
    }
}
