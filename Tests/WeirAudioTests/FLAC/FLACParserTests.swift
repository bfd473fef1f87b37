// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("FLAC streams")
struct FLACParserTests {
    private func parser(_ length: Int? = nil) -> FLACParser {
        FLACParser(limits: AudioStreamLimits(), length: length.map { Int64($0) })
    }

    @Test("Every frame is a packet with its offset and time")
    func packets() {
        for isVariable in [false, true] {
            let builder = FLACBuilder(isVariable: isVariable)
            let bytes = builder.stream(frames: 23)
            let outcome = ParserDriver.parse(bytes, with: self.parser(bytes.count))
            #expect(outcome.error == nil)
            #expect(outcome.troubles.isEmpty)
            #expect(outcome.packets.count == 23)
            let payload = outcome.packets.flatMap { $0.payload.array }
            #expect(firstDifference(payload, Array(bytes[builder.head.count...])) == nil)
            #expect(outcome.packets.map { $0.start.rawValue } == (0..<23).map { $0 * 64 })
            #expect(outcome.packets.last?.duration == 32)
            let sum = outcome.packets.reduce(SampleCount.zero) { $0 + $1.duration }
            #expect(
                outcome.formats.first?.duration
                    == AudioDuration(SampleCount(22 * 64 + 32), .declared)
            )
            #expect(outcome.formats.last?.duration == AudioDuration(sum, .exact))
            #expect(outcome.formats.first?.configuration.count == 34)
        }
    }

    @Test("Streams with every count of bits and channels, and every stereo coding, are parsed")
    func shapes() {
        for bits in [8, 12, 16, 20, 24, 32] {
            for channels in 1...8 {
                let bytes = FLACBuilder(channels: channels, bits: bits).stream(frames: 6)
                let outcome = ParserDriver.parse(bytes, with: self.parser())
                #expect(outcome.packets.count == 6)
                #expect(outcome.troubles.isEmpty)
            }
        }
        var generator = SeededGenerator(seed: 3)
        let builder = FLACBuilder()
        for assignment in UInt64(8)...10 {
            for coding in FLACBuilder.Coding.allCases {
                let frame = builder.frame(0, coding, assignment: assignment, using: &generator)
                // The bytes behind the frame do not show where it ends.
                let bytes = builder.head + frame + [UInt8](repeating: 0x55, count: 40_000)
                let outcome = ParserDriver.parse(bytes, with: self.parser())
                #expect(firstDifference(outcome.packets.map { $0.payload.array }, [frame]) == nil)
            }
        }
    }

    @Test("Chunks of any size give the same packets")
    func chunks() {
        let bytes = FLACBuilder(channels: 1, blockSize: 32).stream(frames: 8)
        let damaged = Self.damaged(bytes)
        for stream in [
            bytes, damaged, Array(damaged.dropFirst(100)), bytes + Array("TAGx".utf8) + bytes,
        ] {
            let whole = ParserDriver.parse(stream, with: self.parser())
            let single = ParserDriver.parse(stream, sizes: { 1 }, with: self.parser())
            #expect(firstDifference(single, whole) == nil)
            for split in 1..<stream.count {
                var sizes = [split, .max].makeIterator()
                let outcome = ParserDriver.parse(
                    stream,
                    sizes: { sizes.next() ?? .max },
                    with: self.parser()
                )
                #expect(firstDifference(outcome, whole) == nil)
            }
            for seed in 0..<10 {
                var generator = SeededGenerator(seed: UInt64(seed))
                let outcome = ParserDriver.parse(
                    stream,
                    sizes: { Int.random(in: 1...200, using: &generator) },
                    with: self.parser()
                )
                #expect(firstDifference(outcome, whole) == nil)
            }
        }
    }

    /// The stream with garbage behind its third frame, a wrong bit in its sixth, and its last frame cut.
    static func damaged(_ bytes: [UInt8]) -> [UInt8] {
        let packets = ParserDriver.parse(
            bytes,
            with: FLACParser(limits: AudioStreamLimits(), length: nil)
        ).packets
        var damaged = bytes
        damaged[Int(packets[5].offset) + 10] ^= 0x10
        damaged.removeLast(10)
        damaged.insert(
            contentsOf: [0xFF, 0xF8, 0xFF, 0xFF, 0xF9, 1, 2, 3],
            at: Int(packets[3].offset)
        )
        return damaged
    }

    @Test("Damage costs only the damaged frames")
    func damage() {
        let bytes = FLACBuilder().stream(frames: 8)
        let whole = ParserDriver.parse(bytes, with: self.parser()).packets
        let outcome = ParserDriver.parse(Self.damaged(bytes), with: self.parser())
        let kept = [0, 1, 2, 3, 4, 6].map { whole[$0].payload }
        #expect(firstDifference(outcome.packets.map(\.payload), kept) == nil)
        #expect(outcome.packets.map(\.start) == [0, 1, 2, 3, 4, 6].map { whole[$0].start })
        #expect(outcome.troubles.map(\.kind) == [.garbage, .badChecksum, .truncated])
        #expect(outcome.troubles.first?.range == whole[3].offset..<whole[3].offset + 8)
    }

    @Test("Every truncation leaves the whole packets")
    func truncation() {
        let bytes = FLACBuilder(channels: 1, blockSize: 32).stream(frames: 6)
        let whole = ParserDriver.parse(bytes, with: self.parser()).packets
        for count in 0..<bytes.count {
            let outcome = ParserDriver.parse(Array(bytes[..<count]), with: self.parser())
            let expected = whole.filter { $0.offset + Int64($0.payload.count) <= Int64(count) }
            #expect(outcome.packets.count == expected.count)
            #expect(outcome.error == nil || count < 42)
        }
    }

    @Test("A changed byte never traps, and spoils at most its own frame")
    func corruption() {
        let builder = FLACBuilder(channels: 1, blockSize: 32)
        let bytes = builder.stream(frames: 6)
        let whole = ParserDriver.parse(bytes, with: self.parser()).packets
        for index in bytes.indices {
            for change in [UInt8(0x01), 0xFF] {
                var changed = bytes
                changed[index] ^= change
                let outcome = ParserDriver.parse(changed, with: self.parser(bytes.count))
                if index >= builder.head.count {
                    let known = whole.filter { packet in
                        let end = packet.offset + Int64(packet.payload.count)
                        return Int64(index) < packet.offset || Int64(index) >= end
                    }
                    #expect(
                        firstDifference(outcome.packets.map(\.payload), known.map(\.payload))
                            == nil,
                        "byte \(index) changed by \(change)"
                    )
                } else if index >= 4 {
                    #expect(outcome.packets.count == 6, "byte \(index) changed by \(change)")
                }
            }
        }
    }

    @Test("A parser that joins anywhere gives exactly the frames from its position on")
    func joins() {
        let builder = FLACBuilder(channels: 1, blockSize: 32)
        let bytes = builder.stream(frames: 12)
        let whole = ParserDriver.parse(bytes, with: self.parser()).packets
        var informed = self.parser()
        var window = ByteWindow()
        window.push(ByteMemory(builder.head))
        while let event = try? informed.next(&window) { _ = event }
        informed.discontinued(start: nil)
        for start in 1..<bytes.count {
            let expected = whole.filter { $0.offset >= Int64(start) }
            let outcome = ParserDriver.parse(bytes, from: start, with: informed)
            #expect(firstDifference(outcome.packets, expected) == nil)
            // Without STREAMINFO, a parser that joins at the last block does not know the length of the other blocks.
            guard expected.count > 1 else { continue }
            let blind = ParserDriver.parse(bytes, from: start, with: self.parser())
            #expect(firstDifference(blind.packets, expected) == nil)
        }
    }

    @Test("Garbage between frames gives no false packet")
    func garbage() {
        let builder = FLACBuilder(blockSize: 192)
        let bytes = builder.stream(frames: 6)
        let frames = ParserDriver.parse(bytes, with: self.parser()).packets.map { $0.payload.array }
        for seed in 0..<60 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var stream = builder.head
            for frame in frames {
                stream += frame
                let count = Int.random(in: 0...300, using: &generator)
                for _ in 0..<count {
                    // Many false sync codes.
                    let noise = UInt8.random(in: 0...255, using: &generator)
                    let choices: [UInt8] = [0xFF, 0xF8, 0xC9, noise]
                    stream.append(choices[Int.random(in: 0..<4, using: &generator)])
                }
            }
            let outcome = ParserDriver.parse(stream, with: self.parser())
            #expect(
                firstDifference(outcome.packets.map { $0.payload.array }, frames) == nil,
                "seed \(seed)"
            )
        }
    }

    @Test("A header within a frame does not end the frame")
    func falseHeaders() {
        let builder = FLACBuilder(channels: 1, bits: 8)
        var frame = BitWriter()
        frame.bytes = FLACBuilder.header(channels: 0, bits: 1)
        frame.append(0b0000_0010, 8)
        let inner = FLACBuilder.header(channels: 0, bits: 1, number: [1])
        frame.bytes += [[UInt8]](repeating: inner, count: 8).joined().prefix(64)
        let sum = FLACBuilder.crc16(frame.bytes)
        frame.bytes += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
        var generator = SeededGenerator(seed: 1)
        let next = builder.frame(1, using: &generator)
        let outcome = ParserDriver.parse(builder.head + frame.bytes + next, with: self.parser())
        #expect(
            firstDifference(outcome.packets.map { $0.payload.array }, [frame.bytes, next]) == nil
        )
        #expect(outcome.troubles.isEmpty)
    }

    @Test("Missing frames are reported, and times follow the frame numbers")
    func missing() {
        let builder = FLACBuilder()
        var generator = SeededGenerator(seed: 1)
        var bytes = builder.head
        for number in [UInt64(0), 1, 5, 6] { bytes += builder.frame(number, using: &generator) }
        let outcome = ParserDriver.parse(bytes, with: self.parser())
        #expect(outcome.packets.map { $0.start.rawValue } == [0, 64, 320, 384])
        #expect(outcome.troubles.map(\.kind) == [.missing])
        #expect(outcome.formats.count == 1)
    }

    @Test("A change of rate, channels or bits begins a section")
    func changes() {
        var generator = SeededGenerator(seed: 1)
        let first = FLACBuilder()
        let second = FLACBuilder(sampleRate: 12_345, channels: 1, bits: 24)
        var frames = [first.frame(0, using: &generator)]
        for number in UInt64(1)..<3 { frames.append(second.frame(number, using: &generator)) }
        let outcome = ParserDriver.parse(first.head + frames.flatMap(\.self), with: self.parser())
        #expect(firstDifference(outcome.packets.map { $0.payload.array }, frames) == nil)
        #expect(outcome.packets.map(\.section) == [0, 1, 1])
        #expect(outcome.formats.map(\.sampleRate).prefix(2) == [44_100, 12_345])
    }

    @Test("Two joined files are two sections, and time goes on")
    func chained() {
        let one = FLACBuilder().stream(frames: 3)
        let two = FLACBuilder(channels: 1).stream(frames: 3)
        let outcome = ParserDriver.parse(one + two, with: self.parser())
        #expect(outcome.packets.map(\.section) == [0, 0, 0, 1, 1, 1])
        #expect(outcome.packets.map { $0.start.rawValue } == [0, 64, 128, 160, 224, 288])
        #expect(outcome.troubles.isEmpty)
    }

    @Test("Old streams with varying block sizes count samples without the flag")
    func oldVariable() {
        let builder = FLACBuilder()
        var generator = SeededGenerator(seed: 1)
        let head =
            Array("fLaC".utf8)
            + FLACBuilder.block(0, isLast: true, builder.streamInfo(minimum: 16, maximum: 64))
        var bytes = head
        for (number, size) in [(0, 64), (64, 16), (80, 32)] {
            bytes += builder.frame(UInt64(number), size: size, using: &generator)
        }
        let outcome = ParserDriver.parse(bytes, with: self.parser())
        #expect(outcome.packets.map { $0.start.rawValue } == [0, 64, 80])
        #expect(outcome.troubles.isEmpty)
    }

    @Test("A block size that STREAMINFO states wrongly is measured")
    func wrongBlockSize() {
        let builder = FLACBuilder()
        var generator = SeededGenerator(seed: 1)
        for size in [32, 128] {
            let head = FLACBuilder(blockSize: size).head
            var bytes = head
            for number in UInt64(0)..<4 { bytes += builder.frame(number, using: &generator) }
            let outcome = ParserDriver.parse(bytes, with: self.parser())
            #expect(outcome.packets.map { $0.start.rawValue } == [0, 64, 128, 192])
            #expect(outcome.troubles.map(\.kind) == [.contradiction])
        }
    }
}
