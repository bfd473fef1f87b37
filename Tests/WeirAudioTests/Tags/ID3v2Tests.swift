// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("ID3v2")
struct ID3v2Tests {
    private func tag(_ bytes: [UInt8]) throws -> AudioTags {
        let walk = TagWalk(bytes)
        #expect(walk.others.isEmpty)
        return try #require(walk.tags.first)
    }

    @Test("A text frame is read in each of the four encodings")
    func encodings() throws {
        let text = "Grüße, 世界 😀"
        let contents: [([UInt8], String)] = [
            ([0] + [0x47, 0x72, 0xFC], "Grü"),
            ([1] + TagBytes.utf16(text), text),
            ([1] + TagBytes.utf16(text, isBig: true), text),
            ([2] + TagBytes.utf16(text, isBig: true, isMarked: false), text),
            ([3] + TagBytes.ascii(text), text),
            ([1] + TagBytes.utf16("ab", isMarked: false), "ab"),
        ]
        for (content, expected) in contents {
            for end in [[], [0, 0]] as [[UInt8]] {
                let frame = TagBytes.frame(3, "TIT2", content + end)
                #expect(try self.tag(TagBytes.id3v2(3, [frame])).values("TIT2") == [expected])
            }
        }
    }

    @Test("A lone surrogate and bytes that are not UTF-8 become replacement characters")
    func brokenText() throws {
        let frames = [
            TagBytes.frame(4, "TIT2", [1, 0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00]),
            TagBytes.frame(4, "TALB", [3, 0x41, 0xC3]),
        ]
        let tag = try self.tag(TagBytes.id3v2(4, frames))
        #expect(tag.title == "\u{FFFD}A")
        #expect(tag.album == "A\u{FFFD}")
    }

    @Test("NUL separates several texts, and a slash does not")
    func severalValues() throws {
        let frames = [
            TagBytes.frame(4, "TPE1", [0] + TagBytes.ascii("a\0b/c\0\0d")),
            TagBytes.frame(4, "TCOM", [1] + TagBytes.utf16("x\0") + TagBytes.utf16("y\0")),
        ]
        let tag = try self.tag(TagBytes.id3v2(4, frames))
        #expect(tag.values("TPE1") == ["a", "b/c", "", "d"])
        #expect(tag.values("TCOM") == ["x", "y"])
    }

    @Test(
        "A frame that reaches past the end of its tag gives no text",
        arguments: [2, 3, 4] as [UInt8]
    )
    func longFrame(_ version: UInt8) throws {
        let names = version == 2 ? ("TAL", "TT2", "TP1") : ("TALB", "TIT2", "TPE1")
        var title = TagBytes.frame(version, names.1, [0] + TagBytes.ascii("abc"))
        title[version == 2 ? 4 : 6] = 0x7F
        let album = TagBytes.frame(version, names.0, [0, 0x42])
        let artist = TagBytes.frame(version, names.2, [0, 0x41])
        let walk = TagWalk(TagBytes.id3v2(version, [album, title, artist]))
        #expect(walk.others.isEmpty && walk.troubles == [.badTag])
        #expect(walk.tags.map(\.fields) == [[AudioTagField("TALB", ["B"])]])
    }

    @Test("A second text without a byte order mark has the order of the first")
    func orderIsKept() throws {
        let content =
            [1] + TagBytes.utf16("a\0", isBig: true)
            + TagBytes.utf16("b", isBig: true, isMarked: false)
        let tag = try self.tag(TagBytes.id3v2(4, [TagBytes.frame(4, "TPE1", content)]))
        #expect(tag.values("TPE1") == ["a", "b"])
    }

    @Test("Zeros behind a text are padding before 2.4")
    func paddedText() throws {
        let content = [0] + TagBytes.ascii("a\0\0\0")
        let old = try self.tag(TagBytes.id3v2(3, [TagBytes.frame(3, "TPE1", content)]))
        let new = try self.tag(TagBytes.id3v2(4, [TagBytes.frame(4, "TPE1", content)]))
        #expect(old.values("TPE1") == ["a"])
        #expect(new.values("TPE1") == ["a", "", ""])
    }

