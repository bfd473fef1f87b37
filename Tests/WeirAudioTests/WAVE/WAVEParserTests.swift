// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("WAVE files")
struct WAVEParserTests {
    private let builder = WAVEBuilder()

    private func parser(_ length: Int? = nil) -> WAVEParser {
        WAVEParser(limits: AudioStreamLimits(), length: length.map { Int64($0) })
    }

    /// Parses in one piece and byte by byte; both must give the same result.
    private func parse(_ bytes: [UInt8], length: Int? = nil) -> ParserDriver.Outcome {
        let whole = ParserDriver.parse(bytes, with: self.parser(length))
        let single = ParserDriver.parse(bytes, sizes: { 1 }, with: self.parser(length))
        #expect(firstDifference(whole, single) == nil)
        return whole
    }

    private func payload(_ outcome: ParserDriver.Outcome) -> [UInt8] {
        outcome.packets.flatMap { $0.payload.array }
    }

    @Test("Packets are 4096 bytes, with their offsets and times")
    func packets() {
        let samples = WAVEBuilder.samples(10_000)
        let bytes = self.builder.file(self.builder.format(), self.builder.chunk("data", samples))
        let outcome = self.parse(bytes, length: bytes.count)
        #expect(outcome.packets.map(\.payload.count) == [4096, 4096, 1808])
        #expect(outcome.packets.map(\.offset) == [44, 4140, 8236])
        #expect(outcome.packets.map { $0.start.rawValue } == [0, 1024, 2048])
        #expect(outcome.packets.last?.duration == 452)
        #expect(firstDifference(self.payload(outcome), samples) == nil)
        #expect(outcome.formats.count == 1)
        #expect(outcome.formats.first?.duration == AudioDuration(2500, .exact))
        #expect(outcome.formats.first?.bitRate == AudioBitRate(1_411_200, .constant))
    }

