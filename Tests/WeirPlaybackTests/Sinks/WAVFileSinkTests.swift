// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirTestKit

@testable import WeirPlayback

@Suite(.timeLimit(.minutes(1))) struct WAVFileSinkTests {
    static let stereo = PCMFormat(sampleRate: 8000, channelCount: 2)
    private let folder = TemporaryDirectory()
    private var path: String { self.folder.path(of: "sound.wav") }

    private func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: self.path)))
    }

    /// The format and the data that Weir's own parser finds in the file.
    private func parsed(_ bytes: [UInt8]) throws -> (format: AudioFormat?, data: [UInt8]) {
        var parser = AudioStreamParser(length: Int64(bytes.count))
        parser.push(ByteMemory(bytes))
        parser.finish()
        var format: AudioFormat?
        var data: [UInt8] = []
        while let event = try parser.next() {
            if case .format(let found) = event { format = found }
            if case .packet(let packet) = event { data += packet.payload.array }
            if case .trouble(let trouble) = event { Issue.record("\(trouble)") }
        }
        return (format, data)
    }

    @Test(
        "a reader finds the written samples, in every layout",
        arguments: [(1, 16), (2, 16), (6, 16), (1, 24), (2, 24), (2, 32), (8, 20)]
    )
    func roundTrip(_ shape: (Int, Int)) async throws {
        let (channelCount, bits) = shape
        let format = PCMFormat(
            sampleRate: 44_100,
            channelCount: channelCount,
            significantBits: bits
        )
        let sink = WAVFileSink(path: self.path)
        #expect(try await sink.open(format) == format)
        var samples: [Float] = []
        // An odd number of frames: mono of 24 bits then ends on an odd byte.
        for count in [100, 1, 300] {
            let buffer = PCMBuffer(
                format: format,
                samples: (0..<count * channelCount).map { Float($0 % 200 - 100) / 128 }
            )
            samples += buffer.samples
            try await sink.write(buffer)
        }
        try await sink.drain()
        await sink.close()
        let integers = PCMIntegers(significantBits: bits)
        let file = try self.bytes()
        #expect(file.count.isMultiple(of: 2))
        let (found, data) = try self.parsed(file)
        #expect(found?.sampleRate == 44_100)
        #expect(found?.channelCount == channelCount)
        #expect(
            found?.codec
                == .pcm(PCMLayout(encoding: .signedInteger, bitsPerSample: integers.rawValue))
        )
        let isSame = data == integers.bytes(of: samples)
        #expect(isSame)
    }

    @Test("two channels of 16 bits have the short form, and more channels name their loudspeakers")
    func forms() {
        let short = WAVHeader(format: Self.stereo).bytes(dataCount: 12)
        #expect(Array(short[0..<4]) == Array("RIFF".utf8))
        #expect(Array(short[4..<8]) == [84, 0, 0, 0])
        #expect(Array(short[12..<16]) == Array("JUNK".utf8))
        #expect(
            Array(short[48..<80]) == Array("fmt ".utf8) + [
                16, 0, 0, 0, 1, 0, 2, 0, 0x40, 0x1F, 0, 0, 0, 0x7D, 0, 0, 4, 0, 16, 0,
            ] + Array("data".utf8) + [12, 0, 0, 0]
        )
        let long = WAVHeader(format: PCMFormat(sampleRate: 8000, channelCount: 6))
            .bytes(dataCount: 12)
        #expect(Array(long[52..<58]) == [40, 0, 0, 0, 0xFE, 0xFF])
        #expect(Array(long[72..<82]) == [22, 0, 16, 0, 0x3F, 0, 0, 0, 1, 0])
        let low = PCMFormat(
            sampleRate: 8000,
            channelCount: 3,
            channelLayout: [.frontLeft, .frontRight, .lowFrequency]
        )
        #expect(Array(WAVHeader(format: low).bytes(dataCount: 12)[76..<80]) == [0xB, 0, 0, 0])
    }

    @Test("beyond 4 GiB the sizes have 64 bits")
    func longFiles() throws {
        let header = WAVHeader(format: Self.stereo)
        let most = Int64(UInt32.max) - Int64(header.count - 8)
        let last = header.bytes(dataCount: most / 4 * 4)
        #expect(Array(last[0..<4]) == Array("RIFF".utf8))
        let count = Int64(5) << 32
        let bytes = header.bytes(dataCount: count)
        #expect(bytes.count == header.count)
        #expect(Array(bytes[0..<8]) == Array("RF64".utf8) + [255, 255, 255, 255])
        #expect(Array(bytes[12..<20]) == Array("ds64".utf8) + [28, 0, 0, 0])
        let numbers = [20, 28, 36].map { start in
            bytes[start..<start + 8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        #expect(numbers == [count + Int64(header.count) - 8, count, count / 4])
        #expect(Array(bytes.suffix(4)) == [255, 255, 255, 255])
        // Weir's own parser accepts these numbers.
        var parser = AudioStreamParser(length: count + Int64(bytes.count))
        parser.push(ByteMemory(bytes + [UInt8](repeating: 0, count: 65_536)))
        var format: AudioFormat?
        while let event = try parser.next() {
            if case .format(let found) = event { format = found }
        }
        #expect(format?.duration?.samples == SampleCount(count / 4))
    }

    @Test("the header is right when the file is opened and after each second of sound")
    func headerWhileGrowing() async throws {
        let sink = WAVFileSink(path: self.path)
        _ = try await sink.open(Self.stereo)
        #expect(try self.bytes() == WAVHeader(format: Self.stereo).bytes(dataCount: 0))
        for second in 1...3 {
            for _ in 0..<10 {
                try await sink.write(.silence(Self.stereo, frameCount: 800))
            }
            let header = Array(try self.bytes().prefix(80))
            #expect(
                header == WAVHeader(format: Self.stereo).bytes(dataCount: Int64(second) * 32_000)
            )
        }
        try await sink.write(.silence(Self.stereo, frameCount: 1))
        await sink.close()
        let file = try self.bytes()
        #expect(Array(file.prefix(80)) == WAVHeader(format: Self.stereo).bytes(dataCount: 96_004))
        #expect(file.count == 80 + 96_004)
    }

    @Test("a file keeps its first format until it is closed")
    func firstFormatStays() async throws {
        let sink = WAVFileSink(path: self.path)
        _ = try await sink.open(Self.stereo)
        let other = PCMFormat(sampleRate: 48_000, channelCount: 1)
        #expect(try await sink.open(other) == Self.stereo)
        await sink.close()
        #expect(try await sink.open(other) == other)
        try await sink.write(.silence(other, frameCount: 1))
        await sink.close()
        #expect(try self.parsed(self.bytes()).format?.sampleRate == 48_000)
    }

    @Test("an old file is overwritten whole; a pipe, folder or device is left alone")
    func oldFiles() async throws {
        try Data(repeating: 7, count: 10_000).write(to: URL(filePath: self.path))
        let sink = WAVFileSink(path: self.path)
        _ = try await sink.open(Self.stereo)
        await sink.close()
        #expect(try self.bytes().count == 80)
        let pipe = self.folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, self.folder.path, "/dev/null", self.folder.path(of: "none/sound.wav")] {
            let sink = WAVFileSink(path: path)
            let error = await #expect(throws: AudioError.self) { try await sink.open(Self.stereo) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains(path) == true)
        }
    }

    @Test("a sink that replaces nothing leaves existing files alone, and never follows a link")
    func links() async throws {
        let precious = self.folder.path(of: "precious")
        try Data([7]).write(to: URL(filePath: precious))
        let link = self.folder.path(of: "link")
        let broken = self.folder.path(of: "broken")
        #expect(symlink(precious, link) == 0)
        #expect(symlink(self.folder.path(of: "none"), broken) == 0)
        for path in [precious, link, broken] {
            let sink = WAVFileSink(path: path, isReplacing: false)
            let error = await #expect(throws: AudioError.self) { try await sink.open(Self.stereo) }
            #expect(error?.code == .unavailable)
        }
        for path in [link, broken] {
            let sink = WAVFileSink(path: path)
            _ = try await sink.open(Self.stereo)
            await sink.close()
            #expect(try Data(contentsOf: URL(filePath: path)).count == 80)
        }
        #expect(try Data(contentsOf: URL(filePath: precious)) == Data([7]))
        #expect(access(self.folder.path(of: "none"), F_OK) != 0)
    }

    @Test("a file that is replaced keeps its bytes under its other name")
    func hardLinks() async throws {
        let precious = self.folder.path(of: "precious")
        try Data([7]).write(to: URL(filePath: precious))
        let other = self.folder.path(of: "other")
        #expect(link(precious, other) == 0)
        let sink = WAVFileSink(path: other)
        _ = try await sink.open(Self.stereo)
        await sink.close()
        #expect(try Data(contentsOf: URL(filePath: other)).count == 80)
        #expect(try Data(contentsOf: URL(filePath: precious)) == Data([7]))
    }

    @Test("a sink that replaces nothing continues the file that it has made")
    func ownFile() async throws {
        let sink = WAVFileSink(path: self.path, isReplacing: false)
        for _ in 0..<2 {
            _ = try await sink.open(Self.stereo)
            await sink.close()
        }
        #expect(try self.bytes().count == 80)
    }

    @Test("everyone may read a new file, and only its owner may write it")
    func permissions() async throws {
        let sink = WAVFileSink(path: self.path)
        _ = try await sink.open(Self.stereo)
        var status = stat()
        #expect(stat(self.path, &status) == 0)
        let mask = umask(0)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o644 & ~mask)
        await sink.close()
    }

    @Test("writes to a closed sink, and formats that no file can hold, are refused")
    func refusals() async throws {
        let sink = WAVFileSink(path: self.path)
        let closed = await #expect(throws: AudioError.self) {
            try await sink.write(.silence(Self.stereo, frameCount: 1))
        }
        #expect(closed?.code == .failed)
        let wide = PCMFormat(sampleRate: 8000, channelCount: 100_000)
        let error = await #expect(throws: AudioError.self) { try await sink.open(wide) }
        #expect(error?.code == .badFormat)
    }
}
