// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Ogg in chunks, cut short, damaged and joined")
struct OggChunkTests {
    static let streams = [
        OggFixture.opus(), OggFixture.vorbis(), OggFixture.flac(),
        OggFixture.opus(pages: 3, largest: 40) + [1, 2, 3, 0x4F, 0x67]
            + OggFixture.vorbis(pages: 2),
    ]

    @Test("Single bytes and seeded random chunks give the same events", arguments: 0..<4)
    func chunks(index: Int) {
        let bytes = Self.streams[index]
        let whole = OggFixture.parse(bytes)
        #expect(firstDifference(OggFixture.parse(bytes, sizes: { 1 }), whole) == nil)
        for seed in 0..<30 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let outcome = OggFixture.parse(bytes) { Int.random(in: 1...400, using: &generator) }
            #expect(firstDifference(outcome, whole) == nil, "seed \(seed)")
        }
    }

    @Test("A split at any byte gives the same events", arguments: 0..<4)
    func splits(index: Int) {
        let bytes = Array(Self.streams[index].prefix(2500))
        let whole = OggFixture.parse(bytes)
        for split in 1..<bytes.count {
            var isFirst = true
            let outcome = OggFixture.parse(bytes) {
                defer { isFirst = false }
                return isFirst ? split : .max
            }
            #expect(firstDifference(outcome, whole) == nil, "split at \(split)")
        }
    }

    @Test(
        "A stream that is cut at any byte gives the start of the whole, or an error",
        arguments: 0..<4
    )
    func truncations(index: Int) {
        let bytes = Self.streams[index]
        let whole = OggFixture.parse(bytes).packets
        for count in 0..<bytes.count {
            let outcome = OggFixture.parse(Array(bytes[0..<count]))
            let isPrefix = whole.starts(with: outcome.packets)
            #expect(isPrefix, "\(count) bytes")
            #expect(outcome.formats.isEmpty == (outcome.error != nil), "\(count) bytes")
        }
    }

    @Test(
        "A stream with any damaged byte gives only packets of the whole",
        arguments: 0..<4
    )
    func damage(index: Int) {
        let bytes = Self.streams[index]
        let whole = Set(OggFixture.parse(bytes).packets.map { $0.payload })
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset % 8)
            let outcome = OggFixture.parse(damaged)
            let isKnown = outcome.packets.allSatisfy { whole.contains($0.payload) }
            #expect(isKnown, "byte \(offset)")
            #expect(!outcome.troubles.isEmpty || outcome.error != nil, "byte \(offset)")
        }
    }

    @Test(
        "A parser that joins at any byte gives the same packets from the next page on",
        arguments: [0, 1, 2]
    )
    func joins(index: Int) throws {
        let bytes = Self.streams[index]
        let outcome = OggFixture.parse(bytes)
        // On the last page a parser cannot tell trimmed samples from a later start.
        let lastEntry = try #require(Self.pages(bytes).dropLast().last)
        var ready = OggFixture.parser()
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        // The parser reads as far as the first packet, so that it knows the headers.
        while let event = try ready.next(&window) {
            if case .packet = event { break }
        }
        let known = Dictionary(uniqueKeysWithValues: outcome.packets.map { ($0.offset, $0) })
        let first = try #require(outcome.packets.first?.offset)
        for start in stride(from: Int(first), through: lastEntry, by: 5) {
            var parser = ready
            parser.discontinued(start: nil)
            let joined = ParserDriver.parse(bytes, from: start, with: parser).packets
            let expected = outcome.packets.filter { $0.offset >= joined.first?.offset ?? .max }
            #expect(joined.count == expected.count && !joined.isEmpty, "from \(start)")
            for (number, packet) in joined.enumerated() {
                var whole = known[packet.offset]
                if number == 0, index == 1 {
                    // No packet precedes the first Vorbis packet, so the first one gives no
                    // samples, and its start has no effect.
                    whole?.start = packet.start
                    whole?.duration = packet.duration
                    whole?.trimStart = packet.duration
                    #expect(
                        known[packet.offset].map { $0.start + $0.duration } == packet.start
                            + packet.duration
                    )
                }
                #expect(whole == packet, "packet at \(packet.offset) from \(start)")
            }
        }
    }

    @Test(
        "Garbage between pages loses no packet, and adds no packet",
        arguments: 0..<200 as Range<UInt64>
    )
    func garbage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = OggFixture.opus(seed: seed)
        var dirty: [UInt8] = []
        var position = 0
        for start in Self.pages(bytes) {
            dirty += bytes[position..<start]
            position = start
            guard Bool.random(using: &generator) else { continue }
            for _ in 0..<Int.random(in: 1...500, using: &generator) {
                dirty.append(UInt8.random(in: 0...255, using: &generator))
                if UInt8.random(in: 0...50, using: &generator) == 0 {
                    dirty += OggBuilder.bytes("OggS\0")
                }
            }
        }
        dirty += bytes[position...]
        let clean = OggFixture.parse(bytes).packets.map(\.payload)
        #expect(
            firstDifference(OggFixture.parse(dirty).packets.map(\.payload), clean) == nil,
            "seed \(seed)"
        )
    }

    static func pages(_ bytes: [UInt8]) -> [Int] {
        var starts: [Int] = []
        var position = 0
        while position + 27 < bytes.count {
            starts.append(position)
            let count = Int(bytes[position + 26])
            position +=
                27 + count + bytes[position + 27..<position + 27 + count].reduce(0) { $0 + Int($1) }
        }
        return starts
    }
}
