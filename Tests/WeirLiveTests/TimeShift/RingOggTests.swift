// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirLive

/// Readers join Ogg where a page starts, behind the headers of its logical stream.
@Suite struct RingOggTests {
    private struct Link {
        var head: [UInt8]
        var pages: [[UInt8]]
        var bytes: [UInt8] { self.head + self.pages.flatMap { $0 } }
    }

    private static func link(_ serial: UInt32, _ title: String, pages: Int = 8) -> Link {
        var maker = TinyOgg(serial: serial)
        let head = maker.headers(title: title)
        return Link(
            head: head,
            pages: (0..<pages).map { maker.sound(packets: 20, fill: UInt8($0 + 1)) }
        )
    }

    @Test(
        "Every place to join is the start of a page, whatever the sizes of the pieces",
        arguments: [1, 7, 100, 5000]
    )
    func places(chunk: Int) throws {
        let ring = TimeShiftRingTests.ring(
            geometry: RingGeometry(block: 256, extent: 1024, memory: 512)
        )
        ring.begin(TimeShiftRingTests.stretch(nil))
        var starts: [Int64: Int] = [:]
        var heads: [Int: ([UInt8], Int64)] = [:]
        var parser = AudioStreamParser()
        var time = Duration.zero
        for number in 0..<2 {
            let link = Self.link(UInt32(number + 7), "\(number)")
            heads[number] = (link.head, ring.end)
            var offset = ring.end + Int64(link.head.count)
            for page in link.pages {
                starts[offset] = number
                offset += Int64(page.count)
            }
            var isHeadTold = false
            var rest = link.bytes[...]
            while !rest.isEmpty {
                let bytes = ByteMemory(Array(rest.prefix(chunk)))
                rest = rest.dropFirst(chunk)
                ring.append(bytes)
                parser.push(bytes)
                while let event = try parser.next() {
                    guard case .packet(let packet) = event else { continue }
                    if !isHeadTold, let head = heads[number] {
                        ring.beginLink(
                            container: .ogg,
                            head: ByteMemory(head.0),
                            headOffset: head.1
                        )
                        isHeadTold = true
                    }
                    ring.note(time: time, at: packet.offset)
                    time += .milliseconds(20)
                }
            }
        }
        var found: Set<Int64> = []
        for step in 0..<6400 {
            let joint = ring.joint(forTime: .milliseconds(step))
            let link = try #require(starts[joint.offset])
            found.insert(joint.offset)
            let stretch = try #require(joint.stretch)
            #expect(stretch.head.array == heads[link]?.0)
            #expect(stretch.headOffset == heads[link]?.1)
            #expect(stretch.container == .ogg)
            // A page has 20 packets of 20 ms.
            #expect(joint.time <= .milliseconds(step) && joint.time > .milliseconds(step - 400))
            guard step % 400 == 10 else { continue }
            // A parser's first packet after the joint is the first packet of that page.
            var cursor = joint
            var joined = AudioStreamParser(container: .ogg, startingAt: stretch.headOffset)
            joined.push(stretch.head)
            while try joined.next() != nil {}
            joined.jump(to: stretch.offset)
            var first: AudioPacket?
            while let piece = ring.read(at: &cursor, limit: 300), first == nil {
                guard case .audio(let bytes) = piece else { continue }
                joined.push(bytes)
                while let event = try joined.next() {
                    if case .packet(let packet) = event { first = first ?? packet }
                    if case .trouble = event { Issue.record("trouble") }
                }
            }
            let page = joint.offset
            #expect(first.map { $0.offset > page && $0.offset < page + 60 } == true)
        }
        #expect(found.count == 16)
    }

    @Test("Pages are found behind garbage, and partial patterns are not", arguments: 1...30)
    func walking(chunk: Int) {
        let link = Self.link(3, "x", pages: 3)
        let junk: [UInt8] = Array("OgOOggSOggS".utf8) + [0, 9] + Array("OggSOggOgg".utf8)
        let stream = junk + link.bytes + junk + Self.link(4, "y", pages: 1).bytes
        var walk = OggPageWalk()
        var pages: [OggPageSpan] = []
        var offset: Int64 = 100
        var rest = stream[...]
        while !rest.isEmpty {
            let bytes = ByteMemory(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
            pages += walk.push(bytes, at: offset)
            offset += Int64(bytes.count)
        }
        #expect(pages.count == 8)
        #expect(pages.map(\.isFirst) == [true, false, false, false, false, true, false, false])
        #expect(pages.map(\.serial) == [3, 3, 3, 3, 3, 4, 4, 4])
        #expect(pages[0].offset == 100 + Int64(junk.count))
        for (page, next) in zip(pages[0..<5], pages[1..<5]) { #expect(page.end == next.offset) }
        #expect(pages[4].end == pages[5].offset - Int64(junk.count))
        #expect(pages[7].end == 100 + Int64(stream.count))
    }
}
