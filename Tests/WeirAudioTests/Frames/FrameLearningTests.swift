// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirAudio

@Suite("Frames: one parser continues from the frames that another one found")
struct FrameLearningTests {
    /// Frames of many bit rates, without a tag, and their offsets.
    private static func stream(seed: UInt64) -> (bytes: [UInt8], offsets: [Int64]) {
        var builder = MPEGStreamBuilder()
        builder.generator = SeededGenerator(seed: seed)
        var generator = SeededGenerator(seed: seed &+ 1)
        var bytes: [UInt8] = []
        var offsets: [Int64] = []
        // 100 frames at the lowest rate, as in silence; then frames of random rates.
        for index in 0..<3000 {
            let rate = index < 100 ? 1 : UInt32.random(in: 5...14, using: &generator)
            offsets.append(Int64(bytes.count))
            bytes += builder.frame(0xFFFB_0000 | rate << 12)
        }
        return (bytes, offsets)
    }

    /// Pushes a range and returns the packets.
    private static func parse(
        _ parser: inout AudioStreamParser,
        _ bytes: [UInt8],
        _ range: Range<Int>
    ) throws -> [AudioPacket] {
        var packets: [AudioPacket] = []
        parser.push(ByteMemory(copying: bytes[range]))
        if range.upperBound == bytes.count { parser.finish() }
        while let event = try parser.next() {
            if case .packet(let packet) = event { packets.append(packet) }
        }
        return packets
    }

    private static func search(_ map: SeekMap, _ time: Int64, _ bytes: [UInt8]) throws -> (
        point: SeekPoint, search: SeekSearch, reads: Int, count: Int
    ) {
        var search = map.search(for: SampleCount(time))
        var (reads, count) = (0, 0)
        while true {
            switch search.step {
            case .found(let point): return (point, search, reads, count)
            case .read(let range):
                reads += 1
                try #require(reads <= 20)
                let end = min(Int64(bytes.count), range.upperBound)
                count += Int(end - range.lowerBound)
                search.read(ByteMemory(copying: bytes[Int(range.lowerBound)..<Int(end)]))
            }
        }
    }

