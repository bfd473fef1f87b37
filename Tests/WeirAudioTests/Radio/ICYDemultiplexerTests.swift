// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Demultiplexing a radio station")
struct ICYDemultiplexerTests {
    /// The demultiplexer's results, with the audio joined.
    private struct Outcome: Equatable {
        var audio: [UInt8] = []
        var blocks: [ICYMetadata] = []
        var areOffsetsRight = true
    }

    /// A body of patterned audio, with metadata blocks of these lengths (in units of 16 bytes) in between.
    private func body(interval: Int, blocks: [Int], tail: Int) -> (body: [UInt8], audio: [UInt8]) {
        var body: [UInt8] = []
        var audio: [UInt8] = []
        func append(_ count: Int) {
            let part = (0..<count).map { UInt8(truncatingIfNeeded: (audio.count + $0) &* 31) }
            body += part
            audio += part
        }
        for (index, length) in blocks.enumerated() {
            append(interval)
            let text = Array("StreamTitle='\(index)';".utf8.prefix(length * 16))
            body.append(UInt8(length))
            body += text + [UInt8](repeating: 0, count: length * 16 - text.count)
        }
        append(tail)
        return (body, audio)
    }

    private func run(_ body: [UInt8], interval: Int, sizes: () -> Int) throws -> Outcome {
        var demultiplexer = try #require(ICYDemultiplexer(interval: interval))
        var outcome = Outcome()
        var position = 0
        while position < body.count {
            let size = max(1, min(sizes(), body.count - position))
            demultiplexer.push(ByteMemory(copying: body[position..<position + size]))
            position += size
            while let piece = demultiplexer.next() {
                switch piece {
                case .audio(let bytes, let offset):
                    if offset != Int64(outcome.audio.count) || bytes.isEmpty {
                        outcome.areOffsetsRight = false
                    }
                    outcome.audio += bytes.array
                case .metadata(let metadata):
                    if metadata.audioOffset != Int64(outcome.audio.count) {
                        outcome.areOffsetsRight = false
                    }
                    outcome.blocks.append(metadata)
                }
            }
        }
        return outcome
    }

