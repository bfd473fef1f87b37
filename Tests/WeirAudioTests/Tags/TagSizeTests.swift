// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Tags whose size contradicts the stream")
struct TagSizeTests {
    private struct Outcome: Equatable {
        var payloads: [[UInt8]] = []
        var offsets: [Int] = []
        var troubles: [AudioStreamFailure.Kind] = []
        var titles: [String] = []
        var certainty: AudioDuration.Certainty?
    }

    private static func parse(
        _ bytes: [UInt8],
        hasLength: Bool,
        sizes: () -> Int = { .max }
    ) throws -> Outcome {
        var parser = AudioStreamParser(length: hasLength ? Int64(bytes.count) : nil)
        var outcome = Outcome()
        var position = 0
        var isFinished = false
        while true {
            while let event = try parser.next() {
                switch event {
                case .packet(let packet):
                    outcome.payloads.append(packet.payload.array)
                    outcome.offsets.append(Int(packet.offset))
                case .trouble(let trouble): outcome.troubles.append(trouble.kind)
                case .tags(let tags): outcome.titles += tags.title.map { [$0] } ?? []
                case .format(let format): outcome.certainty = format.duration?.certainty
                case .wanted: break
                }
            }
            if isFinished { return outcome }
            if position == bytes.count {
                parser.finish()
                isFinished = true
            } else {
                let size = max(1, min(sizes(), bytes.count - position))
                parser.push(ByteMemory(copying: bytes[position..<position + size]))
                position += size
            }
        }
    }

    /// Tags with a wrong size, to insert into a stream; `isSound` if their own parts lead to the
    /// frames behind them.
    private static func lies(before rest: Int) -> [(name: String, bytes: [UInt8], isSound: Bool)] {
        func id3(_ size: Int, _ parts: [UInt8], version: UInt8 = 4) -> [UInt8] {
            TagBytes.ascii("ID3") + [version, 0, 0] + TagBytes.synchsafe(size) + parts
        }
        func ape(_ parts: [UInt8]) -> [UInt8] {
            TagBytes.ascii("APETAGEX")
                + [2000, 0x7FFF_FFFF, 1, 0xA000_0000, 0, 0].flatMap { TagBytes.little($0) } + parts
        }
        let frame = TagBytes.frame(4, "TIT2", [3] + TagBytes.ascii("x"))
        let item = TagBytes.little(1) + TagBytes.little(0) + TagBytes.ascii("Title\0x")
        let long = TagBytes.ascii("TIT2") + TagBytes.synchsafe(1 << 27) + [0, 0, 3, 0x78]
        return [
            ("256 MiB", id3(1 << 28 - 1, frame), true),
            ("100 bytes too many", id3(rest + 100, frame), true),
            ("frames within", id3(5000, frame), true),
            ("padding", id3(1 << 24, frame + [UInt8](repeating: 0, count: 300)), true),
            ("2.2", id3(1 << 20, TagBytes.frame(2, "TT2", [0, 0x78]), version: 2), true),
            ("a frame that lies, too", id3(1 << 28 - 1, long), false),
            ("nothing but a header", id3(1 << 28 - 1, []), true),
            ("APE", ape(item), true), ("APE without items", ape([]), true),
            (
                "APE with an item that lies", ape(TagBytes.little(1 << 30) + item.dropFirst(4)),
                false
            ),
        ]
    }

    private static func stream(_ stream: SmallStream) -> [UInt8] {
        var mpeg = MPEGStreamBuilder()
        var adts = ADTSStreamBuilder()
        switch stream {
        case .mpeg: return mpeg.frames(60)
        case .adts: return adts.frames(300)
        default: return FLACBuilder().stream(frames: 60)
        }
    }

