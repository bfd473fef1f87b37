// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Joined MP3 files: the targets of seeks, the lengths and the titles")
struct JoinedMediaTests {
    private static func land(
        _ joined: some JoinedFile,
        at start: Double,
        isHeld: Bool
    ) async throws -> JoinedLanding? {
        try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
    }

    @Test(
        "120 s at 128 kbit/s and 120 s at 64: 150 s are 150 s, exactly",
        arguments: [true, false]
    )
    func twoRates(_ isHeld: Bool) async throws {
        let joined = JoinedMPEG([
            .init(rate: 9, seconds: 120), .init(rate: 5, seconds: 120),
        ])
        for start in [10, 119.9, 120.1, 150, 239] {
            let landing = try #require(
                try await Self.land(joined, at: start, isHeld: isHeld)
            )
            let heard = try #require(landing.heard)
            #expect(landing.item.precision == .exact, "\(start)")
            #expect(abs(heard - start) < 0.0001, "\(start): \(heard)")
            #expect(abs(landing.item.position / .seconds(1) - heard) < 0.0001, "\(start)")
            let duration = try #require(landing.duration)
            #expect(abs(duration - joined.seconds) < 0.01, "\(start): \(duration)")
            #expect(landing.format?.duration?.certainty != .estimated)
        }
    }

    @Test("30 s at 64 kbit/s in front of 210 s at 128: the length is right from the start")
    func advertisement() async throws {
        let joined = JoinedMPEG([
            .init(rate: 5, seconds: 30), .init(rate: 9, seconds: 210),
        ])
        for (start, isHeld) in [(0.0, false), (120, false), (0, true), (120, true)] {
            let landing = try #require(
                try await Self.land(joined, at: start, isHeld: isHeld)
            )
            let duration = try #require(landing.duration)
            #expect(abs(duration - joined.seconds) < 0.01, "\(start): \(duration)")
            #expect(abs(try #require(landing.heard) - start) < 0.0001)
        }
    }

    @Test("behind the end of a first part with a table, positions are found, too")
    func table() async throws {
        let joined = JoinedMPEG([
            .init(kind: .varying, seconds: 120), .init(rate: 9, seconds: 120),
        ])
        for isHeld in [true, false] {
            for start in [60, 130, 200, 236.0] {
                let landing = try #require(
                    try await Self.land(joined, at: start, isHeld: isHeld)
                )
                let heard = try #require(landing.heard, "\(start)")
                let position = landing.item.position / .seconds(1)
                let isExact = landing.item.precision == .exact
                #expect(abs(position - heard) < (isExact ? 0.0001 : 4), "\(start): \(landing)")
                #expect(abs(heard - start) < (isExact ? 0.0001 : 4), "\(start): \(landing)")
                #expect(isExact || (!isHeld && start < 120), "\(start)")
            }
        }
    }

    @Test(
        "in any joined file, each target is met as precisely as the position claims",
        arguments: 1...24
    )
    func property(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 2...5, using: &generator)
        let isMixed = Bool.random(using: &generator)
        let parts = (0..<count).map { index in
            JoinedMPEG.Part(
                kind: JoinedMPEG.Kind.allCases.randomElement(using: &generator) ?? .constant,
                rate: [5, 7, 9, 11].randomElement(using: &generator) ?? 9,
                frequency: isMixed ? Int.random(in: 0...2, using: &generator) : 0,
                seconds: Double.random(in: 5...60, using: &generator),
                delay: Int.random(in: 0...2000, using: &generator),
                padding: Int.random(in: 0...2000, using: &generator),
                title: Bool.random(using: &generator) ? "Part \(index)" : nil
            )
        }
        let joined = JoinedMPEG(parts, seed: UInt64(seed))
        let hasTags = parts.allSatisfy { $0.kind != .untagged }
        for isHeld in [true, false] {
            for _ in 0..<6 {
                let start = Double.random(in: 0..<joined.seconds - 0.5, using: &generator)
                let length = joined.seconds
                let described = "seed \(seed), \(start) of \(length), held \(isHeld): \(parts)"
                let landing = try #require(
                    try await Self.land(joined, at: start, isHeld: isHeld),
                    "\(described)"
                )
                let position = landing.item.position / .seconds(1)
                let isExact = landing.item.precision == .exact
                #expect(isExact || !isHeld, "\(described)")
                // The largest error in seconds. A table has steps of a hundredth of its part; an
                // estimate without tags may be off by a fifth of the file.
                let most = isExact ? 0.0002 : hasTags ? 4 : max(5, joined.seconds / 5)
                if let heard = landing.heard {
                    #expect(abs(heard - position) < most, "\(heard) at \(position): \(described)")
                    #expect(abs(heard - start) < most, "\(heard): \(described)")
                } else {
                    #expect(!isExact, "\(described)")
                }
                if let duration = landing.duration,
                    let certainty = landing.format?.duration?.certainty
                {
                    let isSure = certainty != .estimated
                    let leeway = isSure ? 0.01 : joined.seconds
                    #expect(abs(duration - joined.seconds) <= leeway, "\(duration): \(described)")
                    #expect(!hasTags || isSure, "\(duration): \(described)")
                }
            }
        }
    }

    @Test("the end of a part is trimmed, whatever part follows")
    func endTrim() async throws {
        for kind in JoinedMPEG.Kind.allCases {
            let joined = JoinedMPEG([
                .init(rate: 9, seconds: 40), .init(kind: kind, rate: 11, seconds: 60),
            ])
            let feed = MediaFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "file"),
                source: KeptSource(joined.bytes),
                start: .zero
            )
            var heard = 0.0
            while let entries = try await feed.next() {
                for case .packet(let packet) in entries {
                    let trim = packet.trimStart + packet.trimEnd
                    heard += (packet.duration - trim).seconds(sampleRate: 44_100)
                }
                for case .trouble(let trouble) in entries { Issue.record("\(kind): \(trouble)") }
            }
            #expect(abs(heard - joined.seconds) < 0.0001, "\(kind): \(heard)")
        }
    }

    @Test("a title ends with its part")
    func titles() async throws {
        let joined = JoinedMPEG([
            .init(seconds: 5, title: "One"), .init(rate: 11, seconds: 5),
            .init(seconds: 5, title: "Three"),
        ])
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: KeptSource(joined.bytes),
            start: .zero
        )
        var titles: [String?] = []
        while let entries = try await feed.next() {
            for case .title(let title) in entries { titles.append(title.title) }
        }
        #expect(titles == ["One", nil, "Three"])
    }

    @Test(
        "a file with fewer bytes than its tag declares plays to its end, and then fails",
        arguments: JoinedMPEG.Kind.allCases
    )
    func cutShort(_ kind: JoinedMPEG.Kind) async throws {
        guard kind != .untagged else { return }
        let whole = JoinedMPEG([.init(kind: kind, seconds: 60)])
        let bytes = Array(whole.bytes.prefix(whole.bytes.count * 2 / 3))
        for start in [0.0, 20] {
            let feed = MediaFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "song.mp3"),
                source: KeptSource(bytes),
                start: .seconds(start)
            )
            var format: AudioFormat?
            var last: Int64 = 0
            let failure = await #expect(throws: PlayerFailure.self) {
                while let entries = try await feed.next() {
                    for entry in entries {
                        if case .format(let new) = entry { format = new }
                        if case .packet(let packet) = entry { last = packet.offset }
                    }
                }
            }
            #expect(failure?.code == .notAudio)
            #expect(failure?.message.contains("song.mp3 is cut short") == true)
            #expect(last > Int64(bytes.count) - 3000)
            #expect(format?.duration?.certainty == .estimated)
        }
    }
}
