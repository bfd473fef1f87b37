// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("Parts and descriptions of an MP4 track")
struct MP4PartsTests {
    private func parse(_ bytes: [UInt8], chunk: Int = 1 << 20) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            sizes: { chunk },
            with: MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        )
    }

    /// The heard samples of the track, in order.
    ///
    /// Each packet has 1,024 samples, and a size that no other packet has.
    private func heard(_ outcome: ParserDriver.Outcome, _ file: MP4File) -> [Range<Int>] {
        outcome.packets.compactMap { packet in
            guard let index = file.sizes.firstIndex(of: packet.payload.count) else { return nil }
            let start = index * 1_024 + Int(packet.trimStart.rawValue)
            let end = index * 1_024 + Int((packet.duration - packet.trimEnd).rawValue)
            return start < end ? start..<end : nil
        }
    }

    private func file(_ edits: [[Int]]) -> MP4File {
        var file = MP4File()
        file.movieScale = 44_100
        file.edits = edits.map { $0 + [0x1_0000] }
        return file
    }

    @Test(
        "Every edit is played in its turn, to the sample, at any position and as often as it is listed"
    )
    func edits() {
        for layout in [MP4File.Layout.indexFirst, .indexLast] {
            var file = self.file([[1_000, 5_000], [600, 100], [2_000, 1_500], [600, 100]])
            file.layout = layout
            for chunk in [1, 13, 1 << 20] {
                let outcome = self.parse(file.bytes, chunk: chunk)
                let parts = self.heard(outcome, file)
                let expected = [5_000..<6_000, 100..<700, 1_500..<3_500, 100..<700]
                let wanted = expected.flatMap { range in
                    (range.lowerBound / 1_024...(range.upperBound - 1) / 1_024).map { index in
                        max(
                            range.lowerBound,
                            index * 1_024
                        )..<min(range.upperBound, (index + 1) * 1_024)
                    }
                }
                #expect(parts == wanted)
                #expect(outcome.formats.map(\.duration) == [AudioDuration(4_200, .exact)])
                // The heard parts follow each other without a gap.
                var end: SampleCount = 0
                for packet in outcome.packets
                where packet.trimStart + packet.trimEnd < packet.duration {
                    #expect(packet.start + packet.trimStart == end)
                    end = packet.start + packet.duration - packet.trimEnd
                }
                #expect(end == 4_200)
            }
        }
    }

    @Test("Adjacent edits are joined, and empty time between edits is kept")
    func joined() {
        let whole = self.file([[3_000, 1_024], [2_000, 4_024]])
        let outcome = self.parse(whole.bytes)
        #expect(outcome.packets.count == 6)
        #expect(outcome.formats.last?.trim == AudioTrim(leading: 1_024, trailing: 120))
        #expect(outcome.formats.last?.duration == AudioDuration(5_000, .exact))

        let apart = self.file([[1_024, 0], [500, 0xFFFF_FFFF], [1_024, 2_048]])
        let packets = self.parse(apart.bytes).packets.filter { $0.trimStart < $0.duration }
        #expect(packets.map(\.start.rawValue) == [0, 1_524])
        #expect(packets.map(\.payload.count) == [5, 1])
    }

    @Test(
        "A seek finds the part for a time, and a reader that jumps there goes on in that part"
    )
    func seeking() throws {
        let file = self.file([[1_024, 4_096], [2_048, 1_024], [1_024, 4_096]])
        let bytes = file.bytes
        let whole = self.parse(bytes)
        for time in [0, 500, 1_024, 2_100, 3_072, 4_000] as [Int64] {
            var parser = AudioStreamParser(length: Int64(bytes.count))
            parser.push(ByteMemory(bytes))
            var map: SeekMap?
            while map == nil, try parser.next() != nil { map = parser.seekMap() }
            let search = try #require(map).search(for: SampleCount(time))
            guard case .found(let point) = search.step else {
                Issue.record("no point for \(time)")
                continue
            }
            #expect(point.start.rawValue <= time && point.start.rawValue > time - 1_024)
            parser.jump(to: point.offset, start: point.start)
            var packets: [AudioPacket] = []
            var position = point.offset
            parser.push(ByteMemory(Array(bytes[Int(position)...])))
            parser.finish()
            while let event = try parser.next() {
                if case .packet(let packet) = event { packets.append(packet) }
                if case .wanted(let offset) = event {
                    position = offset
                    parser.jump(to: position)
                    parser.push(ByteMemory(Array(bytes[Int(position)...])))
                    parser.finish()
                }
            }
            #expect(packets.first?.start == point.start)
            let rest = whole.packets.filter { $0.start + $0.duration - $0.trimEnd > point.start }
            func isHeard(_ packet: AudioPacket) -> Bool {
                packet.trimStart + packet.trimEnd < packet.duration
            }
            #expect(packets.filter(isHeard).map(\.start) == rest.filter(isHeard).map(\.start))
        }
    }

    // MARK: Sample descriptions

    @Test("Samples of another description form a section with that configuration and rate")
    func descriptions() throws {
        var file = MP4File()
        file.moreEntries = [MP4File.soundEntry("mp4a", rate: 22_050, MP4File.esds([0x13, 0x90]))]
        file.descriptions = [1, 2, 1]
        for chunk in [1, 1 << 20] {
            let outcome = self.parse(file.bytes, chunk: chunk)
            #expect(outcome.packets.map(\.section) == [0, 0, 0, 1, 1, 1, 2, 2])
            #expect(outcome.formats.map(\.section) == [0, 1, 2])
            #expect(outcome.formats.map(\.sampleRate) == [44_100, 22_050, 44_100])
            #expect(
                outcome.formats.map(\.configuration) == [
                    [0x12, 0x10], [0x13, 0x90], [0x12, 0x10],
                ]
            )
            #expect(
                outcome.packets.map(\.start.rawValue) == [
                    0, 1_024, 2_048, 1_536, 2_048, 2_560, 6_144, 7_168,
                ]
            )
            #expect(outcome.packets.allSatisfy { $0.duration == 1_024 && $0.trimEnd == 0 })
            #expect(outcome.troubles.isEmpty)
        }
    }

    @Test("Samples of a description that cannot be played are skipped, and reported once")
    func refused() {
        var file = MP4File()
        file.moreEntries = [MP4File.soundEntry("ac-3")]
        file.descriptions = [1, 2, 1]
        let outcome = self.parse(file.bytes)
        #expect(outcome.packets.map(\.payload.count) == [5, 9, 1, 6, 40])
        #expect(outcome.troubles.map(\.kind) == [.contradiction])
        // A number without a description leaves the previous description in use.
        file.descriptions = [1, 7, 0]
        #expect(self.parse(file.bytes).packets.count == 8)
    }

    @Test("An index with a flipped bit is read to its end, whatever its parts and descriptions")
    func flipped() {
        var file = self.file([[1_000, 5_000], [600, 100], [2_000, 1_500]])
        file.moreEntries = [MP4File.soundEntry("mp4a", rate: 22_050, MP4File.esds([0x13, 0x90]))]
        file.descriptions = [1, 2, 1]
        let bytes = file.bytes
        var whole = 0
        for bit in stride(from: 28 * 8, to: (bytes.count - 400) * 8, by: 5) {
            var damaged = bytes
            damaged[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            let outcome = self.parse(damaged)
            if outcome.error == nil { whole += 1 }
            // No packet is trimmed by more than its duration.
            for packet in outcome.packets {
                #expect(packet.trimStart >= 0 && packet.trimEnd >= 0)
                #expect(packet.trimStart + packet.trimEnd <= packet.duration)
            }
        }
        #expect(whole > 100)
    }
}
