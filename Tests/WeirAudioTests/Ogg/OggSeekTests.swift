// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Times in Ogg")
struct OggSeekTests {
    /// Searches for a time, and returns the found point and the number of reads.
    private func find(_ time: SampleCount, in bytes: [UInt8], _ map: SeekMap) -> (SeekPoint, Int) {
        var search = map.search(for: time)
        var looks = 0
        while true {
            switch search.step {
            case .found(let point): return (point, looks)
            case .read(let range):
                looks += 1
                #expect(range.count <= 1 << 16 && !range.isEmpty)
                search.read(
                    ByteMemory(
                        copying: bytes[
                            Int(range.lowerBound)..<min(bytes.count, Int(range.upperBound))
                        ]
                    )
                )
            }
        }
    }

    /// The parser after the first packet, its seek map, and the packets of the whole stream.
    private func prepare(_ bytes: [UInt8]) throws -> (OggParser, SeekMap, [AudioPacket]) {
        var parser = OggParser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        var map: SeekMap?
        while map == nil, try parser.next(&window) != nil { map = parser.seekMap(length: nil) }
        return (parser, try #require(map), OggFixture.parse(bytes).packets)
    }

    @Test("The last bytes give the same duration as the whole stream", arguments: [0, 1, 2])
    func durationByTail(index: Int) throws {
        let bytes = [
            OggFixture.opus(pages: 400, largest: 4000), OggFixture.vorbis(pages: 3000),
            OggFixture.flac(frames: 100),
        ][index]
        var parser = AudioStreamParser(length: Int64(bytes.count))
        parser.push(ByteMemory(bytes))
        parser.finish()
        var byTail: AudioDuration?
        var format: AudioFormat?
        while let event = try parser.next() {
            switch event {
            case .format(let told): format = told
            case .packet where byTail == nil:
                let tail = bytes.suffix(Int(AudioStreamParser.tailByteCount))
                let start = Int64(bytes.count - tail.count)
                byTail = parser.duration(byTail: ByteMemory(copying: tail), at: start)
                #expect(parser.duration(byTail: ByteMemory([1, 2, 3]), at: start) == nil)
            default: break
            }
        }
        #expect(byTail?.certainty == .declared)
        #expect(byTail?.samples == format?.duration?.samples)
    }

    @Test(
        "Parsing from the found point gives the packet of the time, exactly as in the whole",
        arguments: [0, 1, 2]
    )
    func times(index: Int) throws {
        let bytes = [
            OggFixture.opus(pages: 400, largest: 4000), OggFixture.vorbis(pages: 3000),
            OggFixture.flac(frames: 100),
        ][index]
        let (ready, map, packets) = try self.prepare(bytes)
        let end = try #require(packets.last).start
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<150 {
            let time = SampleCount(Int64.random(in: -500...end.rawValue + 5000, using: &generator))
            let (point, looks) = self.find(time, in: bytes, map)
            #expect(looks <= 20)
            #expect(point.precision == .exact)
            let number = max(0, (packets.firstIndex { $0.start > time } ?? packets.count) - 1)
            var parser = ready
            parser.discontinued(start: point.start)
            var window = ByteWindow(offset: point.offset)
            window.push(ByteMemory(copying: bytes[Int(point.offset)...]))
            var before: AudioPacket?
            var found: AudioPacket?
            while found == nil, let event = try parser.next(&window) {
                guard case .packet(let packet) = event else { continue }
                if before == nil { #expect(packet.start == point.start) }
                if packet.offset == packets[number].offset {
                    found = packet
                } else {
                    before = packet
                }
            }
            #expect(found == packets[number], "\(time)")
            // A Vorbis decoder needs the packet before the wanted one; before the first packet, no
            // packet exists.
            if number > 0 { #expect(index != 1 || before?.offset == packets[number - 1].offset) }
        }
    }

    @Test("A time before the first packet gives the first packet, without a read")
    func first() throws {
        let bytes = OggFixture.opus()
        let (_, map, packets) = try self.prepare(bytes)
        let (point, looks) = self.find(-10_000, in: bytes, map)
        #expect(looks == 0)
        #expect(point.start == packets.first?.start)
        #expect(map.time(at: 0) == point)
    }

    @Test(
        "Bytes without a page of the stream do not end a search early or late",
        arguments: [100, 300, 5000]
    )
    func holes(size: Int) throws {
        var audio = OggBuilder(serial: 1)
        var video = OggBuilder(serial: 2)
        var bytes = audio.page([OggBuilder.opusHead()], granule: 0, flags: 2)
        bytes += video.page([[0x80] + OggBuilder.bytes("theora")], granule: 0, flags: 2)
        bytes += audio.page([OggBuilder.opusTags()], granule: 0)
        for number in 0..<60 {
            bytes += audio.page(
                [OggBuilder.opus(), OggBuilder.opus()],
                granule: Int64(number + 1) * 1920
            )
            for _ in 0..<3 {
                bytes += video.page(
                    [[UInt8](repeating: 1, count: size * 10)],
                    granule: Int64(number)
                )
            }
        }
        let (_, map, packets) = try self.prepare(bytes)
        for packet in packets.dropFirst(4) {
            let (point, looks) = self.find(packet.start, in: bytes, map)
            #expect(looks <= 20)
            #expect(point.start <= packet.start)
            #expect((packet.start - point.start).rawValue <= 3840, "\(packet.start)")
        }
    }

    @Test("A search in changed bytes ends")
    func nonsense() throws {
        let bytes = OggFixture.opus(pages: 400, largest: 4000)
        let (_, map, _) = try self.prepare(bytes)
        var generator = SeededGenerator(seed: 8)
        for round in 0..<4 {
            let other =
                round == 0 ? [] : bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
            var search = map.search(for: 100_000)
            var looks = 0
            while case .read(let range) = search.step, looks < 25 {
                looks += 1
                let range = Int(range.lowerBound)..<Int(range.upperBound)
                search.read(ByteMemory(other.isEmpty ? [] : Array(other[range])))
            }
            // Up to 20 reads for the search, and up to 4 to check that no other link follows.
            #expect(looks <= 20 + 4)
        }
    }
}
