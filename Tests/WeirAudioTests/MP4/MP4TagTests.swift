// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The tags of an MP4 file")
struct MP4TagTests {
    @Test(
        "The number of a genre is one more than in ID3v1, and the field holds its name",
        arguments: [(18, "Rock"), (1, "Blues"), (0, "0"), (9_999, "9999")]
    )
    func genre(_ number: Int, _ name: String) {
        var file = MP4File()
        file.user = Self.list(MP4Bytes.box("gnre", Self.data(0, MP4Bytes.u16(number))))
        let outcome = ParserDriver.parse(
            file.bytes,
            with: MP4Parser(limits: AudioStreamLimits(), length: nil)
        )
        #expect(outcome.tags.first?.genres == [name])
    }

    static func list(_ items: [UInt8]...) -> [UInt8] {
        let handler = MP4Bytes.full(
            "hdlr",
            MP4Bytes.u32(0),
            Array("mdirappl".utf8),
            [UInt8](repeating: 0, count: 9)
        )
        return MP4Bytes.full("meta", handler, MP4Bytes.box("ilst", items.flatMap { $0 }))
    }

    static func data(_ kind: Int, _ value: [UInt8]) -> [UInt8] {
        MP4Bytes.box("data", MP4Bytes.u32(kind), MP4Bytes.u32(0), value)
    }

    static func text(_ name: String, _ value: String) -> [UInt8] {
        MP4Bytes.box(name, self.data(1, Array(value.utf8)))
    }

    static func freeform(_ name: String, _ values: String...) -> [UInt8] {
        MP4Bytes.box(
            "----",
            MP4Bytes.full("mean", Array("com.apple.iTunes".utf8)),
            MP4Bytes.full("name", Array(name.utf8)),
            values.flatMap { self.data(1, Array($0.utf8)) }
        )
    }

    private func tags(_ user: [UInt8]) -> (tags: AudioTags?, troubles: [AudioStreamFailure]) {
        let outcome = ParserDriver.parse(
            MP4File(user: user).bytes,
            with: MP4Parser(
                limits: AudioStreamLimits(packet: 1 << 16, tag: 4_096, index: 1 << 20),
                length: nil
            )
        )
        #expect(outcome.packets.count == 8)
        return (outcome.tags.first, outcome.troubles)
    }

    @Test("Fields keep their names, and numbers become text")
    func fields() {
        let user = Self.list(
            Self.text("©nam", "Tïtle"),
            Self.text("aART", "Artist"),
            MP4Bytes.box("trkn", Self.data(0, [0, 0, 0, 3, 0, 12, 0, 0])),
            MP4Bytes.box("disk", Self.data(0, [0, 0, 0, 1, 0, 0])),
            MP4Bytes.box("cpil", Self.data(21, [1])),
            MP4Bytes.box("tmpo", Self.data(21, [0, 128])),
            MP4Bytes.box("neg ", Self.data(21, [0xFF, 0xFE])),
            MP4Bytes.box("wide", Self.data(2, [0, 0x41, 0x26, 0x3A])),
            Self.freeform("LABEL", "one", "two")
        )
        let (tags, troubles) = self.tags(user)
        #expect(troubles.isEmpty)
        #expect(tags?.kind == .mp4)
        #expect(
            tags?.fields == [
                AudioTagField("©nam", ["Tïtle"]),
                AudioTagField("aART", ["Artist"]),
                AudioTagField("trkn", ["3/12"]),
                AudioTagField("disk", ["1"]),
                AudioTagField("cpil", ["1"]),
                AudioTagField("tmpo", ["128"]),
                AudioTagField("neg ", ["-2"]),
                AudioTagField("wide", ["A☺"]),
                AudioTagField("----:com.apple.iTunes:LABEL", ["one", "two"]),
            ]
        )
    }

    @Test("Pictures have the media type of their kind, or of their first bytes")
    func pictures() {
        let user = Self.list(
            MP4Bytes.box(
                "covr",
                Self.data(13, [1, 2]),
                Self.data(14, [3]),
                Self.data(0, [0xFF, 0xD8, 0xFF, 0xE0])
            )
        )
        let pictures = self.tags(user).tags?.pictures
        #expect(pictures?.map(\.mediaType) == ["image/jpeg", "image/png", "image/jpeg"])
        #expect(pictures?.first?.data.array == [1, 2])
        #expect(pictures?.first?.kind == 3)
    }

    @Test("Chapters of Nero and texts of QuickTime are read")
    func others() {
        let chapters = MP4Bytes.full(
            "chpl",
            version: 1,
            MP4Bytes.u32(0) + [2] + MP4Bytes.u64(0) + [3] + Array("One".utf8),
            MP4Bytes.u64(15_000_000) + [0]
        )
        let text = MP4Bytes.box("©ART", MP4Bytes.u16(2) + MP4Bytes.u16(0x55C4) + Array("Me".utf8))
        let tags = self.tags(chapters + text + MP4Bytes.u32(0)).tags
        #expect(
            tags?.chapters == [
                AudioChapter(startMilliseconds: 0, endMilliseconds: nil, title: "One"),
                AudioChapter(startMilliseconds: 1_500, endMilliseconds: nil, title: ""),
            ]
        )
        #expect(tags?.fields == [AudioTagField("©ART", ["Me"])])
    }

    @Test("A damaged or too large tag is skipped, and the audio is not")
    func damage() {
        let broken = Self.list(MP4Bytes.u32(500) + Array("©nam".utf8.dropFirst()))
        #expect(self.tags(broken).troubles.map(\.kind) == [.badTag])
        let large = Self.list(Self.text("©lyr", String(repeating: "x", count: 5_000)))
        #expect(self.tags(large).troubles.map(\.kind) == [.tooLarge])
    }
}
