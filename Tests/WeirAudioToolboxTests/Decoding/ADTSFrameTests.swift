// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirAudioToolbox

@Suite("A bare packet as an ADTS frame")
struct ADTSFrameTests {
    @Test(
        "is found and measured by a parser, of every length near a border",
        arguments: [1, 8, 255, 256, 2_041, 8_184]
    )
    func parsed(_ count: Int) throws {
        // LC, 24 kHz, mono.
        let packet = [UInt8](repeating: 0x21, count: count)
        let frame = try #require(
            CodecDescription.adtsFrame(around: packet, configuration: [0x13, 0x08])
        )
        #expect(frame.count == count + 7)
        #expect(frame[0] == 0xFF && frame[1] == 0xF1)
        #expect(Int(frame[3] & 3) << 11 | Int(frame[4]) << 3 | Int(frame[5] >> 5) == count + 7)
        #expect(frame[2] >> 6 == 1 && frame[2] >> 2 & 0xF == 6)
        #expect((frame[2] & 1) << 2 | frame[3] >> 6 == 1)
    }

    @Test("is not made if an ADTS header cannot describe the packet")
    func refused() {
        #expect(CodecDescription.adtsFrame(around: [1], configuration: []) == nil)
        #expect(CodecDescription.adtsFrame(around: [1], configuration: [0x13]) == nil)
        // HE-AAC; an explicit sample rate; twelve channels; too long.
        #expect(CodecDescription.adtsFrame(around: [1], configuration: [0x2B, 0x08]) == nil)
        #expect(CodecDescription.adtsFrame(around: [1], configuration: [0x17, 0x88]) == nil)
        #expect(CodecDescription.adtsFrame(around: [1], configuration: [0x13, 0x60]) == nil)
        let long = [UInt8](repeating: 0, count: 8_185)
        #expect(CodecDescription.adtsFrame(around: long, configuration: [0x13, 0x08]) == nil)
        for first in UInt8.min...UInt8.max {
            for second in stride(from: UInt8.min, to: UInt8.max, by: 7) {
                _ = CodecDescription.adtsFrame(around: [1, 2, 3], configuration: [first, second])
            }
        }
    }
}
