// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("A tag's values for a listener")
struct ListeningTests {
    private func tags(_ kind: AudioTags.Kind, _ fields: [(String, String)]) -> AudioTags {
        var tags = AudioTags(kind: kind, range: 0..<1)
        tags.fields = fields.map { AudioTagField($0.0, [$0.1]) }
        return tags
    }

    @Test("Every kind of tag has the same properties")
    func kinds() {
        let all = [
            self.tags(
                .id3v2,
                [
                    ("TPE1", "A"), ("TIT2", "T"), ("TALB", "L"), ("TPE2", "AA"), ("TCOM", "C"),
                    ("TCON", "(17)"), ("TDRC", "2001"), ("TRCK", "3/12"), ("TPOS", "1/2"),
                    ("COMM::eng", "K"), ("USLT::eng", "W"),
                ]
            ),
            self.tags(
                .vorbisComment,
                [
                    ("artist", "A"), ("Title", "T"), ("ALBUM", "L"), ("ALBUMARTIST", "AA"),
                    ("COMPOSER", "C"), ("GENRE", "Rock"), ("DATE", "2001"), ("TRACKNUMBER", "03"),
                    ("TRACKTOTAL", "12"), ("DISCNUMBER", "1"), ("DISCTOTAL", "2"), ("COMMENT", "K"),
                    ("LYRICS", "W"),
                ]
            ),
            self.tags(
                .ape,
                [
                    ("Artist", "A"), ("Title", "T"), ("Album", "L"), ("Album Artist", "AA"),
                    ("Composer", "C"), ("Genre", "Rock"), ("Year", "2001"), ("Track", "3/12"),
                    ("Disc", "1/2"), ("Comment", "K"), ("Lyrics", "W"),
                ]
            ),
            self.tags(
                .mp4,
                [
                    ("\u{A9}ART", "A"), ("\u{A9}nam", "T"), ("\u{A9}alb", "L"), ("aART", "AA"),
                    ("\u{A9}wrt", "C"), ("\u{A9}gen", "Rock"), ("\u{A9}day", "2001"),
                    ("trkn", "3/12"), ("disk", "1/2"), ("\u{A9}cmt", "K"), ("\u{A9}lyr", "W"),
                ]
            ),
        ]
        for tags in all {
            #expect(tags.artist == "A")
            #expect(tags.title == "T")
            #expect(tags.album == "L")
            #expect(tags.albumArtist == "AA")
            #expect(tags.composer == "C")
            #expect(tags.genres == ["Rock"])
            #expect(tags.date == "2001")
            #expect(tags.trackNumber == 3)
            #expect(tags.trackCount == 12)
            #expect(tags.discNumber == 1)
            #expect(tags.discCount == 2)
            #expect(tags.comment == "K")
            #expect(tags.lyrics == "W")
        }
    }

    @Test("All values of a repeated field are given, for any kind of tag")
    func several() {
        let comments = self.tags(
            .vorbisComment,
            [("ARTIST", "A"), ("artist", "B"), ("Artist", "A")]
        )
        #expect(comments.artists == ["A", "B"] && comments.artist == "A")
        for (kind, name) in [(AudioTags.Kind.id3v2, "TPE1"), (.ape, "Artist"), (.mp4, "\u{A9}ART")]
        {
            var tags = AudioTags(kind: kind, range: 0..<1)
            tags.fields = [AudioTagField(name, ["A", "", "B"])]
            #expect(tags.artists == ["A", "B"])
            #expect(tags.titles.isEmpty && tags.albums.isEmpty)
        }
    }

    @Test("A tag without fields has no values")
    func empty() {
        let tags = self.tags(.riff, [("TIT2", ""), ("TRCK", "x"), ("COMM:iTunNORM:eng", "0")])
        #expect(tags.title == nil)
        #expect(tags.trackNumber == nil)
        #expect(tags.trackCount == nil)
        #expect(tags.comment == nil)
        #expect(tags.genres.isEmpty)
        #expect(tags.frontCover == nil)
        #expect(tags.encoderGap == nil)
    }
}
