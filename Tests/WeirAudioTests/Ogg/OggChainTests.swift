// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Chained and multiplexed Ogg")
struct OggChainTests {
    @Test("Each stream of a chain is a section with its own headers, tags and times")
    func chain() {
        let bytes = OggFixture.opus() + OggFixture.vorbis() + OggFixture.flac() + OggFixture.opus()
        let parts = [OggFixture.opus(), OggFixture.vorbis(), OggFixture.flac(), OggFixture.opus()]
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.troubles.isEmpty && outcome.error == nil)
        #expect(outcome.tags.count == 4)
        #expect(outcome.formats.map(\.section) == [0, 0, 1, 1, 2, 2, 3, 3])
        #expect(
            outcome.formats.map(\.codec) == [
                .opus, .opus, .vorbis, .vorbis, .flac, .flac, .opus, .opus,
            ]
        )
        for (section, part) in parts.enumerated() {
            let alone = OggFixture.parse(part).packets.map {
                [$0.start, $0.duration, $0.trimStart, $0.trimEnd]
            }
            let here = outcome.packets.filter { $0.section == section }
            #expect(
                firstDifference(
                    here.map { [$0.start, $0.duration, $0.trimStart, $0.trimEnd] },
                    alone
                ) == nil
            )
        }
    }

    @Test("A stream begins before another has ended")
    func chainWithoutEnd() {
        var builder = OggBuilder(serial: 1)
        var bytes = builder.opusHeaders()
        let open = OggBuilder.Piece(bytes: OggBuilder.opus(255), isEnd: false)
        bytes += builder.page(pieces: [.init(bytes: OggBuilder.opus()), open], granule: 960)
        // The next link even has the same serial number.
        builder = OggBuilder(serial: 1)
        bytes +=
            builder.opusHeaders(title: "B")
            + builder.page([OggBuilder.opus()], granule: 960, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.packets.map(\.section) == [0, 1])
        #expect(outcome.packets.map(\.start) == [-312, -312])
        #expect(outcome.troubles.map(\.kind) == [.truncated])
        #expect(
            outcome.tags.map(\.fields) == [
                [AudioTagField("TITLE", ["A"])], [AudioTagField("TITLE", ["B"])],
            ]
        )
    }

    @Test("The first known stream of those that begin together is played")
    func multiplexed() {
        var skeleton = OggBuilder(serial: 1)
        var video = OggBuilder(serial: 2)
        var audio = OggBuilder(serial: 3)
        var other = OggBuilder(serial: 4)
        var bytes = skeleton.page([OggBuilder.bytes("fishead\0")], granule: 0, flags: 2)
        bytes += video.page([[0x80] + OggBuilder.bytes("theora")], granule: 0, flags: 2)
        bytes += audio.page([OggBuilder.opusHead()], granule: 0, flags: 2)
        bytes += other.page([OggBuilder.vorbisIdentification()], granule: 0, flags: 2)
        bytes +=
            video.page([[1, 2, 3]], granule: 0) + audio.page([OggBuilder.opusTags()], granule: 0)
        bytes += other.page([OggBuilder.vorbisComment(), VorbisSetupBuilder.setup()], granule: 0)
        bytes += skeleton.page([], granule: 0, flags: 4)
        for number in 0..<5 {
            bytes += video.page([[UInt8](repeating: 9, count: 600)], granule: Int64(number))
            bytes += audio.page(
                [OggBuilder.opus()],
                granule: Int64(number + 1) * 960,
                flags: number == 4 ? 4 : 0
            )
            bytes += other.page(
                [OggBuilder.short()],
                granule: Int64(number) * 32,
                flags: number == 4 ? 4 : 0
            )
        }
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.troubles.isEmpty)
        #expect(outcome.formats.first?.codec == .opus)
        #expect(outcome.packets.map(\.start.rawValue) == (0..<5).map { $0 * 960 - 312 })
    }

    @Test("A stream without a playable part is refused with the reason")
    func unsupported() {
        var builder = OggBuilder()
        let speex = builder.page([OggBuilder.bytes("Speex   1.2")], granule: 0, flags: 2)
        let rest = builder.page([[1]], granule: 0)
        let alone = OggFixture.parse(speex + rest)
        #expect(alone.error?.code == .unsupported)
        #expect(alone.error?.reason.contains("Speex") == true)
        #expect(OggFixture.parse(speex).error?.code == .unsupported)
        // Behind a supported stream, the parser skips the unsupported stream.
        let between = OggFixture.parse(OggFixture.flac() + speex + rest + OggFixture.opus())
        #expect(between.error == nil)
        #expect(between.troubles.map(\.kind) == [.garbage])
        #expect(Set(between.packets.map(\.section)) == [0, 1])
    }

    @Test("Pages before the first stream's beginning are skipped")
    func joinedWithoutHeaders() {
        let first = OggFixture.opus(serial: 1)
        let bytes = first + OggFixture.vorbis(serial: 2)
        let start = 200
        let outcome = OggFixture.parse(bytes, from: start)
        #expect(outcome.packets.allSatisfy { $0.section == 0 && $0.offset >= Int64(first.count) })
        #expect(outcome.troubles.map(\.kind) == [.garbage, .garbage])
        #expect(outcome.troubles.last?.range.upperBound == Int64(first.count))
        #expect(OggFixture.parse(first, from: start).error?.code == .ended)
        #expect(OggFixture.parse([]).error?.code == .ended)
    }
}
