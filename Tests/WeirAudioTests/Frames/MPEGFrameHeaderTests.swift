// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The header of an MPEG audio frame")
struct MPEGFrameHeaderTests {
    @Test(
        "Every allowed header has the size that the standard's formula gives"
    )
    func sizes() throws {
        var count = 0
        for version in [0, 2, 3] as [UInt32] {
            for layer in 1...3 as ClosedRange<UInt32> where version != 0 || layer == 1 {
                for bits in 1..<15 as Range<UInt32> {
                    for rate in 0..<3 as Range<UInt32> {
                        for padding in 0...1 as ClosedRange<UInt32> {
                            let word =
                                0xFFE1_0000 | version << 19 | layer << 17 | bits << 12 | rate << 10
                                | padding << 9
                            let header = try #require(MPEGFrameHeader(word: word))
                            #expect(header.frameSize(freeSize: 0) == MPEGStreamBuilder.size(word))
                            count += 1
                        }
                    }
                }
            }
        }
        #expect(count == 588)
    }

    @Test(
        "A header that breaks a rule is refused",
        arguments: [
            0xFFDB_9000, 0x7FFB_9000, 0xFFEB_9000, 0xFFF9_9000, 0xFFFB_F000, 0xFFFB_9C00,
            0xFFE5_9000, 0xFFE7_9000,
        ] as [UInt32]
    )
    func refused(word: UInt32) {
        // From the third word on: version 1, layer 0, bit rate 15, rate 3; then MPEG-2.5, which has layer III only.
        let isRefused =
            MPEGFrameHeader(word: word) == nil || word == 0xFFF9_9000 && word >> 17 & 3 == 0
        #expect(isRefused)
    }

    @Test("Rate, samples and channels follow the version")
    func properties() throws {
        let first = try #require(MPEGFrameHeader(word: 0xFFFB_90C0))
        #expect(first.sampleRate == 44_100 && first.sampleCount == 1152 && first.channelCount == 1)
        #expect(first.layer == 3 && first.kilobitsPerSecond == 128 && !first.isProtected)
        let second = try #require(MPEGFrameHeader(word: 0xFFF2_9600))
        #expect(
            second.sampleRate == 24_000 && second.sampleCount == 576 && second.channelCount == 2
        )
        #expect(second.kilobitsPerSecond == 80 && second.isProtected && second.isPadded)
        let third = try #require(MPEGFrameHeader(word: 0xFFE3_1840))
        #expect(
            third.sampleRate == 8000 && third.word >> 19 & 3 == 0 && third.kilobitsPerSecond == 8
        )
        let layer1 = try #require(MPEGFrameHeader(word: 0xFFFF_1000))
        #expect(layer1.layer == 1 && layer1.sampleCount == 384 && layer1.kilobitsPerSecond == 32)
    }

    @Test("Frames of one stream agree, whatever their bit rate, padding and stereo mode")
    func agreement() throws {
        let header = try #require(MPEGFrameHeader(word: 0xFFFB_9000))
        let agreeing: [UInt32] = [0xFFFB_9200, 0xFFFB_E000, 0xFFFB_9040, 0xFFFA_9000, 0xFFFB_900C]
        for word in agreeing {
            let other = try #require(MPEGFrameHeader(word: word))
            #expect(header.agrees(with: other))
        }
        // Mono, 48 kHz, free format, layer II, MPEG-2.
        let strange: [UInt32] = [0xFFFB_90C0, 0xFFFB_9400, 0xFFFB_0000, 0xFFFD_9000, 0xFFF3_9000]
        for word in strange {
            let other = try #require(MPEGFrameHeader(word: word))
            #expect(!header.agrees(with: other))
        }
    }

    @Test("A frame whose parts claim more main data than exists is not sound")
    func plausibility() throws {
        var builder = MPEGStreamBuilder()
        var frame = builder.frame()
        let header = try #require(MPEGFrameHeader(word: builder.word))
        let isSound = { (bytes: [UInt8]) in
            ByteMemory(bytes).withView { header.isPlausible($0, after: nil) }
        }
        #expect(isSound(frame))
        // part2_3_length of the first granule: 12 bits from bit 20 of the side information on.
        frame[4 + 2] |= 0x0F
        frame[4 + 3] = 0xFF
        #expect(!isSound(frame))
    }
}