    @Test("Frames with descriptions are named by them")
    func described() throws {
        let frames = [
            TagBytes.frame(3, "TXXX", [0] + TagBytes.ascii("d\0v")),
            TagBytes.frame(3, "COMM", [0] + TagBytes.ascii("engc\0text")),
            TagBytes.frame(
                3,
                "COMM",
                [1] + TagBytes.ascii("deu") + TagBytes.utf16("\0") + TagBytes.utf16("t")
            ),
            TagBytes.frame(3, "USLT", [0] + TagBytes.ascii("eng\0la\nla")),
            TagBytes.frame(3, "WXXX", [0] + TagBytes.ascii("d\0http://x/")),
            TagBytes.frame(3, "WOAR", TagBytes.ascii("http://y/\0")),
            TagBytes.frame(3, "UFID", TagBytes.ascii("owner\0id")),
            TagBytes.frame(3, "PRIV", TagBytes.ascii("p\0") + [1, 2]),
            TagBytes.frame(3, "POPM", TagBytes.ascii("a@b\0") + [200, 0, 0, 1, 0]),
            TagBytes.frame(3, "PCNT", [0, 0, 0, 7]),
            TagBytes.frame(3, "GEOB", [0] + TagBytes.ascii("text/plain\0f.txt\0d\0data")),
            TagBytes.frame(3, "XYZW", [1, 2, 3]),
        ]
        let fields = try self.tag(TagBytes.id3v2(3, frames)).fields
        #expect(
            fields == [
                AudioTagField("TXXX:d", ["v"]), AudioTagField("COMM:c:eng", ["text"]),
                AudioTagField("COMM::deu", ["t"]), AudioTagField("USLT::eng", ["la\nla"]),
                AudioTagField("WXXX:d", ["http://x/"]), AudioTagField("WOAR", ["http://y/"]),
                AudioTagField("UFID:owner", ["id"]), AudioTagField("PRIV:p", []),
                AudioTagField("POPM:a@b", ["200", "256"]), AudioTagField("PCNT", ["7"]),
                AudioTagField("GEOB:d", ["text/plain", "f.txt"]), AudioTagField("XYZW", []),
            ]
        )
    }

    @Test("Pictures are read, with the types of 2.2 as media types")
    func pictures() throws {
        let data: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 1]
        let new = TagBytes.frame(
            3,
            "APIC",
            [1] + TagBytes.ascii("image/jpeg\0\u{3}") + TagBytes.utf16("ü\0") + data
        )
        let old = TagBytes.frame(2, "PIC", [0] + TagBytes.ascii("PNG\u{4}d\0") + data)
        let first = try #require(try self.tag(TagBytes.id3v2(3, [new])).frontCover)
        let second = try #require(try self.tag(TagBytes.id3v2(2, [old])).frontCover)
        #expect(
            first
                == AudioPicture(
                    kind: 3,
                    mediaType: "image/jpeg",
                    description: "ü",
                    data: ByteMemory(data)
                )
        )
        #expect(
            second
                == AudioPicture(
                    kind: 4,
                    mediaType: "image/png",
                    description: "d",
                    data: ByteMemory(data)
                )
        )
    }

    @Test("Chapters come in order of time, with their titles")
    func chapters() throws {
        func chapter(_ name: String, _ start: Int, _ end: Int, _ title: String) -> [UInt8] {
            TagBytes.frame(
                4,
                "CHAP",
                TagBytes.ascii(name + "\0") + TagBytes.big(start) + TagBytes.big(end)
                    + TagBytes.big(-1) + TagBytes.big(-1)
                    + TagBytes.frame(4, "TIT2", [3] + TagBytes.ascii(title))
            )
        }
        let frames = [
            chapter("b", 5000, -1, "Two"), chapter("a", 0, 5000, "One"),
            TagBytes.frame(4, "CTOC", TagBytes.ascii("toc\0") + [3, 2] + TagBytes.ascii("a\0b\0")),
        ]
        let tag = try self.tag(TagBytes.id3v2(4, frames))
        #expect(
            tag.chapters == [
                AudioChapter(startMilliseconds: 0, endMilliseconds: 5000, title: "One"),
                AudioChapter(startMilliseconds: 5000, endMilliseconds: nil, title: "Two"),
            ]
        )
        #expect(tag.fields.isEmpty)
    }

    @Test("Names of 2.2 become names of 2.3, also where a program left them in 2.3")
    func oldNames() throws {
        let frames = ["TT2", "TP1", "TAL", "TYE", "TCO"].map {
            TagBytes.frame(2, $0, [0] + TagBytes.ascii("x"))
        }
        let tag = try self.tag(TagBytes.id3v2(2, frames, padding: 9))
        #expect(tag.fields.map(\.name) == ["TIT2", "TPE1", "TALB", "TYER", "TCON"])
        let short = TagBytes.frame(3, "TT2\0", [0] + TagBytes.ascii("x"))
        #expect(try self.tag(TagBytes.id3v2(3, [short])).title == "x")
    }

    @Test("Unsynchronisation is undone: in the whole tag before 2.4, in each frame from 2.4 on")
    func unsynchronised() throws {
        let content = [1] + TagBytes.utf16("\u{FF}\u{FFE0}\u{FF00}é")
        let old = TagBytes.unsynchronised(TagBytes.frame(3, "TIT2", content))
        #expect(
            try self.tag(TagBytes.id3v2(3, [old], flags: 0x80)).title == "\u{FF}\u{FFE0}\u{FF00}é"
        )
        let stored = TagBytes.unsynchronised(content)
        #expect(stored.count > content.count)
        let marked = TagBytes.frame(4, "TIT2", stored, flags: 2)
        #expect(try self.tag(TagBytes.id3v2(4, [marked])).title == "\u{FF}\u{FFE0}\u{FF00}é")
        let unmarked = TagBytes.frame(4, "TIT2", stored)
        #expect(
            try self.tag(TagBytes.id3v2(4, [unmarked], flags: 0x80)).title
                == "\u{FF}\u{FFE0}\u{FF00}é"
        )
        let length = TagBytes.synchsafe(content.count)
        let both = TagBytes.frame(4, "TIT2", length + stored, flags: 3)
        #expect(try self.tag(TagBytes.id3v2(4, [both])).title == "\u{FF}\u{FFE0}\u{FF00}é")
    }

    @Test("A false unsynchronisation flag is ignored")
    func lyingFlag() throws {
        let frame = TagBytes.frame(3, "APIC", [0] + TagBytes.ascii("a\0\u{3}\0") + [0xFF, 0xFB, 1])
        let tag = try self.tag(TagBytes.id3v2(3, [frame], flags: 0x80))
        #expect(tag.pictures.first?.data.array == [0xFF, 0xFB, 1])
    }

    @Test("Extended headers are skipped, and a missing one does no harm")
    func extendedHeaders() throws {
        let frame = TagBytes.frame(3, "TIT2", [0, 0x41])
        let extended = TagBytes.big(6) + [0, 0] + TagBytes.big(0)
        #expect(try self.tag(TagBytes.id3v2(3, [extended, frame], flags: 0x40)).title == "A")
        #expect(try self.tag(TagBytes.id3v2(3, [frame], flags: 0x40)).title == "A")
        let new = TagBytes.frame(4, "TIT2", [0, 0x41])
        let small = TagBytes.synchsafe(6) + [1, 0]
        #expect(try self.tag(TagBytes.id3v2(4, [small, new], flags: 0x40)).title == "A")
    }

    @Test("Plain sizes in 2.4, as iTunes wrote them, are recognised")
    func plainSizes() throws {
        let long = String(repeating: "x", count: 300)
        let frames = [
            TagBytes.frame(3, "TIT2", [0] + TagBytes.ascii(long)),
            TagBytes.frame(3, "TPE1", [0] + TagBytes.ascii("a")),
        ]
        let tag = try self.tag(TagBytes.id3v2(4, frames, padding: 30))
        #expect(tag.title == long)
        #expect(tag.artist == "a")
    }

    @Test("A compressed frame is named and reported as trouble, and an encrypted one is named")
    func compressed() {
        let frames = [
            TagBytes.frame(3, "TIT2", [0, 0, 0, 9, 1, 2], flags: 0x80),
            TagBytes.frame(3, "TPE1", [1, 2, 3], flags: 0x40),
            TagBytes.frame(3, "TALB", [7, 0] + TagBytes.ascii("grouped"), flags: 0x20),
        ]
        let walk = TagWalk(TagBytes.id3v2(3, frames))
        #expect(
            walk.tags.first?.fields == [
                AudioTagField("TIT2", []), AudioTagField("TPE1", []),
                AudioTagField("TALB", ["grouped"]),
            ]
        )
        #expect(walk.troubles == [.badTag])
        let encrypted = TagWalk(TagBytes.id3v2(3, [frames[1]]))
        #expect(encrypted.troubles.isEmpty)
    }

    @Test(
        "Genre numbers become names",
        arguments: [
            ("17", ["Rock"]), ("(17)", ["Rock"]), ("(4)Eurodisco", ["Disco", "Eurodisco"]),
            ("(RX)(CR)", ["Remix", "Cover"]), ("((weird)", ["(weird)"]), ("250", ["Unknown"]),
            ("Rock", ["Rock"]), ("CR", ["Cover"]), ("", []), ("(4)Disco", ["Disco"]),
        ]
    )
    func genres(_ stored: String, _ expected: [String]) throws {
        let frame = TagBytes.frame(4, "TCON", [3] + TagBytes.ascii(stored) + [0])
        let tag = try self.tag(TagBytes.id3v2(4, [frame]))
        #expect(tag.genres == expected)
        #expect(tag.values("TCON") == [stored])
    }

    @Test("A limited number of a tag's values is kept")
    func bounded() {
        let frame = TagBytes.frame(4, "TPE1", [0] + [UInt8](repeating: 0, count: 100_000))
        let walk = TagWalk(TagBytes.id3v2(4, [TagBytes.frame(4, "TIT2", [0, 0x41]), frame]))
        #expect(walk.tags.first?.fields.count == 1)
        #expect(walk.troubles == [.tooLarge])
        let many = (0..<10_000).map { _ in TagBytes.frame(4, "TIT2", [0, 0x41]) }
        let second = TagWalk(TagBytes.id3v2(4, many))
        #expect(second.tags.first?.fields.count == AudioTags.maximumItems)
        #expect(second.troubles == [.tooLarge])
    }
}
