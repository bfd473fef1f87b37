// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("Vorbis comments, RIFF INFO and iTunSMPB")
struct CommentTests {
    private func comment(_ bytes: [UInt8]) -> AudioTags? {
        ByteMemory(bytes).withView { AudioTags.vorbisComment($0, range: 5..<9) }
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0..<4 {
                text.append(index <= part.count ? alphabet[bits >> (18 - 6 * index) & 63] : "=")
            }
        }
        return text
    }

    @Test("Comments keep their case and their order, and other text is skipped")
    func comments() {
        let tag = self.comment(
            TagBytes.vorbisComment([
                "Title=a=b", "nothing", "=x", "ARTIST=é", "artist=two", "EMPTY=",
            ])
        )
        #expect(
            tag?.fields == [
                AudioTagField("Title", ["a=b"]), AudioTagField("ARTIST", ["é"]),
                AudioTagField("artist", ["two"]), AudioTagField("EMPTY", [""]),
            ]
        )
        #expect(tag?.title == "a=b")
        #expect(tag?.values("Artist") == ["é", "two"])
        #expect(tag?.range == 5..<9)
    }

    @Test("Pictures in base64 are read, for every remainder of their length")
    func pictures() {
        for count in 0..<7 {
            let data = [UInt8]((0..<UInt8(count)).map { $0 &* 77 })
            let block = TagBytes.flacPicture(kind: 3, type: "image/png", text: "é", data: data)
            let tag = self.comment(
                TagBytes.vorbisComment(["metadata_block_picture=" + self.base64(block)])
            )
            #expect(
                tag?.pictures == [
                    AudioPicture(
                        kind: 3,
                        mediaType: "image/png",
                        description: "é",
                        data: ByteMemory(data)
                    )
                ]
            )
            #expect(tag?.fields.isEmpty == true)
        }
    }

    @Test("A picture that cannot be read stays a field")
    func badPicture() {
        let tag = self.comment(
            TagBytes.vorbisComment(["METADATA_BLOCK_PICTURE=?", "COVERART=/9j/"])
        )
        #expect(tag?.values("METADATA_BLOCK_PICTURE") == ["?"])
        #expect(tag?.pictures.first?.data.array == [0xFF, 0xD8, 0xFF])
    }

    @Test("Chapters are read from their fields")
    func chapters() {
        let tag = self.comment(
            TagBytes.vorbisComment([
                "CHAPTER002=01:02:03.5", "CHAPTER002NAME=Two", "CHAPTER001=00:00:00.123",
                "CHAPTER003=x",
            ])
        )
        #expect(
            tag?.chapters == [
                AudioChapter(startMilliseconds: 123, endMilliseconds: nil, title: ""),
                AudioChapter(startMilliseconds: 3_723_500, endMilliseconds: nil, title: "Two"),
            ]
        )
        #expect(tag?.fields.count == 4)
    }

    @Test("A header that is cut or changed anywhere gives its readable fields, or nothing")
    func hostile() {
        let bytes = TagBytes.vorbisComment([
            "A=1", "METADATA_BLOCK_PICTURE=AAAA", "CHAPTER1=00:00:01",
        ])
        for count in 0...bytes.count {
            let fields = self.comment(Array(bytes.prefix(count)))?.fields.count ?? 0
            #expect(fields <= 3)
        }
        for index in bytes.indices {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                _ = self.comment(changed)
            }
        }
        #expect(self.comment([0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF])?.fields.isEmpty == true)
    }

    @Test("A picture block that is cut before its picture data is refused")
    func cutPicture() {
        let block = TagBytes.flacPicture(kind: 3, type: "a/b", text: "t", data: [1, 2, 3])
        for count in 0...block.count {
            let picture = ByteMemory(copying: block.prefix(count)).withView {
                AudioPicture(flacBlock: $0)
            }
            #expect((picture != nil) == (count >= block.count - 3))
        }
    }

    @Test("The texts of RIFF INFO are read, wherever the chunk is cut")
    func riffInfo() {
        func chunk(_ name: String, _ text: [UInt8]) -> [UInt8] {
            TagBytes.ascii(name) + TagBytes.little(text.count) + text
                + (text.count % 2 == 1 ? [0] : [])
        }
        let chunks =
            chunk("INAM", TagBytes.ascii("é\0")) + chunk("IART", [0x41, 0xE9, 0, 0])
            + chunk("ICMT", []) + chunk("ITRK", TagBytes.ascii("3/9")) + chunk("IGNR", [0x41])
        for cut in 0...chunks.count {
            let bytes = ByteMemory(TagBytes.ascii("INFO") + chunks.prefix(cut))
            var tag = AudioTags(kind: .riff, range: 0..<1)
            tag.fields = bytes.withView { AudioTags.fields(ofInfoList: $0, isBig: false) } ?? []
            guard cut == chunks.count else { continue }
            #expect(tag.title == "é")
            #expect(tag.artist == "Aé")
            #expect(tag.trackNumber == 3)
            #expect(tag.trackCount == 9)
            #expect(tag.genres == ["A"])
        }
    }

    @Test("The gap of iTunes is read from its hexadecimal text")
    func encoderGap() {
        let text = " 00000000 00000840 000001CA 00000000003F31F6 00000000 00000000"
        let gap = EncoderGap(text)
        #expect(gap?.delay == 2112)
        #expect(gap?.padding == 458)
        #expect(gap?.sampleCount == 4_141_558)
        for bad in [
            "", "0 0 0", "0 x 0 0", "0 0 0 10000000000000000", "0 100000000 0 0", "-1 0 0 0",
        ] {
            #expect(EncoderGap(bad) == nil)
        }
        let frame = TagBytes.frame(3, "COMM", [0] + TagBytes.ascii("engiTunSMPB\0" + text))
        let tags = TagWalk(TagBytes.id3v2(3, [frame])).tags.first
        #expect(tags?.encoderGap == gap)
        #expect(tags?.comment == nil)
    }
}