    @Test("Every sample format is reported exactly")
    func codings() {
        let cases: [(UInt16, UInt16, Bool, PCMLayout)] = [
            (1, 8, false, PCMLayout(encoding: .unsignedInteger, bitsPerSample: 8)),
            (1, 12, false, PCMLayout(encoding: .signedInteger, bitsPerSample: 16)),
            (
                1, 16, true,
                PCMLayout(encoding: .signedInteger, bitsPerSample: 16, isBigEndian: true)
            ),
            (1, 24, false, PCMLayout(encoding: .signedInteger, bitsPerSample: 24)),
            (1, 32, false, PCMLayout(encoding: .signedInteger, bitsPerSample: 32)),
            (3, 32, false, PCMLayout(encoding: .float, bitsPerSample: 32)),
            (3, 64, true, PCMLayout(encoding: .float, bitsPerSample: 64, isBigEndian: true)),
            (6, 8, false, PCMLayout(encoding: .aLaw, bitsPerSample: 8)),
            (7, 8, false, PCMLayout(encoding: .muLaw, bitsPerSample: 8)),
        ]
        for (tag, bits, isBig, layout) in cases {
            for isExtensible in [false, true] {
                let builder = WAVEBuilder(isBig: isBig, tag: tag, channels: 3, bits: bits)
                let data = builder.chunk("data", WAVEBuilder.samples(48))
                let outcome = self.parse(
                    builder.file(builder.format(isExtensible: isExtensible), data)
                )
                #expect(outcome.error == nil)
                #expect(outcome.formats.first?.codec == .pcm(layout))
                #expect(outcome.formats.first?.bitsPerSample == (tag > 3 ? nil : Int(bits)))
                #expect(
                    outcome.packets.first?.duration
                        == SampleCount(Int64(48 / (layout.bitsPerSample / 8 * 3)))
                )
            }
        }
    }

    @Test(
        "The channel layout is known where the mask names one loudspeaker for each channel",
        arguments: [
            (0x3, nil), (0xB, [.frontLeft, .frontRight, .lowFrequency]), (0x7, .standard(3)),
            (0, nil), (0xF, nil),
            (0x8000_0003, nil),
        ] as [(UInt32, ChannelLayout?)]
    )
    func loudspeakers(mask: UInt32, layout: ChannelLayout?) {
        let builder = WAVEBuilder(isBig: false, tag: 1, channels: 3, bits: 16)
        let data = builder.chunk("data", WAVEBuilder.samples(48))
        let outcome = self.parse(builder.file(builder.format(isExtensible: true, mask: mask), data))
        #expect(outcome.formats.first?.channelLayout == layout)
        #expect(
            self.parse(builder.file(builder.format(), data)).formats.first?.channelLayout == nil
        )
    }

    @Test("Valid bits and larger containers are distinguished")
    func containers() {
        let builder = WAVEBuilder(bits: 32)
        let data = builder.chunk("data", WAVEBuilder.samples(80))
        let valid = self.parse(
            builder.file(builder.format(isExtensible: true, validBits: 24), data)
        )
        #expect(valid.formats.first?.bitsPerSample == 24)
        let roomy = WAVEBuilder(bits: 24, block: 8)
        let outcome = self.parse(roomy.file(roomy.format(), data))
        #expect(
            outcome.formats.first?.codec
                == .pcm(PCMLayout(encoding: .signedInteger, bitsPerSample: 32))
        )
        #expect(outcome.packets.first?.duration == 10)
    }

    @Test("Files that cannot be read are refused with the reason")
    func refused() {
        func code(_ bytes: [UInt8]) -> AudioStreamError.Code? {
            let error = self.parse(bytes).error
            #expect(error?.reason.isEmpty == false)
            return error?.code
        }
        let data = self.builder.chunk("data", [1, 2, 3, 4])
        for tag in [UInt16(0), 2, 0x11, 0x55, 0xFF] {
            let other = WAVEBuilder(tag: tag, bits: 4)
            #expect(code(other.file(other.format(), data)) == .unsupported)
        }
        #expect(code(self.builder.file(data, self.builder.format())) == .unsupported)
        let odd = WAVEBuilder(block: 5)
        #expect(code(odd.file(odd.format(), data)) == .malformed)
        let mute = WAVEBuilder(channels: 0)
        #expect(code(mute.file(mute.format(), data)) == .malformed)
        let still = WAVEBuilder(rate: 0)
        #expect(code(still.file(still.format(), data)) == .malformed)
        #expect(code(self.builder.file(self.builder.chunk("fmt ", [1, 0]), data)) == .malformed)
        #expect(code(self.builder.file(self.builder.format())) == .ended)
        #expect(code(Array("RIFF1234AVI ".utf8)) == .unrecognized)
    }

    @Test(
        "The error names another codec in a WAVE file",
        arguments: [
            (0x02, "Microsoft ADPCM"), (0x11, "IMA ADPCM"), (0x50, "MP2"), (0x55, "MP3"),
            (0xFF, "AAC"), (0x161, "Windows Media Audio"), (0x2000, "AC-3"), (0x2001, "DTS"),
            (0xF1AC, "FLAC"), (0x31, "GSM"), (0x42, "G.723"), (0x28F, "G.722"), (0x7777, "0x7777"),
        ] as [(UInt16, String)]
    )
    func names(_ tag: UInt16, _ name: String) {
        let other = WAVEBuilder(tag: tag, bits: 0, block: 1)
        let error = self.parse(other.file(other.format(), other.chunk("data", [1, 2]))).error
        #expect(error?.code == .unsupported)
        #expect(error?.reason.hasPrefix("This is ") == true)
        #expect(error?.reason.contains(name) == true)
        #expect(error?.reason.contains("0 bits") == false)
    }

    @Test("The fields of a broadcast recorder are reported")
    func broadcast() throws {
        func text(_ text: String, _ count: Int) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
        }
        let bext =
            text("Interview, take 3", 256) + text("Field recorder", 32) + text("", 32)
            + text("2026-11-24", 10) + text("20:15:00", 8) + [UInt8](repeating: 1, count: 264)
        let outcome = self.parse(
            self.builder.file(
                self.builder.chunk("bext", bext),
                self.builder.format(),
                self.builder.chunk("data", [1, 2, 3, 4])
            )
        )
        let tags = try #require(outcome.tags.first)
        #expect(tags.kind == .riff)
        #expect(tags.comment == "Interview, take 3")
        #expect(tags.date == "2026-11-24")
        #expect(
            tags.fields.map(\.name) == ["DESCRIPTION", "ORIGINATOR", "DATE", "TIME"]
        )
        // A chunk that is too short is skipped.
        let short = self.builder.file(
            self.builder.chunk("bext", Array(bext[..<300])),
            self.builder.format(),
            self.builder.chunk("data", [1, 2, 3, 4])
        )
        #expect(self.parse(short).tags.isEmpty)
        #expect(self.parse(short).packets.count == 1)
    }

    @Test("Data of unknown size reach to the end of the stream")
    func open() {
        let samples = WAVEBuilder.samples(5001)
        for size in [UInt32(0), .max] {
            let data = Array(self.builder.chunk("data", samples, size: size).dropLast())
            let bytes = self.builder.file(self.builder.format(), data)
            let outcome = self.parse(bytes)
            #expect(firstDifference(self.payload(outcome), Array(samples.dropLast())) == nil)
            #expect(outcome.formats.map { $0.duration?.certainty } == [nil, .exact])
            #expect(outcome.troubles.map(\.kind) == [.truncated])
            #expect(
                self.parse(bytes, length: bytes.count).formats.first?.duration
                    == AudioDuration(1250, .exact)
            )
        }
    }

    @Test("Data that end before their size are reported")
    func short() {
        let samples = WAVEBuilder.samples(5000)
        let data = self.builder.chunk("data", samples, size: 20_000)
        let bytes = self.builder.file(self.builder.format(), data)
        let blind = self.parse(bytes)
        #expect(blind.packets.map(\.payload.count) == [4096, 904])
        #expect(
            blind.formats.map { $0.duration } == [
                AudioDuration(5000, .declared), AudioDuration(1250, .estimated),
            ]
        )
        #expect(blind.troubles.map(\.kind) == [.truncated])
        let known = self.parse(bytes, length: bytes.count)
        #expect(known.formats.map { $0.duration } == [AudioDuration(1250, .estimated)])
        #expect(known.troubles.map(\.kind) == [.contradiction])
    }

    @Test("RF64 takes its size from ds64")
    func long() {
        let samples = WAVEBuilder.samples(6000)
        var sizes: [UInt8] = []
        for value in [UInt64(7000), 6000, 1500] {
            sizes += (0..<8).map { UInt8(value >> UInt64(8 * $0) & 0xFF) }
        }
        let long = self.builder.chunk("ds64", sizes + [0, 0, 0, 0])
        let data = self.builder.chunk("data", samples, size: .max)
        let tail = self.builder.chunk(
            "LIST",
            Array("INFO".utf8) + self.builder.chunk("INAM", Array("abc".utf8))
        )
        for magic in ["RF64", "BW64"] {
            let bytes = self.builder.file(long, self.builder.format(), data, tail, magic: magic)
            let outcome = self.parse(bytes, length: bytes.count)
            #expect(firstDifference(self.payload(outcome), samples) == nil)
            #expect(outcome.formats.first?.duration == AudioDuration(1500, .exact))
            #expect(outcome.tags.map(\.fields) == [[AudioTagField("INAM", ["abc"])]])
        }
    }

    @Test("INFO lists are tags, before and behind the data, in UTF-8 or Windows-1252")
    func tags() {
        for isBig in [false, true] {
            let builder = WAVEBuilder(isBig: isBig, channels: 1, bits: 8)
            let info =
                Array("INFO".utf8) + builder.chunk("INAM", Array("Ünï\0".utf8))
                + builder.chunk("IART", [0x80, 0x41, 0xE4, 0]) + builder.chunk("ICMT", [0])
            let list = builder.chunk("LIST", info)
            // The padding byte behind data of odd length is present, or missing.
            let data = builder.chunk("data", [1, 2, 3])
            for end in [data, Array(data.dropLast())] {
                let outcome = self.parse(builder.file(builder.format(), list, end, list))
                let expected = [AudioTagField("INAM", ["Ünï"]), AudioTagField("IART", ["€Aä"])]
                #expect(outcome.tags.map(\.fields) == [expected, expected])
                #expect(outcome.packets.map { $0.payload.array } == [[1, 2, 3]])
                #expect(outcome.troubles.isEmpty)
            }
        }
    }

    @Test("Unknown chunks are skipped, and a broken one does not stop the parser")
    func chunks() {
        let samples = WAVEBuilder.samples(100)
        let data = self.builder.chunk("data", samples)
        let odd = self.builder.chunk("junk", [1, 2, 3])
        let good = self.parse(self.builder.file(odd, self.builder.format(), odd, data, odd))
        #expect(firstDifference(self.payload(good), samples) == nil)
        #expect(good.troubles.isEmpty)
        let broken = self.parse(
            self.builder.file(self.builder.format(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], data)
        )
        #expect(firstDifference(self.payload(broken), samples) == nil)
        #expect(broken.troubles.map(\.kind) == [.garbage])
        let lying = self.builder.file(
            self.builder.format(),
            self.builder.chunk("junk", [1, 2], size: 0xFFFF_FFF0),
            data
        )
        #expect(self.parse(lying).error?.code == .ended)
        let isFound = self.payload(self.parse(lying, length: lying.count)) == samples
        #expect(isFound)
    }

    @Test("A second data chunk continues the time of the first")
    func two() {
        let data = self.builder.chunk("data", WAVEBuilder.samples(4100))
        let outcome = self.parse(self.builder.file(self.builder.format(), data, data))
        #expect(outcome.packets.map { $0.start.rawValue } == [0, 1024, 1025, 2049])
        #expect(outcome.formats.last?.duration == AudioDuration(2050, .exact))
    }

    @Test("Any chunking gives the same result, and no cut or changed byte traps")
    func hostile() {
        let list = self.builder.chunk(
            "LIST",
            Array("INFO".utf8) + self.builder.chunk("INAM", Array("abc".utf8))
        )
        let data = self.builder.chunk("data", WAVEBuilder.samples(123))
        let bytes = self.builder.file(self.builder.format(isExtensible: true), list, data, list)
        let whole = self.parse(bytes)
        for split in 1..<bytes.count {
            var sizes = [split, .max].makeIterator()
            let outcome = ParserDriver.parse(
                bytes,
                sizes: { sizes.next() ?? .max },
                with: self.parser()
            )
            #expect(firstDifference(outcome, whole) == nil)
            _ = self.parse(Array(bytes[..<split]))
            _ = self.parse(Array(bytes[..<split]), length: bytes.count)
        }
        for index in bytes.indices {
            for change in [UInt8(0x01), 0xFF] {
                var changed = bytes
                changed[index] ^= change
                _ = self.parse(changed)
                _ = self.parse(changed, length: bytes.count)
            }
        }
    }

    @Test("The offset of a time is computed, and parsing continues there as in a whole read")
    func seeking() throws {
        let builder = WAVEBuilder(channels: 3)
        let bytes = builder.file(
            builder.format(),
            builder.chunk("data", WAVEBuilder.samples(60_000))
        )
        var parser = self.parser(bytes.count)
        var window = ByteWindow()
        window.push(ByteMemory(bytes))
        window.finish()
        var packets: [AudioPacket] = []
        while let event = try parser.next(&window) {
            if case .packet(let packet) = event { packets.append(packet) }
        }
        let map = try #require(parser.seekMap(length: nil))
        for target in stride(from: Int64(-100), to: 11_000, by: 97) {
            guard case .found(let point) = map.search(for: SampleCount(target)).step else {
                Issue.record("a search that reads")
                continue
            }
            let expected = packets.last { $0.start.rawValue <= max(0, target) }
            #expect(point.offset == expected?.offset)
            #expect(point.start == expected?.start)
            #expect(map.time(at: point.offset) == point)
            parser.discontinued(start: point.start)
            let outcome = ParserDriver.parse(bytes, from: Int(point.offset), with: parser)
            #expect(
                firstDifference(outcome.packets, packets.filter { $0.offset >= point.offset })
                    == nil
            )
        }
        // From any other offset the parser continues with the next packet of the whole.
        parser.discontinued(start: nil)
        let outcome = ParserDriver.parse(bytes, from: 44 + 7, with: parser)
        #expect(firstDifference(outcome.packets, Array(packets.dropFirst())) == nil)
    }

    @Test("A field list keeps a limited number of fields")
    func manyFields() {
        let field = self.builder.chunk("ISBJ", [65, 0])
        let list = Array("INFO".utf8) + [[UInt8]](repeating: field, count: 5_000).flatMap(\.self)
        let outcome = self.parse(
            self.builder.file(
                self.builder.format(),
                self.builder.chunk("LIST", list),
                self.builder.chunk("data", WAVEBuilder.samples(8))
            )
        )
        #expect(outcome.tags.first?.fields.count == AudioTags.maximumInfoFields)
        #expect(outcome.packets.count == 1)
    }

    @Test("Two tags with a fault each stay two tags")
    func faultyTags() {
        let frames = Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 0, 65] + Array("TALB".utf8)
        let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 22] + frames + [0x7F, 0, 0, 0, 0, 0]
        let outcome = self.parse(
            self.builder.file(
                self.builder.format(),
                self.builder.chunk("id3 ", tag),
                self.builder.chunk("id3 ", tag),
                self.builder.chunk("data", WAVEBuilder.samples(8))
            )
        )
        #expect(outcome.tags.count == 2)
    }
}
