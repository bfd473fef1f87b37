// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirLive

/// Recordings of Ogg: a file for each logical stream, with its header.
@Suite struct RecordingPageTests {
    private struct Link {
        let head: [UInt8]
        let pages: [[UInt8]]
        var bytes: [UInt8] { self.head + self.pages.flatMap { $0 } }

        init(_ serial: UInt32, _ title: String, pages: Int = 6) {
            var maker = TinyOgg(serial: serial)
            self.head = maker.headers(title: title)
            self.pages = (0..<pages).map { maker.sound(fill: UInt8($0 + 1)) }
        }
    }

    @Test(
        "Each logical stream is a file, and together they are the stream",
        arguments: [1, 3, 28, 100, 411, 9000]
    )
    func chain(chunk: Int) {
        let links = [Link(1, "A"), Link(2, "B"), Link(2, "C")]
        var tape = RecordingTape(chunk: chunk)
        tape.connect(type: "application/ogg")
        for link in links { tape.play(link.bytes) }
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "B", "C"])
        #expect(files.map(\.file.fileExtension) == ["opus", "opus", "opus"])
        #expect(files.map(\.bytes) == links.map(\.bytes))
    }

    @Test(
        "Bytes before the first header, and a page that is cut off, are not kept",
        arguments: [1, 50, 9000]
    )
    func ends(chunk: Int) {
        let link = Link(1, "A")
        var tape = RecordingTape(chunk: chunk)
        tape.connect(type: "application/ogg")
        tape.play(Link(9, "Z").pages[2])
        tape.play(Array(link.bytes.dropLast(10)))
        let files = tape.recorded()
        #expect(files.map(\.bytes) == [link.head + link.pages.dropLast().flatMap { $0 }])
    }

    @Test(
        "A listener that joins in the middle gets the header with the stretch",
        arguments: [1, 50, 9000]
    )
    func joined(chunk: Int) {
        let link = Link(1, "A")
        let next = Link(2, "B")
        let start = Int64(link.head.count + link.pages[0].count + link.pages[1].count)
        var tape = RecordingTape(chunk: chunk, startingAt: start)
        tape.connect(.moved, container: .ogg, head: link.head, headOffset: 0)
        tape.play(link.pages[2...].flatMap { $0 })
        tape.play(next.bytes)
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "B"])
        #expect(files.map(\.bytes) == [link.head + link.pages[2...].flatMap { $0 }, next.bytes])
    }

    @Test("A new connection begins a new file, whatever plays")
    func reconnect() {
        let link = Link(1, "A")
        var tape = RecordingTape(chunk: 100)
        tape.connect(type: "application/ogg")
        tape.play(Array(link.bytes.dropLast(30)))
        tape.connect(.reconnected(nil), type: "application/ogg")
        tape.play(link.bytes)
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "A"])
        #expect(files.map(\.file.number) == [1, 2])
        #expect(files.last?.bytes == link.bytes)
    }

    @Test(
        "A title from the server begins a file at the next page, with a copy of the header",
        arguments: [1, 100, 9000]
    )
    func serverTitle(chunk: Int) {
        let link = Link(1, "A")
        let bytes = link.bytes
        let cut = link.head.count + link.pages[0].count + 20
        var tape = RecordingTape(chunk: chunk)
        tape.connect(type: "application/ogg")
        tape.play(Array(bytes[..<cut]))
        tape.title("B")
        tape.play(Array(bytes[cut...]))
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "B"])
        #expect(files.first?.bytes == link.head + link.pages[..<2].flatMap { $0 })
        #expect(files.last?.bytes == link.head + link.pages[2...].flatMap { $0 })
    }

    @Test("A title that comes with the header's sound names a stream that has no title of its own")
    func untitled() {
        let link = Link(1, "")
        var tape = RecordingTape(chunk: 100)
        tape.connect(type: "application/ogg", title: "S")
        tape.play(link.bytes)
        #expect(tape.recorded().map(\.file.title) == ["S"])
    }

    @Test(
        "A recording that begins in mid-stream needs the stretch in front, which has the header"
    )
    func middle() {
        let link = Link(1, "A")
        var tape = RecordingTape(chunk: 100)
        tape.connect(type: "application/ogg")
        tape.play(link.bytes)
        // Without the stretch in front, the recording makes no file.
        #expect(tape.recorded(Array(tape.sounds.dropFirst())).isEmpty)
        let offset = link.head.count + 20
        tape = RecordingTape(chunk: 100, startingAt: Int64(offset))
        tape.connect(container: .ogg, head: link.head)
        tape.play(Array(link.bytes[offset...]))
        #expect(tape.recorded().map(\.bytes) == [link.head + link.pages[1...].flatMap { $0 }])
    }

    @Test("Each file can be parsed alone, from its first packet to its last")
    func playable() throws {
        var tape = RecordingTape(chunk: 333)
        let links = [Link(1, "A", pages: 12), Link(2, "B", pages: 3)]
        tape.connect(type: "application/ogg")
        for link in links { tape.play(link.bytes) }
        for file in tape.recorded() {
            var parser = AudioStreamParser(length: Int64(file.bytes.count))
            parser.push(ByteMemory(file.bytes))
            parser.finish()
            var packets = 0
            while let event = try parser.next() {
                if case .packet = event { packets += 1 }
                if case .trouble = event { Issue.record("trouble") }
            }
            #expect(packets == (file.file.number == 1 ? 120 : 30))
        }
    }
}
