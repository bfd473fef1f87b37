// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestKit

@testable import WeirAudio

// These tests call every entry point of the module that takes a number from outside, with extreme
// numbers that could overflow. Each entry point returns a value or an error, and never traps. The
// fuzzers cover the numbers in frames, boxes and tags; these tests cover lengths, offsets and
// times.
@Suite("Numbers from outside, in streams of audio")
struct OutsideNumbersTests {
    /// The beginnings of some streams from the fuzzers' corpora, with their containers.
    private static let streams: [(container: AudioContainer?, bytes: [UInt8])] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzzing/Corpora")
        let kinds: [(String, AudioContainer?)] = [
            ("mpeg", .mpegAudio), ("adts", .adts), ("flac", .flac), ("mp4", .mp4), ("ogg", .ogg),
            ("wave", .wave), ("any", nil), ("tags", nil),
        ]
        return kinds.flatMap { name, container in
            let place = folder.appending(path: name)
            let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            return files.sorted().prefix(1).compactMap { file in
                (try? Data(contentsOf: place.appending(path: file))).map {
                    (container, Array($0.prefix(4096)))
                }
            }
        }
    }()

    /// Takes all events of a stream, and searches for times in it.
    private static func drive(
        _ stream: (container: AudioContainer?, bytes: [UInt8]),
        length: Int64? = nil,
        startingAt offset: Int64 = 0,
        jumpingTo jump: Int64? = nil
    ) {
        var parser =
            stream.container.map {
                AudioStreamParser(container: $0, length: length, startingAt: offset)
            } ?? AudioStreamParser(length: length, startingAt: offset)
        parser.push(ByteMemory(stream.bytes))
        var turns = 0
        // After every jump the parser gets the same bytes again, although it wants the bytes of
        // another offset.
        for round in 0..<4 {
            var wanted: Int64?
            while turns < 200, let event = try? parser.next() {
                turns += 1
                if case .wanted(let offset) = event { wanted = offset }
            }
            if round == 2 { parser.finish() }
            parser.jump(to: jump ?? wanted ?? 0, start: jump.map { SampleCount($0) })
            parser.push(ByteMemory(stream.bytes))
        }
        guard let map = parser.seekMap() else { return }
        for time in OutsideNumbers.all where time % 3 != 0 {
            _ = map.time(at: time)
            var search = map.search(for: SampleCount(time))
            for _ in 0..<4 {
                guard case .read(let range) = search.step else { break }
                #expect(range.lowerBound >= 0 && range.count <= 64 << 10)
                search.read(ByteMemory(stream.bytes))
            }
        }
    }

    @Test("all eight streams exist")
    func streams() {
        #expect(Self.streams.count == 8)
    }

    @Test("a stream's claimed length", arguments: OutsideNumbers.all)
    func length(_ length: Int64) {
        for stream in Self.streams { Self.drive(stream, length: length) }
    }

    @Test("the position where a stream begins", arguments: OutsideNumbers.all)
    func offset(_ offset: Int64) {
        for stream in Self.streams { Self.drive(stream, startingAt: offset) }
    }

    @Test("the position and time of a jump", arguments: OutsideNumbers.all)
    func jump(_ offset: Int64) {
        for stream in Self.streams {
            Self.drive(stream, length: 1 << 40, jumpingTo: offset)
        }
    }

    @Test("a claimed length counts if it is possible, and an offset stays in range")
    func bounds() {
        #expect(AudioStreamParser.length(0) == 0)
        #expect(AudioStreamParser.length(1 << 62) == 1 << 62)
        for length in OutsideNumbers.all where length < 0 || length > 1 << 62 {
            #expect(AudioStreamParser.length(length) == nil)
        }
        for offset in OutsideNumbers.all {
            #expect(AudioStreamParser.offset(offset) == min(max(offset, 0), 1 << 62))
        }
    }

    @Test("numbers in a radio station's header")
    func headers() {
        for text in OutsideNumbers.texts {
            let headers = ICYHeaders([
                ("icy-br", text), ("icy-sr", text), ("icy-metaint", text),
                ("ice-audio-info", "bitrate=\(text);samplerate=\(text);channels=\(text)"),
            ])
            #expect(headers.metadataInterval ?? 1 > 0)
            #expect(headers.bitsPerSecond ?? 1 > 0)
            #expect(headers.sampleRate ?? 1 > 0)
        }
    }

    @Test("the interval of metadata")
    func interval() {
        for number in OutsideNumbers.all {
            guard var pieces = ICYDemultiplexer(interval: Int(number)) else {
                #expect(number <= 0)
                continue
            }
            pieces.push(ByteMemory([UInt8](repeating: 1, count: 200)))
            var count = 0
            while pieces.next() != nil { count += 1 }
            #expect(count > 0 && count <= 200)
        }
    }

    @Test("numbers in playlists")
    func playlists() throws {
        for text in OutsideNumbers.texts {
            let lists = [
                "#EXTM3U\n#EXTINF:\(text),a\nb.mp3\n",
                "[playlist]\nFile\(text)=b.mp3\nLength\(text)=\(text)\nNumberOfEntries=\(text)\n",
                "[playlist]\nFile1=b.mp3\nLength1=\(text)\n",
                """
                <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>\
                <track><location>b.mp3</location><duration>\(text)</duration></track>\
                </trackList></playlist>
                """,
            ]
            for list in lists {
                let read = try? Playlist(ByteMemory(Array(list.utf8)))
                for entry in read?.entries ?? [] { #expect(entry.seconds ?? 0 >= 0) }
            }
        }
    }

    @Test("counts of samples and seconds")
    func samples() {
        for left in OutsideNumbers.all {
            for right in OutsideNumbers.all {
                let sum = SampleCount(left) + SampleCount(right)
                let (exact, isTooFar) = left.addingReportingOverflow(right)
                if !isTooFar { #expect(sum == SampleCount(exact)) }
                _ = SampleCount(left) - SampleCount(right)
                for over in OutsideNumbers.all { _ = left.scaled(by: right, over: over) }
            }
            for rate in [1, 44_100, Int.max] { _ = SampleCount(left).seconds(sampleRate: rate) }
        }
        for seconds in OutsideNumbers.fractions {
            for rate in [1, 44_100, Int.max] {
                _ = SampleCount(seconds: seconds, sampleRate: rate)
            }
        }
    }
}
