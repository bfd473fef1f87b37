// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("An MP4 file that is cut, damaged or hostile")
struct MP4ChunkingTests {
    private func parse(_ bytes: [UInt8], sizes: () -> Int = { .max }) -> ParserDriver.Outcome {
        let limits = AudioStreamLimits(packet: 1 << 16, tag: 1 << 16, index: 1 << 20)
        return ParserDriver.parse(
            bytes,
            sizes: sizes,
            with: MP4Parser(limits: limits, length: Int64(bytes.count))
        )
    }

    private func file(_ layout: MP4File.Layout) -> [UInt8] {
        var file = MP4File(layout: layout)
        file.edits = [[0, 1_024, 0x1_0000]]
        file.user = MP4TagTests.list(MP4TagTests.text("©nam", "Title"))
        return file.bytes
    }

    @Test("Chunks of any size give the same packets", arguments: MP4File.Layout.allCases)
    func chunking(_ layout: MP4File.Layout) {
        let bytes = self.file(layout)
        let whole = self.parse(bytes)
        #expect(whole.packets.count == 8)
        #expect(firstDifference(self.parse(bytes, sizes: { 1 }), whole) == nil)
        let wrong = (1..<bytes.count).filter { split in
            var sizes = [split]
            return self.parse(bytes) { sizes.popLast() ?? .max } != whole
        }
        #expect(wrong.isEmpty)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let outcome = self.parse(bytes) { Int.random(in: 1...90, using: &generator) }
            #expect(firstDifference(outcome, whole) == nil)
        }
    }

    @Test("Without a known length, the index's duration is exact only after its last sample")
    func unknownLength() {
        let bytes = self.file(.indexFirst)
        let certainties = { (bytes: [UInt8]) in
            let parser = MP4Parser(limits: AudioStreamLimits(), length: nil)
            return ParserDriver.parse(bytes, with: parser).formats.map { $0.duration?.certainty }
        }
        #expect(certainties(bytes) == [.declared, .exact])
        #expect(certainties(Array(bytes.dropLast())) == [.declared, .estimated])
        #expect(self.parse(bytes).formats.map { $0.duration?.certainty } == [.exact])
    }

    @Test("The length of a file that is cut within a packet counts the earlier packets")
    func cutPacket() {
        let bytes = self.file(.indexFirst)
        for cut in [1, 39, 40, 41, 60] {
            let outcome = self.parse(Array(bytes.dropLast(cut)))
            let heard = outcome.packets.reduce(SampleCount.zero) {
                $0 + $1.duration - $1.trimStart - $1.trimEnd
            }
            #expect(outcome.formats.first?.duration == AudioDuration(heard, .estimated), "\(cut)")
        }
    }

    @Test(
        "A file that is cut anywhere gives the earlier packets, or an error",
        arguments: MP4File.Layout.allCases
    )
    func truncation(_ layout: MP4File.Layout) {
        let bytes = self.file(layout)
        let whole = self.parse(bytes).packets
        for count in 0..<bytes.count {
            let outcome = self.parse(Array(bytes[..<count]))
            let packets = outcome.packets
            let isFront = packets.map(\.payload) == whole.prefix(packets.count).map(\.payload)
            #expect(isFront, "cut at \(count)")
            let isTold = outcome.error != nil || !outcome.troubles.isEmpty || layout == .fragments
            #expect(isTold, "cut at \(count)")
        }
    }

    @Test("Any wrong byte ends in packets or an error", arguments: MP4File.Layout.allCases)
    func corruption(_ layout: MP4File.Layout) {
        let bytes = self.file(layout)
        var most = 0
        var firstOffset = Int64.max
        for index in bytes.indices {
            for value in [0, 0xFF, bytes[index] ^ 0x80, bytes[index] ^ 1] {
                var damaged = bytes
                damaged[index] = value
                let outcome = self.parse(damaged)
                most = max(most, outcome.events.count)
                if let error = outcome.error { firstOffset = min(firstOffset, error.offset) }
            }
        }
        #expect(most <= 2 * bytes.count)
        #expect(firstOffset >= 0)
    }

    @Test(
        "Sizes and counts of all ones end in an error or without a packet",
        arguments: MP4File.Layout.allCases
    )
    func ones(_ layout: MP4File.Layout) {
        let bytes = self.file(layout)
        var most = 0
        for index in 0..<bytes.count - 4 {
            for value: UInt8 in [0xFF, 0x7F, 0] {
                var damaged = bytes
                damaged[index] = value
                for next in 1..<4 { damaged[index + next] = value == 0 ? 0 : 0xFF }
                most = max(most, self.parse(damaged).events.count)
            }
        }
        #expect(most <= 2 * bytes.count)
    }

    @Test("Boxes nested a thousand deep are not followed")
    func nesting() {
        var box = MP4Bytes.box("free", [])
        for index in 0..<1_000 {
            box = MP4Bytes.box(["moov", "trak", "mdia", "udta", "meta"][index % 5], box)
        }
        #expect(self.parse(MP4Bytes.box("moov", box)).error?.code == .unsupported)
    }

    @Test("A box that is larger than its parent is an error with its offset")
    func largeBox() {
        let bytes = MP4Bytes.box("moov", MP4Bytes.u32(100) + Array("trak".utf8))
        #expect(
            self.parse(bytes).error
                == AudioStreamError(.malformed, at: 8, "A box does not fit into the box around it")
        )
    }

    @Test("An index beyond the limit is an error before it is held")
    func largeIndex() {
        let bytes = MP4Bytes.u32(2 << 20) + Array("moov".utf8) + [0]
        #expect(self.parse(bytes).error?.code == .limit)
    }

    @Test("Two thousand million samples of one size end with the stream")
    func manySamples() {
        let file = MP4File(layout: .indexFirst)
        var movie = file.movie(dataAt: 0)
        func replace(_ type: String, at place: Int, _ values: [Int]) {
            guard
                let start = (0..<movie.count - 4).first(where: {
                    Array(movie[$0..<$0 + 4]) == Array(type.utf8)
                })
            else { return }
            let bytes = values.flatMap { MP4Bytes.u32($0) }
            movie.replaceSubrange(start + 4 + place..<start + 4 + place + bytes.count, with: bytes)
        }
        replace("stsz", at: 4, [7, 0x7FFF_FFFF])
        replace("stts", at: 8, [0x7FFF_FFFF, 0])
        replace("stsc", at: 8, [1, 0x7FFF_FFFF])
        replace("stco", at: 8, [movie.count + 8])
        let bytes = movie + MP4Bytes.box("mdat", [UInt8](repeating: 1, count: 7 * 50 + 3))
        let outcome = self.parse(bytes)
        #expect(outcome.packets.count == 50)
        #expect(outcome.troubles.map(\.kind) == [.truncated])
        var parser = MP4Parser(limits: AudioStreamLimits(), length: nil)
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        _ = try? parser.next(&window)
        guard case .found? = parser.seekMap(length: nil)?.search(for: 5_000).step else {
            Issue.record("nothing found")
            return
        }
        #expect(parser.seekMap(length: nil)?.time(at: Int64(bytes.count))?.start == 0)
    }

    @Test("Samples without bytes give no packets, whatever their number")
    func emptySamples() {
        let file = MP4File(layout: .fragments)
        let run = MP4Bytes.full("trun", flags: 0, MP4Bytes.u32(0xFFFF_FFFF))
        let fragment = MP4Bytes.box(
            "moof",
            MP4Bytes.full("mfhd", MP4Bytes.u32(1)),
            MP4Bytes.box(
                "traf",
                MP4Bytes.full("tfhd", flags: 0x2_0000, MP4Bytes.u32(1)),
                run,
                run,
                run
            )
        )
        let outcome = self.parse(file.bytes + fragment)
        #expect(outcome.packets.count == 8)
        #expect(outcome.error == nil)
    }

    @Test("A packet beyond the limit is skipped")
    func largePacket() {
        var file = MP4File(layout: .indexFirst)
        file.sizes = [5, 70_000, 6]
        let outcome = self.parse(file.bytes)
        #expect(outcome.packets.map(\.payload.count) == [5, 6])
        #expect(outcome.troubles.map(\.kind) == [.tooLarge])
    }
}