    @Test(
        "the frames behind a tag with a wrong size are played, and the size is reported once",
        arguments: [.mpeg, .adts, .flac] as [SmallStream],
        [true, false]
    )
    func middle(_ kind: SmallStream, _ hasLength: Bool) throws {
        let bytes = Self.stream(kind)
        let plain = try Self.parse(bytes, hasLength: hasLength)
        let place = plain.offsets[plain.offsets.count / 3]
        for (name, lie, isSound) in Self.lies(before: bytes.count - place) {
            var joined = bytes
            joined.insert(contentsOf: lie, at: place)
            let outcome = try Self.parse(joined, hasLength: hasLength)
            #expect(outcome.payloads == plain.payloads, "\(name)")
            // If a part of the tag also reaches beyond the end, the parser may report that part as
            // cut.
            #expect(outcome.troubles.count == 1, "\(name)")
            if isSound { #expect(outcome.troubles == [.contradiction], "\(name)") }
            let isTold = isSound && lie.contains(0x78)
            #expect(outcome.titles == (isTold ? ["x"] : []), "\(name)")
            if kind != .flac { #expect(outcome.certainty == .exact, "\(name)") }
            #expect(
                try Self.parse(joined, hasLength: hasLength, sizes: { 1 }) == outcome,
                "\(name)"
            )
        }
    }

    @Test(
        "a stream with a tag of a wrong size in front is played",
        arguments: [.mpeg, .adts] as [SmallStream],
        [true, false]
    )
    func front(_ kind: SmallStream, _ hasLength: Bool) throws {
        let bytes = Self.stream(kind)
        let plain = try Self.parse(bytes, hasLength: hasLength)
        for (name, lie, isSound) in Self.lies(before: bytes.count) where isSound || hasLength {
            let outcome = try Self.parse(lie + bytes, hasLength: hasLength)
            #expect(outcome.payloads == plain.payloads, "\(name)")
            #expect(outcome.troubles.count == 1, "\(name)")
            if isSound { #expect(outcome.troubles == [.contradiction], "\(name)") }
        }
    }

    @Test("a tag that the end cuts is reported as truncated, and its whole frames are read")
    func cut() throws {
        let bytes = Self.stream(.mpeg)
        let tag = TagBytes.id3v2(
            4,
            [
                TagBytes.frame(4, "TIT2", [3] + TagBytes.ascii("x")),
                TagBytes.frame(4, "TALB", [3] + [UInt8](repeating: 0x41, count: 500)),
            ]
        )
        for hasLength in [true, false] {
            for count in [40, 100, 530] {
                let outcome = try Self.parse(bytes + tag.prefix(count), hasLength: hasLength)
                #expect(outcome.payloads.count == 60)
                #expect(outcome.troubles == [.truncated])
                #expect(outcome.titles == ["x"] && outcome.certainty == .exact)
            }
        }
    }

    @Test("a tag with a wrong size between joined files hides no part from the search")
    func joined() throws {
        var builder = MPEGStreamBuilder()
        let part = builder.tagFrame(frames: 100, bytes: 101 * 417) + builder.frames(100)
        for (name, lie, _) in Self.lies(before: part.count) where name != "frames within" {
            let bytes = part + lie + part
            var parser = AudioStreamParser(length: Int64(bytes.count))
            parser.push(ByteMemory(copying: bytes[0..<5000]))
            while try parser.next() != nil {}
            var search = try #require(parser.seekMap()?.outlineSearch)
            while case .read(let range) = search.step {
                let found = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
                search.read(ByteMemory(copying: found))
            }
            parser.adopt(search)
            let duration = parser.learnedDuration
            #expect(duration == AudioDuration(230_400, .declared), "\(name)")
        }
    }

    @Test("a picture of 20 MiB in front of a stream of any length is skipped as too large")
    func tooLarge() throws {
        let picture = TagBytes.frame(4, "APIC", [UInt8](repeating: 0x41, count: 20 << 20))
        let bytes = TagBytes.id3v2(4, [picture]) + Self.stream(.mpeg)
        for hasLength in [true, false] {
            let outcome = try Self.parse(bytes, hasLength: hasLength)
            #expect(outcome.payloads.count == 60 && outcome.troubles == [.tooLarge])
        }
    }

    @Test(
        "any size at any place: all frames are played, and one trouble is reported",
        arguments: 0..<300
    )
    func anywhere(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = Self.stream(Bool.random(using: &random) ? .mpeg : .adts)
        let hasLength = Bool.random(using: &random)
        let plain = try Self.parse(bytes, hasLength: hasLength)
        let middle = 10..<plain.offsets.count - 10
        let place = plain.offsets[Int.random(in: middle, using: &random)]
        let frames = (0..<Int.random(in: 0...4, using: &random)).flatMap { index in
            let text = [UInt8](repeating: 0x42, count: Int.random(in: 1...100, using: &random))
            return TagBytes.frame(4, "TXX\(index)", [3] + text)
        }
        let padding = [UInt8](repeating: 0, count: Int.random(in: 0...50, using: &random))
        // The excess covers at least two frames, because a single frame proves nothing.
        let excess = Int.random(
            in: 1000...(Bool.random(using: &random) ? 3000 : 1 << 27),
            using: &random
        )
        let size = frames.count + padding.count + excess
        var joined = bytes
        joined.insert(
            contentsOf: TagBytes.ascii("ID3") + [4, 0, 0] + TagBytes.synchsafe(size) + frames
                + padding,
            at: place
        )
        let outcome = try Self.parse(joined, hasLength: hasLength)
        #expect(outcome.payloads == plain.payloads, "seed \(seed)")
        #expect(outcome.troubles == [.contradiction], "seed \(seed)")
        let limit = Int.random(in: 1...4000, using: &random)
        let again = try Self.parse(joined, hasLength: hasLength) {
            Int.random(in: 1...limit, using: &random)
        }
        #expect(again == outcome, "seed \(seed)")
    }
}
