// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Pages of Ogg")
struct OggPageTests {
    @Test(
        "The checksum over sixteen bytes at a time equals the checksum bit by bit, for every length"
    )
    func checksum() {
        var builder = OggBuilder()
        for count in Array(0..<200) + [
            900, 990, 1000, 1023, 1024, 1025, 2047, 2048, 3000, 5000, 20_000,
        ] {
            let page = builder.page([OggBuilder.opus(count + 1)], granule: 1)
            let crc = ByteMemory(page).withView { OggChecksum.checksum(ofPage: $0) }
            let stored = ByteMemory(page).withView { $0.little(22, UInt32.self) }
            #expect(crc == stored)
        }
    }

    @Test("A packet on three pages is one packet, from its first byte on")
    func packetOverPages() throws {
        var builder = OggBuilder()
        let packet = OggBuilder.opus(255 * 300 + 7)
        var bytes = builder.opusHeaders()
        let offset = bytes.count + 27 + 255
        let parts = [0..<255 * 255, 255 * 255..<255 * 299, 255 * 299..<packet.count]
        for (index, part) in parts.enumerated() {
            let piece = OggBuilder.Piece(bytes: Array(packet[part]), isEnd: index == 2)
            bytes += builder.page(
                pieces: [piece],
                granule: index == 2 ? 960 : -1,
                flags: (index > 0 ? 1 : 0) | (index == 2 ? 4 : 0)
            )
        }
        let outcome = OggFixture.parse(bytes)
        let only = try #require(outcome.packets.first)
        #expect(outcome.packets.count == 1)
        #expect(firstDifference(only.payload.array, packet) == nil)
        #expect(only.offset == Int64(offset))
        #expect(only.start == -312 && only.trimStart == 312 && only.trimEnd == 0)
        #expect(outcome.troubles.isEmpty)
    }

    @Test("A packet that is whole in a chunk is a view of the chunk")
    func noCopy() throws {
        let bytes = ByteMemory(copying: OggFixture.opus())
        let address = try #require(bytes.address)
        var window = ByteWindow()
        window.push(bytes)
        window.finish()
        var parser = OggFixture.parser()
        var views = 0
        while let event = try parser.next(&window) {
            guard case .packet(let packet) = event else { continue }
            if packet.payload.address == address + Int(packet.offset) { views += 1 }
        }
        #expect(views > 20)
    }

    @Test(
        "Page numbers show a missing page, and the granule position gives the time after it"
    )
    func missingPage() {
        var builder = OggBuilder()
        var bytes = builder.opusHeaders()
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 1920)
        let hole = bytes.count
        _ = builder.page([OggBuilder.opus()], granule: 2880)
        bytes += builder.page([OggBuilder.opus()], granule: 3840, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.troubles == [AudioStreamFailure(.missing, Int64(hole)..<Int64(hole))])
        #expect(outcome.packets.map(\.start) == [-312, 648, 2880 - 312])
    }

    @Test(
        "A page that continues no packet, and an open packet without a continuation, are contradictions"
    )
    func continuation() {
        var builder = OggBuilder()
        var bytes = builder.opusHeaders()
        bytes += builder.page([OggBuilder.opus()], granule: 960)
        bytes += builder.page([OggBuilder.opus(), OggBuilder.opus()], granule: 2880, flags: 1)
        let open = OggBuilder.Piece(bytes: OggBuilder.opus(255), isEnd: false)
        bytes += builder.page(
            pieces: [OggBuilder.Piece(bytes: OggBuilder.opus()), open],
            granule: 3840
        )
        bytes += builder.page([OggBuilder.opus()], granule: 5760, flags: 4)
        let outcome = OggFixture.parse(bytes)
        #expect(outcome.troubles.map(\.kind) == [.contradiction, .contradiction])
        #expect(outcome.packets.map(\.start) == [-312, 648, 2880 - 312, 4800 - 312])
    }

    @Test("A packet beyond the limit is an error, and a tag beyond it is skipped")
    func limits() {
        var limits = AudioStreamLimits()
        limits.packet = 600
        var builder = OggBuilder()
        var bytes = builder.opusHeaders()
        let offset = bytes.count + 27 + 3
        bytes += builder.page(
            pieces: [.init(bytes: OggBuilder.opus(765), isEnd: false)],
            granule: -1
        )
        #expect(OggFixture.parse(bytes, limits: limits).error?.code == .limit)
        #expect(OggFixture.parse(bytes, limits: limits).error?.offset == Int64(offset))

        limits.tag = 200
        builder = OggBuilder()
        bytes = builder.page([OggBuilder.opusHead()], granule: 0, flags: 2)
        let tags = OggBuilder.opusTags(title: String(repeating: "x", count: 600))
        bytes += builder.page(
            pieces: [.init(bytes: Array(tags[0..<510]), isEnd: false)],
            granule: -1
        )
        bytes += builder.page(pieces: [.init(bytes: Array(tags[510...]))], granule: 0, flags: 1)
        bytes += builder.page([OggBuilder.opus()], granule: 960, flags: 4)
        let outcome = OggFixture.parse(bytes, limits: limits)
        #expect(outcome.error == nil)
        #expect(outcome.troubles.map(\.kind) == [.tooLarge])
        #expect(outcome.packets.count == 1)
        #expect(outcome.tags.isEmpty)
    }

    @Test("A last page that is cut is reported, and its packets are dropped")
    func truncated() {
        let whole = OggFixture.opus(pages: 3)
        let outcome = OggFixture.parse(Array(whole.dropLast(5)))
        #expect(outcome.troubles.map(\.kind) == [.truncated])
        let isPrefix = OggFixture.parse(whole).packets.starts(with: outcome.packets)
        #expect(isPrefix)
    }

    @Test("After nested headers without a fitting checksum the parser finds the next pages")
    func headersInHeaders() {
        let whole = OggFixture.opus(pages: 3)
        let header = Array("OggS".utf8) + [0, 0] + [UInt8](repeating: 0xFF, count: 21)
        let storm = [[UInt8]](repeating: header, count: 3_000).flatMap(\.self)
        let outcome = OggFixture.parse(storm + [UInt8](repeating: 0, count: 70_000) + whole)
        #expect(outcome.troubles.count == 1)
        #expect(
            firstDifference(
                outcome.packets.map(\.payload),
                OggFixture.parse(whole).packets.map(\.payload)
            ) == nil
        )
    }

    @Test("The error names only a few of many streams that cannot be played")
    func manyStreams() {
        var bytes: [UInt8] = []
        for serial in 0..<100 as Range<UInt32> {
            var builder = OggBuilder(serial: serial)
            bytes += builder.page([OggBuilder.bytes("Speex   ")], granule: 0, flags: 2)
        }
        let error = OggFixture.parse(bytes).error
        #expect(error?.code == .unsupported)
        #expect((error?.reason.utf8.count ?? 0) < 200)
    }
}
