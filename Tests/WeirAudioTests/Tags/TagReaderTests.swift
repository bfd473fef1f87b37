// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Tags in a stream")
struct TagReaderTests {
    private static let small = TagBytes.id3v2(
        4,
        [
            TagBytes.frame(4, "TIT2", [3] + TagBytes.ascii("é")),
            TagBytes.frame(4, "TPE1", [0, 0x41]),
        ],
        flags: 0x10
    )

    /// Every kind of tag, and bytes that are not a tag.
    private static let stream: [UInt8] =
        Self.small + Self.small
        + TagBytes.id3v2(3, [TagBytes.frame(3, "TALB", [0, 0x42])], padding: 20)
        + [0xFF, 0xFB, 0x90, 0x64, 0x49, 0x44, 0x33, 0x54, 0x41, 0x47, 0x00, 0x41, 0x4C]
        + TagBytes.ape([("Title", 0, [0x54]), ("Artist", 0, TagBytes.ascii("a\0b"))])
        + [1, 2, 3]
        + TagBytes.ape([("Title", 0, [0x54])], hasHeader: false)
        + TagBytes.lyrics3([("LYR", "la la"), ("EAL", "Album")])
        + TagBytes.id3v1(title: "Téa", artist: "A", track: 3, genre: 17)

    @Test("All kinds of tags are found at their places")
    func kinds() throws {
        let walk = TagWalk(Self.stream)
        #expect(
            walk.tags.map(\.kind) == [.id3v2, .id3v2, .id3v2, .ape, .ape, .lyrics3, .id3v1]
        )
        #expect(walk.others.count == 16)
        #expect(walk.tags.first?.range == 0..<Int64(Self.small.count))
        #expect(walk.tags.last?.range.upperBound == Int64(Self.stream.count))
        try #require(walk.tags.count == 7)
        #expect(walk.tags[3].values("Artist") == ["a", "b"])
        #expect(
            walk.tags[5].fields == [
                AudioTagField("LYR", ["la la"]), AudioTagField("EAL", ["Album"]),
            ]
        )
    }

    @Test("Chunks of any size give the same events")
    func chunks() {
        let whole = TagWalk(Self.stream)
        #expect(TagWalk(Self.stream, sizes: { 1 }) == whole)
        for split in 1..<Self.stream.count {
            var sizes = [split, .max].makeIterator()
            #expect(
                TagWalk(Self.stream, sizes: { sizes.next() ?? .max }) == whole,
                "split at \(split)"
            )
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let walk = TagWalk(Self.stream, sizes: { Int.random(in: 1...40, using: &random) })
            #expect(walk == whole)
        }
    }

    @Test("A stream that is cut anywhere gives the same events for chunks of any size")
    func truncations() {
        for count in 0...Self.stream.count {
            let part = Array(Self.stream.prefix(count))
            let whole = TagWalk(part)
            #expect(!whole.others.contains(-1), "\(count)")
            #expect(TagWalk(part, sizes: { 1 }) == whole, "\(count)")
        }
    }

    @Test("A stream with any changed byte gives the same events for chunks of any size")
    func corruptions() {
        for index in Self.stream.indices {
            for mask in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var bytes = Self.stream
                bytes[index] ^= mask
                let whole = TagWalk(bytes)
                #expect(!whole.others.contains(-1))
                guard mask == 0xFF else { continue }
                #expect(TagWalk(bytes, sizes: { 7 }) == whole, "byte \(index)")
            }
        }
    }

    @Test("Random bytes behind the start of a tag end in events")
    func randomTags() {
        var random = SeededGenerator(seed: 21)
        let starts = [
            TagBytes.ascii("ID3") + [2, 0, 0], TagBytes.ascii("ID3") + [3, 0, 0xC0],
            TagBytes.ascii("ID3") + [4, 0, 0xC0], TagBytes.ascii("APETAGEX"),
            TagBytes.ascii("LYRICSBEGIN"), TagBytes.ascii("TAG"), [],
        ]
        for run in 0..<2000 {
            var bytes = starts[run % starts.count]
            if bytes.first == 0x49 {
                bytes += TagBytes.synchsafe(Int.random(in: 0..<300, using: &random))
            }
            let isText = run % 2 == 0
            for _ in 0..<200 {
                bytes.append(
                    isText
                        ? [0, 1, 0x41, 0x54, 0x49, 0x32, 0x30].randomElement(using: &random) ?? 0
                        : UInt8.random(in: 0...255, using: &random)
                )
            }
            let whole = TagWalk(bytes)
            #expect(!whole.others.contains(-1))
            #expect(TagWalk(bytes, sizes: { 13 }) == whole, "run \(run)")
        }
    }

    @Test("A tag larger than the limit is skipped without being held")
    func tooLarge() {
        let tag = TagBytes.id3v2(
            4,
            [TagBytes.frame(4, "TIT2", [3] + [UInt8](repeating: 0x41, count: 500))]
        )
        let walk = TagWalk(tag + Self.small, limits: AudioStreamLimits(tag: 400), sizes: { 50 })
        #expect(walk.troubles == [.tooLarge])
        #expect(walk.tags.count == 1)
        #expect(walk.tags.first?.range.lowerBound == Int64(tag.count))
    }

    @Test("The readable part of a tag that the end cuts is read, and trouble is reported")
    func cutTag() {
        let walk = TagWalk(Array(Self.small.prefix(24)))
        #expect(walk.tags.first?.title == "é")
        #expect(walk.tags.first?.artist == nil)
        #expect(walk.troubles == [.truncated])
    }

    @Test("A tag of an unknown version is skipped as bad")
    func unknownVersion() {
        let tag = TagBytes.id3v2(5, [[1, 2, 3]])
        let walk = TagWalk(tag + [9])
        #expect(walk.troubles == [.badTag])
        #expect(walk.others == [Int64(tag.count)])
    }

    @Test("The fixed fields of ID3v1 have the names of ID3v2")
    func id3v1() {
        let fields = TagWalk(TagBytes.id3v1(title: "T\u{E9} ", track: 32, genre: 17)).tags.first?
            .fields
        #expect(
            fields == [
                AudioTagField("TIT2", ["Té"]), AudioTagField("TDRC", ["1999"]),
                AudioTagField("TRCK", ["32"]), AudioTagField("TCON", ["Rock"]),
            ]
        )
        let enhanced = TagBytes.ascii("TAG+") + [UInt8](repeating: 0, count: 223)
        let walk = TagWalk(enhanced + TagBytes.id3v1(title: "+x"))
        #expect(walk.troubles == [.badTag])
        #expect(walk.tags.first?.title == "+x")
    }

    @Test("Bytes with control characters behind TAG are not taken for a tag")
    func noID3v1() {
        let walk = TagWalk(TagBytes.ascii("TAG") + [UInt8](repeating: 5, count: 200))
        #expect(walk.events.isEmpty)
    }

    @Test("Pictures of APE tags are pictures, and other binary items are only named")
    func apePictures() {
        let data: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
        let tag = TagWalk(
            TagBytes.ape([
                ("Cover Art (Front)", 2, TagBytes.ascii("f.jpg\0") + data), ("Blob", 2, [0, 1]),
                ("Link", 4, TagBytes.ascii("http://x/")),
            ])
        ).tags.first
        #expect(tag?.frontCover?.kind == 3)
        #expect(tag?.frontCover?.mediaType == "image/jpeg")
        #expect(tag?.frontCover?.data.array == data)
        #expect(tag?.fields == [AudioTagField("Blob", []), AudioTagField("Link", ["http://x/"])])
    }

    @Test("Lyrics3 of version 1 ends at LYRICSEND")
    func firstLyrics() {
        let walk = TagWalk(TagBytes.ascii("LYRICSBEGINLa la LYRICS lalaLYRICSENDx"))
        #expect(walk.tags.first?.lyrics == "La la LYRICS lala")
        #expect(walk.others == [37])
    }
}
