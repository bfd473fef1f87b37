// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Times of FLAC streams")
struct FLACSeekTests {
    /// Searches for a sample, and returns the point and the number of reads.
    private func search(_ map: SeekMap, _ target: Int64, in bytes: [UInt8]) -> (
        point: SeekPoint?, looks: Int
    ) {
        var search = map.search(for: SampleCount(target))
        let stream = ByteMemory(bytes)
        var looks = 0
        while case .read(let range) = search.step, looks < 100 {
            looks += 1
            #expect(range.count <= 64 << 10)
            search.read(stream[Int(range.lowerBound)..<min(bytes.count, Int(range.upperBound))])
        }
        if case .found(let point) = search.step { return (point, looks) }
        return (nil, looks)
    }

    private func parsed(_ bytes: [UInt8]) -> (FLACParser, [AudioPacket]) {
        var parser = FLACParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        window.finish()
        var packets: [AudioPacket] = []
        while let event = try? parser.next(&window) {
            if case .packet(let packet) = event { packets.append(packet) }
        }
        return (parser, packets)
    }

    @Test("Without a table a few reads find the frame of a time")
    func bisection() throws {
        for isVariable in [false, true] {
            let bytes = FLACBuilder(blockSize: 256, isVariable: isVariable).stream(frames: 600)
            let (parser, packets) = self.parsed(bytes)
            let map = try #require(parser.seekMap(length: nil))
            var generator = SeededGenerator(seed: 9)
            for _ in 0..<60 {
                let target = Int64.random(in: -10...600 * 256, using: &generator)
                let (point, looks) = self.search(map, target, in: bytes)
                let expected = packets.last { $0.start.rawValue <= max(0, target) }
                #expect(point?.offset == expected?.offset)
                #expect(point?.start == expected?.start)
                #expect(looks <= 20)
            }
        }
    }

    @Test("A table needs one read, and bisection replaces a wrong table")
    func table() throws {
        let builder = FLACBuilder(blockSize: 256)
        let plain = builder.stream(frames: 600)
        let (_, packets) = self.parsed(plain)
        let frames = Array(plain[builder.head.count...])
        for shift in [Int64(0), 7] {
            var points: [UInt8] = []
            for packet in packets.enumerated().filter({ $0.offset % 100 == 0 }).map(\.element) {
                let offset = packet.offset - Int64(builder.head.count) + shift
                var writer = BitWriter()
                writer.append(UInt64(packet.start.rawValue), 64)
                writer.append(UInt64(offset), 64)
                writer.append(256, 16)
                points += writer.bytes
            }
            var informed = builder
            informed.total = 599 * 256 + 128
            var bytes = Array("fLaC".utf8) + FLACBuilder.block(0, informed.info)
            bytes += FLACBuilder.block(3, isLast: true, points)
            bytes += frames
            let (parser, found) = self.parsed(bytes)
            #expect(found.count == 600)
            let map = try #require(parser.seekMap(length: nil))
            for target in stride(from: Int64(0), to: 599 * 256, by: 9001) {
                let (point, looks) = self.search(map, target, in: bytes)
                #expect(looks <= (shift == 0 ? 1 : 21))
                let at = try #require(point)
                #expect(at.start.rawValue <= target)
                #expect(at.start.rawValue > target - 100 * 256)
                #expect(found.contains { $0.offset == at.offset && $0.start == at.start })
            }
        }
    }

    @Test("A search that reads only noise ends")
    func noise() throws {
        let bytes = FLACBuilder(blockSize: 256).stream(frames: 600)
        let (parser, _) = self.parsed(bytes)
        let map = try #require(parser.seekMap(length: nil))
        var generator = SeededGenerator(seed: 2)
        let noise = bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
        for target in [Int64(0), 1000, 80_000, 150_000] {
            let (point, looks) = self.search(map, target, in: noise)
            #expect(point != nil)
            #expect(looks <= 20)
        }
    }
}
