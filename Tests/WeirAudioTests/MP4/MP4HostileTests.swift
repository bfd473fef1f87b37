// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MP4 files with the largest numbers")
struct MP4HostileTests {
    private static let largest = 0xFFFF_FFFF

    private func parse(_ bytes: [UInt8]) -> ParserDriver.Outcome {
        ParserDriver.parse(bytes, with: MP4Parser(limits: AudioStreamLimits(), length: nil))
    }

    /// A file with only an index: one chunk at offset 0, with `count` samples of `duration` units
    /// each.
    private func index(
        count: Int,
        size: Int,
        duration: Int = 1,
        scale: Int = 44_100,
        movieScale: Int = 1_000,
        edits: [[Int]] = [],
        user: [UInt8] = []
    ) -> [UInt8] {
        let times = MP4Bytes.table("stts", rows: [[count, duration]])
        let tables = MP4Bytes.box(
            "stbl",
            MP4Bytes.full("stsd", MP4Bytes.u32(1), MP4File.aacEntry),
            times + MP4Bytes.table("stsc", rows: [[1, count, 1]]),
            MP4Bytes.full("stsz", MP4Bytes.u32(size), MP4Bytes.u32(count)),
            MP4Bytes.table("stco", rows: [[0]])
        )
        let rows = edits.flatMap { MP4Bytes.u64($0[0]) + MP4Bytes.u64($0[1]) + MP4Bytes.u32(1) }
        let list = MP4Bytes.full("elst", version: 1, MP4Bytes.u32(edits.count), rows)
        let header = [0, 0, scale, 0, 0].flatMap { MP4Bytes.u32($0) }
        let handler = MP4Bytes.u32(0) + Array("soun".utf8) + [UInt8](repeating: 0, count: 13)
        let track = MP4Bytes.box(
            "trak",
            MP4Bytes.full("tkhd", flags: 1, [UInt8](repeating: 0, count: 80)),
            edits.isEmpty ? [] : MP4Bytes.box("edts", list),
            MP4Bytes.box(
                "mdia",
                MP4Bytes.full("mdhd", header),
                MP4Bytes.full("hdlr", handler),
                MP4Bytes.box("minf", tables)
            )
        )
        let movie = [0, 0, movieScale, 0].flatMap { MP4Bytes.u32($0) }
        return MP4Bytes.box("moov", MP4Bytes.full("mvhd", movie), track, user)
    }

    @Test("Samples that are too large are reported as their bytes come, not all 2^32 at once")
    func tooLarge() {
        let outcome = self.parse(self.index(count: Self.largest, size: Self.largest))
        #expect(outcome.troubles.map(\.kind) == [.tooLarge, .truncated])
        #expect(outcome.error == nil)
    }

    @Test("Another track's run, too long for an Int64 of bytes, is reported, and nothing more")
    func foreignRun() {
        let run = MP4Bytes.full("trun", MP4Bytes.u32(Self.largest))
        let header = MP4Bytes.full(
            "tfhd",
            flags: 0x10,
            MP4Bytes.u32(7) + MP4Bytes.u32(Self.largest)
        )
        let fragment = MP4Bytes.box(
            "moof",
            MP4Bytes.full("mfhd", MP4Bytes.u32(1)),
            MP4Bytes.box("traf", header, run)
        )
        let outcome = self.parse(MP4File().movie(dataAt: nil) + fragment)
        #expect(outcome.troubles.map(\.kind) == [.contradiction])
    }

    @Test("An edit list that starts behind all samples leaves no sound")
    func lateEdit() {
        let outcome = self.parse(
            self.index(
                count: Self.largest,
                size: 1,
                duration: 1 << 28,
                scale: 1,
                edits: [[0, 1 << 59]]
            )
        )
        // No samples follow the index, so the last duration is an estimate.
        #expect(outcome.formats.map { $0.duration?.certainty } == [.declared, .estimated])
    }

    @Test("An empty edit of 2^61 seconds beside a sample count in iTunSMPB keeps one duration")
    func emptyTime() {
        let name =
            MP4Bytes.full("mean", Array("com.apple.iTunes".utf8))
            + MP4Bytes.full("name", Array("iTunSMPB".utf8))
        let text = " 00000000 00000000 00000000 000000000006BAA8 0 0"
        let value = MP4Bytes.box("data", MP4Bytes.u32(1), MP4Bytes.u32(0), Array(text.utf8))
        let list = MP4Bytes.box("ilst", MP4Bytes.box("----", name, value))
        let handler = MP4Bytes.full("hdlr", [UInt8](repeating: 0, count: 21))
        let outcome = self.parse(
            self.index(
                count: 100,
                size: 1,
                scale: 1,
                movieScale: 1,
                edits: [[1 << 61, -1], [10, 0]],
                user: MP4Bytes.box("udta", MP4Bytes.full("meta", handler, list))
            )
        )
        #expect(Set(outcome.formats.map { $0.duration?.samples }).count == 1)
        #expect(outcome.tags.count == 1)
    }
}
