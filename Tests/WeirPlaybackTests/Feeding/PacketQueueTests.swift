// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirPlayback

@Suite("The packet queue")
struct PacketQueueTests {
    private static func packet(_ size: Int, samples: Int64) -> QueueEntry {
        .packet(
            AudioPacket(
                payload: ByteMemory([UInt8](repeating: 7, count: size)),
                offset: 0,
                start: 0,
                duration: SampleCount(samples)
            )
        )
    }

    private static let format = QueueEntry.format(
        AudioFormat(container: .wave, codec: .flac, sampleRate: 1000, channelCount: 1)
    )

    @Test("the largest buffer fits into it, also with lossless sound")
    func roomForGathering() {
        let limits = QueueLimits()
        // Two channels of 24 bits at 192 kHz.
        #expect(Double(limits.byteCount) > BufferPolicy().most * 192_000 * 6)
        #expect(limits.seconds > BufferPolicy().most)
    }

    @Test("each of the three limits fills it, and it has room again when enough packets have left")
    func limits() {
        let cases: [(QueueLimits, Int, Int64)] = [
            (QueueLimits(byteCount: 1000, seconds: 1e9, packetCount: 1_000_000), 100, 1),
            (QueueLimits(byteCount: 1 << 30, seconds: 10, packetCount: 1_000_000), 1, 1000),
            (QueueLimits(byteCount: 1 << 30, seconds: 1e9, packetCount: 10), 1, 1),
        ]
        for (limits, size, samples) in cases {
            var queue = PacketQueue(limits: limits)
            queue.push(Self.format)
            for _ in 0..<9 {
                queue.push(Self.packet(size, samples: samples))
                #expect(!queue.isFull)
            }
            queue.push(Self.packet(size, samples: samples))
            #expect(queue.isFull)
            _ = queue.pop()
            var popped = 0
            while queue.isFull, queue.pop() != nil { popped += 1 }
            #expect(popped >= 2 && popped <= 4)
        }
    }

    @Test(
        "sound counts with the same rate when it enters and leaves, and an empty queue has no sound",
        arguments: 0..<100
    )
    func counts(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = PacketQueue()
        var expected: [(size: Int, seconds: Double)] = []
        var rate = 1
        for _ in 0..<500 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                rate = [8000, 44_100, 48_000].randomElement(using: &generator)!
                queue.push(
                    .format(
                        AudioFormat(
                            container: .wave,
                            codec: .flac,
                            sampleRate: rate,
                            channelCount: 1
                        )
                    )
                )
            case 1...5:
                let size = Int.random(in: 1...4000, using: &generator)
                let samples = Int64.random(in: 0...4608, using: &generator)
                queue.push(Self.packet(size, samples: samples))
                expected.append((size, Double(samples) / Double(rate)))
            default:
                if case .packet? = queue.pop() { expected.removeFirst() }
            }
            #expect(queue.packetCount == expected.count)
            #expect(queue.byteCount == expected.reduce(0) { $0 + $1.size })
            #expect(abs(queue.seconds - expected.reduce(0) { $0 + $1.seconds }) < 1e-6)
            if expected.isEmpty { #expect(queue.seconds == 0) }
        }
    }

    @Test("titles alone fill it, too")
    func manyTitles() {
        var queue = PacketQueue(limits: QueueLimits(packetCount: 100))
        for _ in 0..<200 { queue.push(.title(PlayerTitle(title: "x"))) }
        #expect(queue.isFull)
    }

    @Test("entries leave in the order in which they entered")
    func order() {
        var queue = PacketQueue(limits: QueueLimits(packetCount: 10_000))
        var next: Int64 = 0
        var out: Int64 = 0
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            if Bool.random(using: &generator) {
                queue.push(Self.packet(1, samples: next))
                next += 1
            } else if case .packet(let packet)? = queue.pop() {
                #expect(packet.duration == SampleCount(out))
                out += 1
            }
        }
        #expect(out > 1000)
    }

    @Test("the bytes of titles and configurations count, so that a stream of only these is bounded")
    func othersWeigh() {
        var queue = PacketQueue(limits: QueueLimits(byteCount: 1000))
        var format = AudioFormat(container: .ogg, codec: .vorbis, sampleRate: 8000, channelCount: 1)
        format.configuration = [UInt8](repeating: 0, count: 600)
        queue.push(.format(format))
        #expect(!queue.isFull)
        queue.push(.title(PlayerTitle(title: String(repeating: "a", count: 300), album: "é")))
        #expect(!queue.isFull)
        queue.push(.title(PlayerTitle(artist: String(repeating: "b", count: 98))))
        #expect(queue.isFull && queue.byteCount == 1000)
        while queue.pop() != nil {}
        #expect(!queue.isFull && queue.byteCount == 0)
    }

    @Test("a packet that claims an endless duration counts as a day, and the sum returns to zero")
    func hostileDurations() {
        var queue = PacketQueue()
        for _ in 0..<100 {
            var packet = AudioPacket(payload: ByteMemory([1]), offset: 0, start: 0, duration: 1)
            packet.duration = SampleCount(.max)
            queue.push(.packet(packet))
        }
        #expect(queue.seconds == 8_640_000)
        while queue.pop() != nil {}
        #expect(queue.seconds == 0)
    }
}
