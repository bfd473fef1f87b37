// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Joined FLAC files and chains of Ogg: each link is reached, in the time of the whole file")
struct JoinedLinksTests {
    @Test(
        "three files of 20 s: each second is where it is, exactly",
        arguments: [false, true],
        [true, false]
    )
    func equalParts(_ isOgg: Bool, _ isHeld: Bool) async throws {
        // flac --ogg gives streams that begin in the same second the same serial number.
        let part = JoinedFLAC.Part(frequency: 16_000)
        let joined = JoinedFLAC([part, part, part], isOgg: isOgg)
        for start in [0, 5, 18, 19.9, 20.1, 25, 45, 58, 59.8] {
            let landing = try #require(
                try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
            )
            let heard = try #require(landing.heard, "\(start)")
            #expect(landing.item.precision == .exact, "\(start)")
            #expect(abs(heard - start) < 0.001, "\(start): \(heard)")
            #expect(abs(landing.item.position / .seconds(1) - start) < 0.001, "\(start)")
            if let duration = landing.duration, landing.format?.duration?.certainty != .estimated {
                #expect(abs(duration - joined.seconds) < 0.01, "\(start): \(duration)")
            }
        }
    }

    @Test(
        "the length during playback is the length of all parts, or is not certain",
        arguments: [false, true],
        [true, false]
    )
    func length(_ isOgg: Bool, _ isHeld: Bool) async throws {
        let joined = JoinedFLAC(
            [.init(title: "One"), .init(seconds: 31, frequency: 16_000), .init(seconds: 12)],
            isOgg: isOgg
        )
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: KeptSource(joined.bytes, keeps: isHeld),
            start: .zero
        )
        var last: AudioFormat?
        var titles: [String?] = []
        while let entries = try await feed.next() {
            for entry in entries {
                if case .title(let title) = entry { titles.append(title.title) }
                guard case .format(let format) = entry else { continue }
                last = format
                guard let duration = format.duration, duration.certainty != .estimated else {
                    continue
                }
                let seconds = duration.samples.seconds(sampleRate: format.sampleRate)
                #expect(abs(seconds - joined.seconds) < 0.01, "\(format)")
            }
        }
        let format = try #require(last)
        let duration = try #require(format.duration)
        #expect(duration.certainty != .estimated)
        #expect(
            abs(duration.samples.seconds(sampleRate: format.sampleRate) - joined.seconds) < 0.01
        )
        #expect(titles == ["One", nil])
    }

    @Test("a position in a plain file is found with few reads, and the header has the length")
    func plain() async throws {
        for isOgg in [false, true] {
            let file = JoinedFLAC([.init(seconds: 120, frequency: 32_000)], isOgg: isOgg)
            let source = KeptSource(file.bytes, keeps: false)
            for start in [30.0, 60, 119] {
                let count = source.ranges.count
                let landing = try #require(
                    try await JoinedLanding.land(file, at: start, source: source)
                )
                #expect(abs(try #require(landing.heard) - start) < 0.001)
                #expect(landing.item.precision == .exact)
                #expect(landing.format?.duration?.certainty == .declared)
                #expect(abs(try #require(landing.duration) - 120) < 0.001)
                #expect(source.ranges.count - count <= 10, "\(source.ranges)")
            }
        }
    }

    @Test(
        "in any joined file, each target is met as precisely as the position claims",
        arguments: 1...12,
        [false, true]
    )
    func property(_ seed: Int, _ isOgg: Bool) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let isMixed = Bool.random(using: &generator)
        // Streams with one serial number can be told apart reliably only if their headers declare
        // their length.
        let hasTotal = Bool.random(using: &generator)
        let parts = (0..<Int.random(in: 2...5, using: &generator)).map { index in
            JoinedFLAC.Part(
                seconds: Double.random(in: 5...60, using: &generator),
                frequency: isMixed
                    ? [8000, 12_000].randomElement(using: &generator) ?? 8000 : 8000,
                blockSize: [512, 1024].randomElement(using: &generator) ?? 512,
                bits: [4...10, 3...12, 8...8].randomElement(using: &generator) ?? 4...10,
                hasTotal: hasTotal,
                serial: hasTotal ? 7 : UInt32(index),
                title: Bool.random(using: &generator) ? "Part \(index)" : nil
            )
        }
        let joined = JoinedFLAC(parts, isOgg: isOgg, seed: UInt64(seed))
        for isHeld in [true, false] {
            for _ in 0..<6 {
                let start = Double.random(in: 0..<joined.seconds - 0.5, using: &generator)
                let described =
                    "seed \(seed), \(start) of \(joined.seconds), held \(isHeld): \(parts)"
                let landing = try #require(
                    try await JoinedLanding.land(joined, at: start, isHeld: isHeld),
                    "\(described)"
                )
                let heard = try #require(landing.heard, "\(described)")
                let position = landing.item.position / .seconds(1)
                #expect(landing.item.precision == .exact, "\(described)")
                #expect(abs(heard - start) < 0.001, "\(heard): \(described)")
                #expect(abs(position - start) < 0.001, "\(position): \(described)")
                if let duration = landing.duration,
                    landing.format?.duration?.certainty != .estimated
                {
                    #expect(abs(duration - joined.seconds) < 0.01, "\(duration): \(described)")
                }
            }
        }
    }

    @Test(
        "stray bytes between FLAC files hide nothing",
        arguments: [1, 100, 100_000],
        [true, false]
    )
    func strayBytes(_ count: Int, _ isHeld: Bool) async throws {
        for byte in [0x78, 0] as [UInt8] {
            let joined = JoinedFLAC(
                [
                    .init(seconds: 60),
                    .init(seconds: 50, garbage: [UInt8](repeating: byte, count: count)),
                ],
                isOgg: false
            )
            for start in [0, 30, 59.9, 60.1, 80, 109.5] {
                let landing = try #require(
                    try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
                )
                let heard = try #require(landing.heard, "\(start)")
                #expect(abs(heard - start) < 0.001, "\(start): \(heard)")
            }
        }
    }

    @Test("a cut chain has no more sound than its whole pages, and its length is an estimate")
    func cutChain() async throws {
        let joined = JoinedFLAC(
            [.init(hasTotal: false, serial: 1), .init(hasTotal: false, serial: 2)],
            isOgg: true
        )
        for isHeld in [true, false] {
            for cut in [1, 7, 30, 1000, 2500] {
                let feed = MediaFeed(
                    item: QueuedItem(id: ItemID(number: 1), name: "file"),
                    source: KeptSource(joined.bytes.dropLast(cut), keeps: isHeld),
                    start: .zero
                )
                var last: AudioFormat?
                var heard: SampleCount = 0
                do {
                    while let entries = try await feed.next() {
                        for entry in entries {
                            if case .packet(let packet) = entry { heard = heard + packet.duration }
                            guard case .format(let format) = entry else { continue }
                            last = format
                            let certainty = format.duration?.certainty ?? .estimated
                            let isTrue = certainty == .estimated || format.section == 0
                            #expect(isTrue, "\(cut): \(format)")
                        }
                    }
                } catch let failure as PlayerFailure {
                    #expect(failure.message.contains("cut short"))
                }
                #expect(last?.duration == AudioDuration(heard, .estimated), "\(cut), \(isHeld)")
            }
        }
    }
}
