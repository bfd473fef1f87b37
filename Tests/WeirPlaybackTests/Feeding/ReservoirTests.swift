// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Seeks in layer III: the decoder gets the bytes that the first frame refers back to")
struct ReservoirTests {
    /// A kind of frames: the header, the number of samples, and the smallest size that its bit rates allow.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let word: UInt32
        let sampleRate: Int
        let sampleCount: Int
        let smallest: Int
        /// The bytes of header, checksum and side information.
        let overhead: Int
        /// How many bytes the main data of a frame reach back.
        let reach: Int
    }

    static let kinds = [
        Kind("MPEG-2, 22.05 kHz, stereo", 0xFFF3_1000, 22_050, 576, 26, 4 + 17, 255),
        Kind("MPEG-2, 22.05 kHz, mono", 0xFFF3_10C0, 22_050, 576, 26, 4 + 9, 255),
        Kind("MPEG-2, 24 kHz, stereo", 0xFFF3_1400, 24_000, 576, 24, 4 + 17, 255),
        Kind("MPEG-2, 24 kHz, stereo, checksums", 0xFFF2_1400, 24_000, 576, 24, 6 + 17, 255),
        Kind("MPEG-2, 16 kHz, stereo", 0xFFF3_1800, 16_000, 576, 36, 4 + 17, 255),
        Kind("MPEG-2.5, 11.025 kHz, stereo", 0xFFE3_1000, 11_025, 576, 52, 4 + 17, 255),
        Kind("MPEG-1, 44.1 kHz, stereo", 0xFFFB_1000, 44_100, 1152, 104, 4 + 32, 511),
        Kind("MPEG-1, 48 kHz, stereo, checksums", 0xFFFA_1400, 48_000, 1152, 96, 6 + 32, 511),
    ]

    /// Frames of the smallest size; each points back as far as it can.
    private static func stream(_ kind: Kind, seconds: Int) -> [UInt8] {
        let isProtected = kind.word >> 16 & 1 == 0
        var frame = (0..<4).map { UInt8(truncatingIfNeeded: kind.word >> UInt32(24 - 8 * $0)) }
        frame += isProtected ? [0, 0] : []
        frame += [0xFF, kind.reach == 511 ? 0x80 : 0]
        while frame.count < kind.smallest { frame.append(frame.count < kind.overhead ? 0 : 0x55) }
        let count = seconds * kind.sampleRate / kind.sampleCount
        return Array(repeatElement(frame, count: count).joined())
    }

    @Test(
        "the reservoir is complete, also where the smallest frames have little data",
        arguments: Self.kinds
    )
    func smallest(_ kind: Kind) async throws {
        for start in [20.0, 31.7] {
            let feed = MediaFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "voice.mp3"),
                source: MemorySource(bytes: Self.stream(kind, seconds: 60)),
                start: .seconds(start)
            )
            var before: [AudioPacket] = []
            reading: while let entries = try await feed.next() {
                for case .packet(let packet) in entries {
                    if packet.trimStart < packet.duration { break reading }
                    before.append(packet)
                }
            }
            // The last packet in front overlaps the first heard packet, and points back too.
            let mainData = before.dropLast().map { $0.payload.count - kind.overhead }
            #expect(mainData.reduce(0, +) >= kind.reach, "\(before.count) frames")
            #expect(before.count <= 300)
        }
    }
}

extension ReservoirTests.Kind {
    fileprivate init(
        _ name: String,
        _ word: UInt32,
        _ sampleRate: Int,
        _ sampleCount: Int,
        _ smallest: Int,
        _ overhead: Int,
        _ reach: Int
    ) {
        self.init(
            testDescription: name,
            word: word,
            sampleRate: sampleRate,
            sampleCount: sampleCount,
            smallest: smallest,
            overhead: overhead,
            reach: reach
        )
    }
}
