// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirPlayback

@Suite("Titles, part by part")
struct TitleSequenceTests {
    private static func tags(_ kind: AudioTags.Kind, _ title: String?, artists: [String] = [])
        -> AudioTags
    {
        var tags = AudioTags(kind: kind, range: 0..<1)
        if let title { tags.fields.append(AudioTagField("TITLE", [title])) }
        tags.fields += artists.map { AudioTagField("ARTIST", [$0]) }
        return tags
    }

    @Test("a link of a chain without tags has no title, and a link with tags has its own")
    func chain() {
        var titles = TitleSequence()
        titles.read(Self.tags(.vorbisComment, "One", artists: ["A", "B"]))
        #expect(titles.passedPacket() == PlayerTitle(title: "One", artist: "A / B"))
        #expect(titles.passedPacket() == nil)
        titles.beganPart()
        titles.read(Self.tags(.vorbisComment, nil))
        #expect(titles.passedPacket() == PlayerTitle())
        titles.beganPart()
        #expect(titles.passedPacket() == nil)
        // The tag may come before the part, or behind its beginning.
        titles.read(Self.tags(.vorbisComment, "Two"))
        titles.beganPart()
        #expect(titles.passedPacket()?.title == "Two")
        titles.beganPart()
        titles.read(Self.tags(.vorbisComment, "Two"))
        #expect(titles.passedPacket() == nil && titles.title.title == "Two")
    }

    @Test("a tag behind the sound of a part does not title the next part")
    func trailing() {
        var titles = TitleSequence()
        _ = titles.passedPacket()
        titles.read(Self.tags(.id3v1, "One"))
        titles.beganPart()
        #expect(titles.passedPacket() == nil)
        titles.read(Self.tags(.ape, "Two"))
        #expect(titles.titleAtEnd()?.title == "Two")
    }

    @Test(
        "an ID3v2 tag in mid-stream begins a part, with or without a title; a picture alone is no title"
    )
    func middle() {
        var titles = TitleSequence()
        titles.read(Self.tags(.id3v2, "One"))
        #expect(titles.passedPacket()?.title == "One")
        titles.read(Self.tags(.vorbisComment, nil))
        #expect(titles.passedPacket() == nil)
        titles.read(Self.tags(.id3v2, nil))
        #expect(titles.passedPacket() == PlayerTitle())
    }
}
