// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("Streams that end before their stated end")
struct CutStreamTests {
    private static let streams: [(name: String, bytes: [UInt8])] = {
        var builder = MPEGStreamBuilder()
        let wave = WAVEBuilder()
        let samples = WAVEBuilder.samples(30_000)
        return [
            ("FLAC", FLACBuilder().stream(frames: 40)),
            ("Ogg", OggFixture.opus(pages: 40)),
            ("WAVE", wave.file(wave.format(), wave.chunk("data", samples))),
            (
                "MP3",
                builder.tagFrame("Xing", frames: 100, bytes: 101 * 417) + builder.frames(100)
            ),
        ]
    }()

    private static func parse(_ bytes: [UInt8], hasLength: Bool) throws -> (
        isCutShort: Bool, format: AudioFormat?
    ) {
        var parser = AudioStreamParser(length: hasLength ? Int64(bytes.count) : nil)
        var last: AudioFormat?
        parser.push(ByteMemory(bytes))
        parser.finish()
        while let event = try parser.next() {
            if case .format(let format) = event { last = format }
        }
        return (parser.isCutShort, last)
    }

    @Test("two thirds of a file are recognised as cut short, with a length and without")
    func cut() throws {
        for (name, bytes) in Self.streams {
            for hasLength in [true, false] {
                let whole = try Self.parse(bytes, hasLength: hasLength)
                #expect(!whole.isCutShort, "\(name)")
                #expect(whole.format?.duration?.certainty == .exact, "\(name)")
                let part = Array(bytes.prefix(bytes.count * 2 / 3 + 5))
                let cut = try Self.parse(part, hasLength: hasLength)
                #expect(cut.isCutShort, "\(name), \(hasLength)")
                #expect(cut.format?.duration?.certainty == .estimated, "\(name), \(hasLength)")
            }
        }
    }

    @Test("the second of two FLAC files, cut short, is as long as its own frames")
    func joinedFLAC() throws {
        let builder = FLACBuilder()
        let first = builder.stream(frames: 40)
        let second = builder.stream(frames: 40, seed: 2)
        let cut = try Self.parse(first + second.prefix(second.count * 2 / 3), hasLength: true)
        let alone = try Self.parse(Array(second.prefix(second.count * 2 / 3)), hasLength: true)
        #expect(cut.isCutShort && cut.format?.section == 1)
        #expect(alone.format?.duration?.certainty == .estimated)
        #expect(cut.format?.duration == alone.format?.duration)
    }

    @Test("the last bytes of a cut Ogg stream give the end of its last whole page, as an estimate")
    func oggTail() throws {
        let bytes = OggFixture.opus(pages: 40)
        for cut in [0, 1, 20, 100, 400] {
            let some = ByteMemory(Array(bytes.dropLast(cut)))
            var counting = AudioStreamParser(length: Int64(some.count))
            var looking = AudioStreamParser(length: Int64(some.count))
            counting.push(some)
            counting.finish()
            var heard: AudioDuration?
            while let event = try counting.next() {
                if case .format(let format) = event { heard = format.duration }
            }
            looking.push(ByteMemory(Array(bytes.prefix(1000))))
            while let event = try looking.next() { if case .packet = event { break } }
            let tail = looking.duration(byTail: some, at: 0)
            #expect(tail?.samples == heard?.samples, "\(cut)")
            #expect(tail?.certainty == (cut == 0 ? .declared : .estimated), "\(cut)")
        }
    }

    @Test("FLAC in Ogg that ends with a page before STREAMINFO's sample count is cut short")
    func oggFLAC() throws {
        let bytes = OggFixture.flac(frames: 40, total: 40 * 192)
        let pages = (0..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == Array("OggS".utf8) }
        for hasLength in [true, false] {
            let whole = try Self.parse(bytes, hasLength: hasLength)
            #expect(!whole.isCutShort && whole.format?.duration == AudioDuration(7680, .exact))
            for page in pages[3...] {
                let cut = try Self.parse(Array(bytes.prefix(page)), hasLength: hasLength)
                #expect(cut.isCutShort && cut.format?.duration?.certainty == .estimated, "\(page)")
            }
            // The flag of the last page marks a complete stream; without a sample count nothing
            // shows that bytes are missing.
            let fewer = try Self.parse(OggFixture.flac(total: 7680), hasLength: hasLength)
            #expect(!fewer.isCutShort && fewer.format?.duration?.certainty == .exact)
            let unknown = Array(OggFixture.flac(frames: 40).prefix(pages[20]))
            #expect(try !Self.parse(unknown, hasLength: hasLength).isCutShort)
        }
    }

    @Test(
        "After the last MP4 fragment, the start of a box shows a cut file, and a few bytes do not"
    )
    func fragments() throws {
        let bytes = MP4File(layout: .fragments).bytes
        for hasLength in [true, false] {
            for extra in [[0], [0, 0], [0, 0, 0], [0xFF], [0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0]] {
                let outcome = try Self.parse(bytes + extra.map { UInt8($0) }, hasLength: hasLength)
                #expect(!outcome.isCutShort, "\(extra)")
                #expect(outcome.format?.duration?.certainty == .exact, "\(extra)")
            }
            for count in 5...11 {
                let box = [0, 0, 0, 60] + Array("moof".utf8) + [0, 0, 0, 16]
                let outcome = try Self.parse(bytes + box.prefix(count), hasLength: hasLength)
                #expect(outcome.isCutShort, "\(count)")
            }
        }
    }

    @Test(
        "a placeholder size does not make a file count as cut short",
        arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF]
    )
    func placeholder(_ size: UInt32) throws {
        let wave = WAVEBuilder()
        let data = wave.chunk("data", WAVEBuilder.samples(30_000), size: size)
        let bytes = wave.file(wave.format(), data)
        for hasLength in [true, false] {
            #expect(try !Self.parse(bytes, hasLength: hasLength).isCutShort)
        }
    }
}
