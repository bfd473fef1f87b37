// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("FLAC metadata")
struct FLACMetadataTests {
    private let builder = FLACBuilder()
    private var frames: [UInt8] {
        Array(self.builder.stream(frames: 3).dropFirst(self.builder.head.count))
    }

    private func parse(
        _ blocks: [UInt8]...,
        length: Int64? = nil,
        limits: AudioStreamLimits = AudioStreamLimits()
    )
        -> ParserDriver.Outcome
    {
        let bytes = Array("fLaC".utf8) + blocks.flatMap(\.self) + self.frames
        let whole = ParserDriver.parse(bytes, with: FLACParser(limits: limits, length: length))
        let single = ParserDriver.parse(
            bytes,
            sizes: { 1 },
            with: FLACParser(limits: limits, length: length)
        )
        #expect(firstDifference(whole, single) == nil)
        return whole
    }

    @Test("Padding, applications and seek tables are skipped")
    func passedOver() {
        let outcome = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(1, [UInt8](repeating: 0, count: 5000)),
            FLACBuilder.block(2, Array("abcd".utf8) + [0xFF, 0xF8]),
            FLACBuilder.block(3, [UInt8](repeating: 0xFF, count: 18 * 3 + 5)),
            FLACBuilder.block(1, isLast: true, [])
        )
        #expect(outcome.packets.count == 3)
        #expect(outcome.troubles.isEmpty)
    }

    @Test("Without STREAMINFO, or with a late one, there are packets and one reported trouble")
    func order() {
        let missing = self.parse(FLACBuilder.block(1, isLast: true, [0, 0, 0, 0]))
        #expect(missing.packets.count == 3)
        #expect(missing.troubles.map(\.kind) == [.contradiction])
        #expect(missing.formats.first?.configuration == [])
        let late = self.parse(
            FLACBuilder.block(1, [0]),
            FLACBuilder.block(0, isLast: true, self.builder.info)
        )
        #expect(late.packets.count == 3)
        #expect(late.troubles.map(\.kind) == [.contradiction])
        let twice = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(0, isLast: true, FLACBuilder(sampleRate: 8000).info)
        )
        #expect(twice.packets.count == 3)
        #expect(twice.formats.first?.sampleRate == 44_100)
    }

    @Test("Blocks with a wrong size cost no frame")
    func wrongSizes() {
        for size in [0, 1, 20, 33, 35, 100] {
            let outcome = self.parse(
                FLACBuilder.block(0, isLast: true, self.builder.info, size: size)
            )
            #expect(outcome.packets.count == 3, "size \(size)")
            #expect(!outcome.troubles.isEmpty)
        }
        let reserved = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(99, isLast: true, [1, 2, 3])
        )
        #expect(reserved.packets.count == 3)
        let endless = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(1, isLast: true, [1, 2, 3], size: 0xFF_FFFF),
            length: 1000
        )
        #expect(endless.packets.count == 3)
    }

    @Test("A block above the limit is skipped")
    func limit() {
        var limits = AudioStreamLimits()
        limits.tag = 100
        let outcome = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(6, isLast: true, [UInt8](repeating: 0, count: 101)),
            limits: limits
        )
        #expect(outcome.packets.count == 3)
        #expect(outcome.troubles == [AudioStreamFailure(.tooLarge, 42..<147)])
    }

    @Test("The tracks of a cue sheet are chapters")
    func cueSheet() {
        func track(_ offset: UInt64, _ id: UInt64, _ indices: [(UInt64, UInt64)]) -> [UInt8] {
            var writer = BitWriter()
            writer.append(offset, 64)
            writer.append(id, 8)
            writer.bytes += [UInt8](repeating: 0, count: 26)
            writer.append(UInt64(indices.count), 8)
            for index in indices {
                writer.append(index.0, 64)
                writer.append(index.1, 8)
                writer.append(0, 24)
            }
            return writer.bytes
        }
        var sheet = [UInt8](repeating: 0, count: 395) + [3]
        sheet += track(0, 1, [(0, 1)])
        sheet += track(44_100, 2, [(0, 0), (22_050, 1)])
        sheet += track(441_000, 170, [])
        let outcome = self.parse(
            FLACBuilder.block(0, self.builder.info),
            FLACBuilder.block(5, isLast: true, sheet)
        )
        #expect(
            outcome.tags.first?.chapters == [
                AudioChapter(startMilliseconds: 0, endMilliseconds: 1500, title: ""),
                AudioChapter(startMilliseconds: 1500, endMilliseconds: 10_000, title: ""),
            ]
        )
        for count in 0..<sheet.count {
            let chapters = ByteMemory(Array(sheet[..<count])).withView {
                AudioChapter.chapters(ofCueSheet: $0, sampleRate: 1)
            }
            #expect(chapters == nil)
        }
    }

    @Test("A seek table is kept within a limit")
    func seekTable() {
        var table = FLACSeekTable()
        func point(_ sample: UInt64, _ offset: UInt64) -> [UInt8] {
            var writer = BitWriter()
            writer.append(sample, 64)
            writer.append(offset, 64)
            writer.append(64, 16)
            return writer.bytes
        }
        for index in UInt64(0)..<100_000 {
            ByteMemory(point(index * 64, index * 100)).withView { table.append($0) }
        }
        ByteMemory(point(.max, 0)).withView { table.append($0) }
        ByteMemory(point(5, 5)).withView { table.append($0) }
        #expect(table.points.count <= FLACSeekTable.maximumCount)
        #expect(table.points.count >= FLACSeekTable.maximumCount / 2)
        for sample in [SampleCount(0), 63, 64, 100_000, 2_559_936] {
            let found = table.point(before: sample)
            #expect(found.map { $0.start <= sample && $0.start >= sample - 1024 } == true)
        }
    }
}
