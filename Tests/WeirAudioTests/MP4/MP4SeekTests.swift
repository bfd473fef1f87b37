// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("Finding times in an MP4 file")
struct MP4SeekTests {
    /// Parses up to the first packet, and returns the seek map.
    private func map(_ bytes: [UInt8]) -> SeekMap? {
        var parser = MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        window.finish()
        while let event = try? parser.next(&window) {
            if case .packet = event { break }
            guard case .wanted(let offset) = event else { continue }
            window.jump(to: offset)
            window.push(ByteMemory(copying: bytes[Int(offset)...]))
            window.finish()
        }
        return parser.seekMap(length: Int64(bytes.count))
    }

    @Test("Tables give every packet", arguments: [MP4File.Layout.indexFirst, .indexLast])
    func tables(_ layout: MP4File.Layout) throws {
        var file = MP4File(layout: layout)
        file.edits = [[0, 1_024, 0x1_0000]]
        let bytes = file.bytes
        let packets = ParserDriver.parse(
            bytes,
            with: MP4Parser(limits: AudioStreamLimits(), length: nil)
        ).packets
        let map = try #require(self.map(bytes))
        for time in stride(from: Int64(-2_000), to: 9_000, by: 37) {
            let expected = packets.last { $0.start.rawValue <= time } ?? packets[0]
            guard case .found(let point) = map.search(for: SampleCount(time)).step else {
                Issue.record("tables need no reading")
                return
            }
            #expect(
                point
                    == SeekPoint(offset: expected.offset, start: expected.start, precision: .exact)
            )
            #expect(map.time(at: point.offset) == point)
        }
    }

    @Test("The index at the end of the file gives the fragments")
    func fragments() throws {
        let file = MP4File(layout: .fragments)
        var bytes = file.bytes
        let starts = (4..<bytes.count - 4).filter {
            Array(bytes[$0..<$0 + 4]) == Array("moof".utf8)
        }.map { $0 - 4 }
        var rows: [UInt8] = []
        for (index, start) in starts.enumerated() {
            rows += MP4Bytes.u32(index * 3 * 1_024) + MP4Bytes.u32(start) + [1, 1, 1]
        }
        let table = MP4Bytes.full(
            "tfra",
            MP4Bytes.u32(1),
            MP4Bytes.u32(0),
            MP4Bytes.u32(starts.count),
            rows
        )
        let size = 8 + table.count + 16
        bytes += MP4Bytes.box("mfra", table, MP4Bytes.full("mfro", MP4Bytes.u32(size)))
        let map = try #require(self.map(bytes))
        for (time, fragment) in [
            (0, 0), (3_071, 0), (3_072, 1), (6_143, 1), (6_144, 2), (99_999, 2),
        ] {
            var search = map.search(for: SampleCount(Int64(time)))
            var reads = 0
            while case .read(let range) = search.step {
                reads += 1
                search.read(
                    ByteMemory(copying: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                )
            }
            #expect(reads <= 1)
            let start = SampleCount(Int64(fragment * 3 * 1_024))
            let offset = Int64(starts[fragment])
            #expect(
                search.step == .found(SeekPoint(offset: offset, start: start, precision: .table))
            )
        }
    }

    @Test("A segment index gives the places of segments")
    func segments() {
        var map = MP4FragmentMap()
        let rows = [100, 1_000, 0, 200, 2_000, 0, 300, 500, 0].flatMap { MP4Bytes.u32($0) }
        let head =
            [1, 1_000, 0, 50].flatMap { MP4Bytes.u32($0) } + MP4Bytes.u16(0) + MP4Bytes.u16(3)
        let content = [UInt8](repeating: 0, count: 4) + head + rows
        let end = ByteMemory(content).withView { view in
            map.read(
                MP4Box(type: "sidx", content: view, offset: 1_008),
                unitsPerSecond: 2_000,
                shift: 9
            )
        }
        #expect(end == 7_009)
        let first = Int64(1_008 + content.count + 50)
        #expect(map.marks.map(\.offset) == [first, first + 100, first + 300])
        #expect(map.marks.map(\.time) == [9, 2_009, 6_009])
        #expect(map.mark(at: 6_008)?.offset == first + 100)
    }

    @Test("A stream without an end keeps a limited number of fragments")
    func endless() {
        var map = MP4FragmentMap()
        for index in 0..<100_000 {
            let time = Int64(index) * 10
            map.add(MP4FragmentMap.Mark(offset: time, time: time), end: time + 10)
        }
        #expect(map.marks.count < MP4FragmentMap.capacity)
        #expect(map.marks.first?.time == 0)
        #expect(map.end == 1_000_000)
    }
}
