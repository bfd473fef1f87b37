// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirAudioToolbox

@Suite("The cookies that describe a stream to decoders")
struct CodecCookieTests {
    private func format(_ codec: AudioCodec, _ configuration: [UInt8]) -> AudioFormat {
        var format = AudioFormat(
            container: .mp4,
            codec: codec,
            sampleRate: 44_100,
            channelCount: 2
        )
        format.configuration = configuration
        return format
    }

    @Test("AAC: a descriptor around the configuration, then the configuration itself")
    func aac() {
        let cookies = CodecCookie.candidates(for: self.format(.aac(objectType: 2), [0x12, 0x10]))
        let descriptor: [UInt8] = [
            3, 0x80, 0x80, 0x80, 34, 0, 0, 0,
            4, 0x80, 0x80, 0x80, 20, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            5, 0x80, 0x80, 0x80, 2, 0x12, 0x10,
            6, 0x80, 0x80, 0x80, 1, 2,
        ]
        #expect(cookies == [descriptor, [0x12, 0x10]])
    }

    @Test(
        "descriptor lengths at every border of seven bits",
        arguments: [1, 127, 128, 16_383, 16_384]
    )
    func lengths(_ count: Int) throws {
        let bytes = [UInt8](repeating: 7, count: count)
        let descriptor = try #require(CodecCookie.elementaryStream(bytes))
        let length = descriptor[1...4].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        #expect(length == descriptor.count - 5)
        #expect(descriptor[4] < 0x80)
        #expect(CodecCookie.elementaryStream([UInt8](repeating: 0, count: 0x1_0000)) == nil)
    }

    @Test(
        "FLAC: the box of MP4, then the beginning of a file, and no cookie for an incomplete block"
    )
    func flac() {
        let info = [UInt8](0..<34)
        let cookies = CodecCookie.candidates(for: self.format(.flac, info))
        #expect(cookies.count == 2)
        #expect(
            cookies[0] == [0, 0, 0, 50] + Array("dfLa".utf8) + [0, 0, 0, 0, 0x80, 0, 0, 34] + info
        )
        #expect(cookies[1] == Array("fLaC".utf8) + [0x80, 0, 0, 34] + info)
        #expect(CodecCookie.candidates(for: self.format(.flac, Array(info.dropLast()))) == [])
    }

    @Test("Opus: the header without pre-skip, gain and channel mapping")
    func opus() {
        let head = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 5, 6, 0]
        let bare = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
        #expect(CodecCookie.candidates(for: self.format(.opus, head)) == [bare])
        for count in 0..<head.count {
            #expect(
                CodecCookie.candidates(for: self.format(.opus, Array(head.prefix(count)))) == []
            )
        }
    }

    @Test("ALAC: the configuration unchanged; MPEG audio: no cookie")
    func others() {
        #expect(CodecCookie.candidates(for: self.format(.alac, [1, 2])) == [[1, 2]])
        #expect(CodecCookie.candidates(for: self.format(.mpegLayer(3), [1])) == [])
        #expect(CodecCookie.candidates(for: self.format(.aac(objectType: 2), [])) == [])
        #expect(CodecCookie.isNeeded(for: .alac) && CodecCookie.isNeeded(for: .opus))
        #expect(!CodecCookie.isNeeded(for: .flac))
    }
}