    @Test(
        "a second parser finds every frame that the first one parsed",
        arguments: 1...TestLength.short(2, long: 4)
    )
    func adopted(_ seed: Int) throws {
        let (bytes, offsets) = Self.stream(seed: UInt64(seed))
        let length = Int64(bytes.count)
        var first = AudioStreamParser(container: .mpegAudio, length: length)
        _ = try Self.parse(&first, bytes, 0..<bytes.count / 2)
        let frames = first.learned
        let learned = try #require(frames)

        var second = AudioStreamParser(container: .mpegAudio, length: length)
        _ = try Self.parse(&second, bytes, 0..<5000)
        second.adopt(learned)
        let found = second.seekMap()
        let map = try #require(found)
        let known = try #require(map.known)
        #expect(known.offset == learned.countedEnd && offsets.contains(known.offset))
        for (index, offset) in offsets.enumerated() where offset < learned.countedEnd {
            let time = Int64(index) * 1152 + 7
            let point = try Self.search(map, time, bytes).point
            #expect(map.isExact(for: SampleCount(time)))
            #expect(
                point
                    == SeekPoint(
                        offset: offset,
                        start: SampleCount(Int64(index) * 1152),
                        precision: .exact
                    )
            )
        }
    }

    @Test("a stream read in pieces behind exact points is counted like a stream read at once")
    func counted() throws {
        let (bytes, offsets) = Self.stream(seed: 9)
        let length = Int64(bytes.count)
        var parser = AudioStreamParser(container: .mpegAudio, length: length)
        _ = try Self.parse(&parser, bytes, 0..<200_000)
        var generator = SeededGenerator(seed: 3)
        while let map = parser.seekMap(), let known = map.known,
            known.offset < length - 300_000
        {
            // The parser goes back to an earlier point, and then reads past the part that it knows.
            let time = Int64.random(in: 0..<known.start.rawValue, using: &generator)
            let point = try Self.search(map, time, bytes).point
            try #require(point.precision == .exact)
            parser.jump(to: point)
            let end = Int(known.offset) + Int.random(in: 10...200_000, using: &generator)
            for packet in try Self.parse(&parser, bytes, Int(point.offset)..<end) {
                #expect(offsets[Int(packet.start.rawValue / 1152)] == packet.offset)
            }
        }
        let end = parser.seekMap()?.known
        let point = try #require(end)
        parser.jump(to: point)
        _ = try Self.parse(&parser, bytes, Int(point.offset)..<bytes.count)
        let found = parser.seekMap()
        let map = try #require(found)
        #expect(map.known == SeekPoint(offset: length, start: 3_456_000, precision: .exact))
        let last = try Self.search(map, .max, bytes).point
        #expect(last.offset == offsets[2999] && last.precision == .exact)
    }

    @Test("after a jump to an estimated position no later time is exact")
    func uncertain() throws {
        let (bytes, _) = Self.stream(seed: 5)
        var parser = AudioStreamParser(container: .mpegAudio, length: Int64(bytes.count))
        _ = try Self.parse(&parser, bytes, 0..<100_000)
        let end = parser.seekMap()?.known
        let known = try #require(end)
        parser.jump(to: SeekPoint(offset: 500_000, start: 1_152_000, precision: .estimated))
        _ = try Self.parse(&parser, bytes, 500_000..<700_000)
        var now = parser.seekMap()?.known
        #expect(now == known)
        let found = parser.seekMap()
        let map = try #require(found)
        #expect(!map.isExact(for: 1_300_000))
        parser.jump(to: 600_000, start: 1_200_000)
        _ = try Self.parse(&parser, bytes, 600_000..<700_000)
        now = parser.seekMap()?.known
        #expect(now == known)
    }

    @Test(
        "a few reads measure the rate, and a search ends near the wanted time",
        arguments: 1...TestLength.short(2, long: 8)
    )
    func measured(_ seed: Int) throws {
        let (bytes, offsets) = Self.stream(seed: UInt64(seed))
        var parser = AudioStreamParser(container: .mpegAudio, length: Int64(bytes.count))
        // These bytes are the silence and a little more.
        _ = try Self.parse(&parser, bytes, 0..<30_000)
        let found = parser.seekMap()
        let map = try #require(found)
        for index in stride(from: 200, to: 2900, by: 300) {
            let (point, search, reads, count) = try Self.search(map, Int64(index) * 1152, bytes)
            #expect(point.precision == .estimated && reads <= 12 && count <= 12 << 14)
            let frame = offsets.firstIndex { $0 >= point.offset } ?? 0
            // 160 frames last about 4 s.
            #expect(abs(frame - index) < 160, "\(frame) for \(index)")
            var other = AudioStreamParser(container: .mpegAudio, length: Int64(bytes.count))
            _ = try Self.parse(&other, bytes, 0..<30_000)
            other.adopt(search)
            let end = other.seekMap()?.time(at: Int64(bytes.count))
            let total = try #require(end)
            #expect(abs(total.start.rawValue - 3_456_000) < 350_000, "\(total)")
        }
    }

    @Test("no bytes make a search endless, or lead it outside of the stream")
    func hostile() throws {
        var generator = SeededGenerator(seed: 77)
        let (bytes, _) = Self.stream(seed: 2)
        var parser = AudioStreamParser(container: .mpegAudio, length: 1 << 62)
        _ = try Self.parse(&parser, bytes, 0..<30_000)
        let found = parser.seekMap()
        let map = try #require(found)
        for time in [Int64.min, -1, 0, 1 << 30, 1 << 55, .max] {
            var search = map.search(for: SampleCount(time))
            var reads = 0
            while case .read(let range) = search.step {
                reads += 1
                try #require(reads <= 20 && range.count <= 64 << 10)
                #expect(range.lowerBound >= 0 && range.upperBound <= 1 << 62)
                let junk = (0..<Int.random(in: 0...range.count, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                search.read(ByteMemory(reads % 2 == 0 ? junk : Array(bytes.prefix(range.count))))
            }
            guard case .found(let point) = search.step else { return }
            #expect(point.offset >= 0 && point.offset <= 1 << 62)
        }
    }
}
