// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("The feed of a connection's bytes")
struct StreamFeedTests {
    /// The feed's results, joined.
    struct Outcome {
        var containers: [AudioContainer] = []
        var bytes: [UInt8] = []
        /// The offset in the bytes at which each stream began.
        var starts: [Int] = []
        var titles: [String] = []
        var titleOffsets: [Int] = []
        var times: [(time: Duration, offset: Int64)] = []
        var links: [(head: [UInt8], offset: Int64)] = []
        var sound: Duration = .zero
        var verdict: FeedOutcome.Verdict?

        mutating func add(_ outcome: FeedOutcome) {
            self.sound += outcome.sound
            self.verdict = self.verdict ?? outcome.verdict
            for step in outcome.steps {
                switch step {
                case .stretch(let container):
                    self.containers.append(container)
                    self.starts.append(self.bytes.count)
                case .link(_, let head, let offset): self.links.append((head.array, offset))
                case .bytes(let bytes): self.bytes += bytes.array
                case .title(let metadata):
                    self.titles.append(metadata.title ?? "")
                    self.titleOffsets.append(self.bytes.count)
                case .packet(let packet): self.times.append((packet.time, packet.offset))
                case .sign: break
                }
            }
        }
    }

    static func run(
        _ chunks: [[UInt8]],
        type: String? = "audio/mpeg",
        interval: Int? = nil,
        position: Int64 = 0,
        finishes: Bool = true
    ) -> Outcome {
        let fields = interval.map { [("icy-metaint", "\($0)")] } ?? []
        var feed = StreamFeed(
            StationInfo(headers: ICYHeaders(fields), mediaType: type, display: "radio.example"),
            charset: nil,
            time: .zero,
            position: position,
            limit: 1 << 20
        )
        var outcome = Outcome()
        for chunk in chunks { outcome.add(feed.push(ByteMemory(chunk))) }
        if finishes { outcome.add(feed.finish()) }
        return outcome
    }

    @Test(
        "gives the same sound in any portions, with the time of each packet",
        arguments: [1, 13, 144, 1000]
    )
    func portions(size: Int) {
        let bytes = NumberedFrames.frames(0..<50)
        let outcome = Self.run(bytes.split(by: size), position: 1000)
        #expect(outcome.bytes.elementsEqual(bytes))
        #expect(outcome.containers == [.mpegAudio])
        #expect(outcome.sound == .milliseconds(1800))
        #expect(outcome.times.count == 50)
        for (index, mark) in outcome.times.enumerated() {
            #expect(mark.time == .milliseconds(36 * index))
            #expect(mark.offset == Int64(1000 + 144 * index))
        }
    }

    @Test("leaves out a frame that the end of the connection has cut, wherever that is")
    func truncation() {
        let bytes = NumberedFrames.frames(0..<8)
        for count in 3 * 144..<bytes.count {
            let outcome = Self.run([Array(bytes[0..<count])])
            #expect(outcome.bytes.elementsEqual(bytes[0..<count / 144 * 144]), "\(count)")
        }
    }

    @Test(
        "leaves out the garbage in front",
        arguments: [0, 1, 1000, 20_000, 150_000],
        [nil, "audio/mpeg"]
    )
    func garbage(count: Int, type: String?) {
        var generator = SeededGenerator(seed: UInt64(count + 1))
        let garbage = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let bytes = NumberedFrames.frames(0..<1000)
        for size in [977, 32 << 10] {
            let outcome = Self.run((garbage + bytes).split(by: size), type: type)
            // Garbage may contain bytes that look like a frame, and these may hide a real frame.
            let numbers = NumberedFrames.numbers(outcome.bytes) ?? []
            #expect(numbers.count >= 998, "\(numbers.count)")
            #expect(outcome.verdict == nil)
        }
    }

    @Test(
        "begins another stream with the first byte of another format, and loses nothing",
        arguments: [100, 1400, 16 << 10]
    )
    func change(size: Int) {
        let first = NumberedFrames.frames(0..<200)
        let second = TinyADTS.frames(0..<900)
        let outcome = Self.run((first + second).split(by: size))
        #expect(outcome.containers == [.mpegAudio, .adts])
        #expect(outcome.starts == [0, first.count])
        #expect(outcome.bytes.elementsEqual(first + second))
        #expect(outcome.verdict == nil)
        let back = Self.run((second + first).split(by: size), type: "audio/aac")
        #expect(back.containers == [.adts, .mpegAudio])
        #expect(back.bytes.elementsEqual(second + first))
    }

    @Test("begins another stream before 9 KiB of the other format have come")
    func changeIsSeenSoon() {
        let first = NumberedFrames.frames(0..<200)
        let second = TinyADTS.frames(0..<90)
        let outcome = Self.run((first + second).split(by: 500), finishes: false)
        #expect(outcome.containers == [.mpegAudio, .adts])
        #expect(outcome.bytes.count >= first.count + second.count - 200)
    }

