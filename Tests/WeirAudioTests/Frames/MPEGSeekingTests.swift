// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MPEG audio: times and bytes")
struct MPEGSeekingTests {
    /// Parses up to a number of packets, and returns the seek map.
    private static func map(_ bytes: [UInt8], packets: Int) throws -> SeekMap {
        var parser = MPEGAudioParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        window.finish()
        var count = 0
        while count < packets, let event = try parser.next(&window) {
            if case .packet = event { count += 1 }
        }
        return try #require(parser.seekMap(length: Int64(bytes.count)))
    }

    /// Finds a time, and counts the reads.
    private static func find(_ time: Int64, _ map: SeekMap, _ bytes: [UInt8]) -> (
        SeekPoint?, reads: Int
    ) {
        var search = map.search(for: SampleCount(time))
        for reads in 0..<10 {
            switch search.step {
            case .found(let point): return (point, reads)
            case .read(let range):
                #expect(range.count <= 64 << 10 && range.lowerBound >= 0)
                search.read(
                    ByteMemory(
                        copying: bytes[
                            Int(range.lowerBound)..<min(bytes.count, Int(range.upperBound))
                        ]
                    )
                )
            }
        }
        return (nil, 10)
    }

    @Test("Without a first frame there is no map")
    func none() {
        let parser = MPEGAudioParser(limits: AudioStreamLimits(), length: nil)
        #expect(parser.seekMap(length: 1000) == nil)
    }

    @Test("With a tag and a constant bit rate, at most one read finds any time exactly")
    func constant() throws {
        var builder = MPEGStreamBuilder()
        var bytes = builder.tagFrame(frames: 300, bytes: nil)
        var offsets: [Int64] = []
        // Pads frames as an encoder does, so that the average is 128 kbit/s.
        var lag = 0
        for _ in 0..<300 {
            lag += 144 * 128_000 % 44_100
            let isPadded = lag >= 44_100
            if isPadded { lag -= 44_100 }
            offsets.append(Int64(bytes.count))
            bytes += builder.frame(isPadded ? 0xFFFB_9200 : nil)
        }
        let map = try Self.map(bytes, packets: 2)
        for index in 0..<300 {
            let (point, reads) = Self.find(Int64(index) * 1152 + 700, map, bytes)
            #expect(
                point?.offset == offsets[index] && point?.start == SampleCount(Int64(index) * 1152)
            )
            #expect(point?.precision == .exact && reads <= 1)
            let back = map.time(at: offsets[index])
            #expect(back?.start == SampleCount(Int64(index) * 1152))
        }
        #expect(Self.find(.max, map, bytes).0?.start == 344448)
        #expect(Self.find(.min, map, bytes).0?.offset == offsets[0])
    }

    @Test("Every parsed time is found exactly, whatever the bit rate")
    func parsed() throws {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        var offsets: [Int64] = []
        for index in 0..<5000 {
            offsets.append(Int64(bytes.count))
            bytes += builder.frame(0xFFFB_0000 | UInt32(1 + index % 3) << 12)
        }
        let map = try Self.map(bytes, packets: .max)
        for index in stride(from: 0, to: 5000, by: 37) {
            let (point, reads) = Self.find(Int64(index) * 1152 + 1151, map, bytes)
            #expect(
                point
                    == SeekPoint(
                        offset: offsets[index],
                        start: SampleCount(Int64(index) * 1152),
                        precision: .exact
                    )
            )
            #expect(reads <= 1)
        }
    }

    @Test("Xing's table is interpolated linearly, from time to offset and from offset to time")
    func table() throws {
        var builder = MPEGStreamBuilder()
        // The first half of the time takes three quarters of the bytes.
        let table = (0..<100).map { (part: Int) -> UInt8 in
            let place: Int = part < 50 ? part * 192 / 50 : 192 + (part - 50) * 64 / 50
            return UInt8(place)
        }
        let total = 1000 * 417
        let bytes =
            builder.tagFrame("Xing", frames: 1000, bytes: total, table: table) + builder.frames(999)
        let map = try Self.map(bytes, packets: 1)
        let (point, reads) = Self.find(500 * 1152, map, bytes)
        #expect(
            point == SeekPoint(offset: Int64(192 * total / 256), start: 576000, precision: .table)
        )
        #expect(reads == 0)
        let quarter = Self.find(255 * 1152, map, bytes).0
        let part = Int64(total) / 256
        let expected = (Int64(table[25]) + Int64(table[26])) / 2 * part
        let found = quarter?.offset ?? 0
        #expect(abs(found - expected) < 2 * part)
        let back = map.time(at: point?.offset ?? 0)
        #expect(back?.start == 576000 && back?.precision == .table)
    }

    @Test("Without a tag and with varying rates, the average rate gives an estimated offset")
    func average() throws {
        var builder = MPEGStreamBuilder()
        var bytes: [UInt8] = []
        for index in 0..<400 { bytes += builder.frame(index % 2 == 0 ? nil : 0xFFFB_5000) }
        let map = try Self.map(bytes, packets: 40)
        let (point, _) = Self.find(300 * 1152, map, bytes)
        #expect(point?.precision == .estimated)
        let found = point?.offset ?? 0
        let expected = Int64(bytes.count) * 3 / 4
        let distance = abs(found - expected)
        #expect(distance < 1000)
    }
}