    @Test(
        "Audio and metadata blocks come out whole for every interval and length",
        arguments: [1, 2, 255, 8192, 65_536]
    )
    func blocks(_ interval: Int) throws {
        let lengths = interval > 1000 ? [0, 1, 2, 255, 0, 0, 3] : [0, 1, 2, 16, 254, 255, 0, 0, 3]
        let (body, audio) = self.body(interval: interval, blocks: lengths, tail: interval / 2)
        var random = SeededGenerator(seed: UInt64(interval))
        let whole = try self.run(body, interval: interval, sizes: { .max })
        let sameAudio = whole.audio == audio
        #expect(sameAudio)
        #expect(whole.areOffsetsRight)
        #expect(whole.blocks.count == lengths.filter { $0 > 0 }.count)
        #expect(
            whole.blocks.map(\.audioOffset)
                == lengths.indices.filter { lengths[$0] > 0 }.map { Int64(($0 + 1) * interval) }
        )
        for top in [1, 17, 300, 20_000] {
            let outcome = try self.run(
                body,
                interval: interval,
                sizes: { Int.random(in: 1...top, using: &random) }
            )
            #expect(outcome == whole, "chunks up to \(top)")
        }
    }

    @Test("Every split of a small body gives the same events")
    func splits() throws {
        let (body, audio) = self.body(interval: 7, blocks: [2, 0, 1, 3], tail: 3)
        let whole = try self.run(body, interval: 7, sizes: { .max })
        #expect(whole.audio == audio)
        for split in 1..<body.count {
            var sizes = [split, .max].makeIterator()
            let outcome = try self.run(body, interval: 7, sizes: { sizes.next() ?? .max })
            #expect(outcome == whole, "split at \(split)")
        }
    }

    @Test("Audio is a view of the pushed chunk")
    func views() throws {
        let chunk = ByteMemory(copying: [1, 2, 3, 0, 4, 5])
        var demultiplexer = try #require(ICYDemultiplexer(interval: 3))
        demultiplexer.push(chunk)
        demultiplexer.push(ByteMemory([6]))
        guard case .audio(let first, 0) = demultiplexer.next() else {
            Issue.record("no audio")
            return
        }
        #expect(first.address == chunk.address)
        #expect(demultiplexer.next() == .audio(ByteMemory([4, 5]), offset: 3))
        #expect(demultiplexer.next() == .audio(ByteMemory([6]), offset: 5))
        #expect(demultiplexer.next() == nil)
    }

    @Test("An interval that is not positive gives no demultiplexer")
    func noInterval() {
        #expect(ICYDemultiplexer(interval: 0) == nil)
        #expect(ICYDemultiplexer(interval: -1) == nil)
    }

    @Test("A title goes with the packet that holds its byte, or with the next one")
    func titles() {
        func metadata(_ offset: Int64, _ title: String) -> ICYMetadata {
            ICYMetadata(ByteMemory(Array("StreamTitle='\(title)';".utf8)), audioOffset: offset)
        }
        func packet(_ offset: Int64, _ count: Int) -> AudioPacket {
            AudioPacket(
                payload: ByteMemory([UInt8](repeating: 0, count: count)),
                offset: offset,
                start: 0,
                duration: 1
            )
        }
        var titles = ICYTitles()
        titles.add(metadata(100, "a"))
        titles.add(metadata(150, "b"))
        titles.add(metadata(160, "c"))
        titles.add(metadata(205, "d"))
        #expect(titles.metadata(for: packet(0, 100)) == nil)
        #expect(titles.metadata(for: packet(100, 50))?.title == "a")
        #expect(titles.metadata(for: packet(150, 50))?.title == "c")
        #expect(titles.metadata(for: packet(200, 5)) == nil)
        // Byte 205 is in garbage between two packets.
        #expect(titles.metadata(for: packet(210, 50))?.title == "d")
        #expect(titles.metadata(for: packet(260, 50)) == nil)
        for index in 0..<200 { titles.add(metadata(Int64(300 + index), "\(index)")) }
        #expect(titles.metadata(for: packet(300, 1)) == nil)
        #expect(titles.metadata(for: packet(300, 500))?.title == "199")
        titles.add(metadata(900, "x"))
        titles.removeAll()
        #expect(titles.metadata(for: packet(900, 1)) == nil)
    }

    @Test("Header names are read in any case, with lists and aliases")
    func headers() {
        let headers = ICYHeaders([
            ("ICY-Name", " Radio "), ("icy-br", "128,64"), ("icy-metaint", "8192"),
            ("ice-name", "no"),
            ("icy-notice2", "two"), ("icy-notice1", "one"), ("icy-pub", "1"), ("icy-url", ""),
            ("ice-audio-info", "ice-samplerate=44100;ice-bitrate=192;ice-channels=2"),
            ("x-audiocast-description", "text"), ("icy-genre", "Jazz"),
            ("Content-Type", "audio/mpeg"),
        ])
        #expect(headers.name == "Radio")
        #expect(headers.bitsPerSecond == 128_000)
        #expect(headers.metadataInterval == 8192)
        #expect(headers.notices == ["one", "two"])
        #expect(headers.isPublic == true)
        #expect(headers.url == nil)
        #expect(headers.sampleRate == 44_100)
        #expect(headers.channelCount == 2)
        #expect(headers.description == "text")
        #expect(headers.genre == "Jazz")
        let other = ICYHeaders([
            ("ice-audio-info", "bitrate=96;channels=x"), ("icy-metaint", "-5"), ("ice-name", "N"),
        ])
        #expect(other.bitsPerSecond == 96_000)
        #expect(other.channelCount == nil)
        #expect(other.metadataInterval == nil)
        #expect(other.name == "N")
        #expect(ICYHeaders([("icy-metaint", "99999999999999999999")]).metadataInterval == nil)
    }
}