    @Test(
        "gives titles at their places in the sound",
        arguments: [1, 255, 1000, 65_536],
        [1, 100, 4096]
    )
    func titles(interval: Int, size: Int) {
        let count = interval == 65_536 ? 2000 : 40
        let bytes = NumberedFrames.frames(0..<count)
        let every = interval == 1 ? 300 : 3
        let body = bytes.withTitles(every: interval) { $0 % every == 0 ? "Title \($0)" : nil }
        let outcome = Self.run(body.split(by: size), interval: interval)
        #expect(outcome.bytes.elementsEqual(bytes))
        for (title, offset) in zip(outcome.titles, outcome.titleOffsets) {
            #expect(title == "Title \(offset / interval - 1)")
        }
        #expect(outcome.titles.count >= bytes.count / interval / every)
    }

    @Test("keeps only the newest titles while no sound comes")
    func manyTitles() {
        let bytes = [UInt8](repeating: 7, count: 5000) + NumberedFrames.frames(0..<20)
        let body = bytes.withTitles(every: 1) { "\($0) " + String(repeating: "x", count: 200) }
        let outcome = Self.run(body.split(by: 4096), interval: 1)
        #expect(outcome.containers == [.mpegAudio])
        // Of the titles before the first valid frames, the feed kept 64.
        #expect(outcome.titles.count <= 20 * NumberedFrames.size)
        let numbers = outcome.titles.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(numbers.count == outcome.titles.count && numbers.first.map { $0 >= 5000 } == true)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<))
    }

    @Test("takes no page for sound, and keeps nothing of a page", arguments: [1, 40, 4096])
    func pages(size: Int) {
        let page = Array("<!DOCTYPE html><html><head><title>Log in</title></head></html>".utf8)
        let outcome = Self.run(page.split(by: size))
        guard case .failure(let failure) = outcome.verdict else {
            Issue.record("a page is no sound")
            return
        }
        #expect(failure.loss.code == .notAudio)
        #expect(failure.loss.message.contains("HTML"))
        #expect(!failure.isRefusal)
        #expect(outcome.bytes.isEmpty)
    }

    @Test("counts a known format that cannot be played as a refusal")
    func foreign() {
        var bytes: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 50_000)
        bytes[5] = 1
        let outcome = Self.run([bytes], type: nil)
        guard case .failure(let failure) = outcome.verdict else {
            Issue.record("Matroska is not played")
            return
        }
        #expect(failure.isRefusal)
        #expect(failure.loss.message.contains("Matroska"))
    }

    @Test("gives the header pages of each Ogg stream of a chain", arguments: [1, 50, 100_000])
    func chain(size: Int) {
        var first = TinyOgg(serial: 1)
        var second = TinyOgg(serial: 2)
        let headers = [first.headers(title: "A"), second.headers(title: "Another")]
        let one = headers[0] + first.sound() + first.sound(isLast: true)
        let two = headers[1] + second.sound() + second.sound()
        let garbage: [UInt8] = [9, 9, 9]
        let outcome = Self.run((garbage + one + two).split(by: size), type: "application/ogg")
        #expect(outcome.containers == [.ogg])
        #expect(outcome.bytes.elementsEqual(one + two))
        #expect(outcome.links.map(\.head) == headers)
        #expect(outcome.links.map(\.offset) == [0, Int64(one.count)])
        #expect(outcome.sound > .milliseconds(780) && outcome.sound <= .milliseconds(800))
    }

    @Test("accepts interleaved Ogg streams, in any order")
    func interleavedPages() {
        for seed in UInt64(1)...300 {
            var generator = SeededGenerator(seed: seed)
            var streams = (UInt32(1)...3).map { TinyOgg(serial: $0) }
            var pages: [[UInt8]] = []
            for index in streams.indices {
                pages.append(streams[index].headers(title: "x"))
                for _ in 0..<4 { pages.append(streams[index].sound(packets: 3)) }
            }
            pages.shuffle(using: &generator)
            let bytes = pages.flatMap { $0 }
            let size = Int.random(in: 1...2000, using: &generator)
            let outcome = Self.run(bytes.split(by: size), type: "application/ogg")
            #expect(outcome.bytes.count <= bytes.count, "seed \(seed)")
            #expect(outcome.links.allSatisfy { $0.offset <= outcome.bytes.count }, "seed \(seed)")
        }
    }

    @Test("survives any bytes, and ends before it holds many")
    func noise() {
        for seed in UInt64(1)...30 {
            var generator = SeededGenerator(seed: seed)
            var chunks: [[UInt8]] = []
            for _ in 0..<60 {
                switch Int.random(in: 0...5, using: &generator) {
                case 0:
                    chunks.append(
                        NumberedFrames.frames(0..<Int.random(in: 1...9, using: &generator))
                    )
                case 1: chunks.append(TinyADTS.frames(0..<Int.random(in: 1...9, using: &generator)))
                case 2:
                    var ogg = TinyOgg(serial: UInt32(seed))
                    chunks.append(ogg.headers(title: "x") + ogg.sound())
                case 3: chunks.append(Array("OggSfLaCRIFF#EXTM3U<html>ID3".utf8))
                default:
                    let count = Int.random(in: 1...9000, using: &generator)
                    chunks.append(
                        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    )
                }
            }
            let outcome = Self.run(chunks, type: nil, interval: seed % 3 == 0 ? 77 : nil)
            #expect(outcome.bytes.count <= chunks.reduce(0) { $0 + $1.count }, "seed \(seed)")
        }
    }
}
