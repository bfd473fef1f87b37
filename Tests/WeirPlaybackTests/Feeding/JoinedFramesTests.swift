// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Joined files without tags: every part is reached")
struct JoinedFramesTests {
    @Test(
        "a first part of another sample rate hides no later part",
        arguments: JoinedFrames.Codec.allCases,
        [true, false]
    )
    func otherRate(_ codec: JoinedFrames.Codec, _ isHeld: Bool) async throws {
        let joined = JoinedFrames(
            codec,
            [
                .init(seconds: 30), .init(frequency: 1, seconds: 60),
                .init(frequency: 0, kilobits: 192, seconds: 30),
            ]
        )
        for start in [20, 40, 75, 100, 115.0] {
            let landing = try #require(
                try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
            )
            let heard = try #require(landing.heard, "\(start): \(landing)")
            let position = landing.item.position / .seconds(1)
            let most = landing.item.precision == .exact ? 0.001 : 5
            #expect(abs(heard - position) < most, "\(start): \(heard), \(position)")
            #expect(abs(heard - start) < most, "\(start): \(heard)")
            #expect(landing.item.precision == .exact || !isHeld, "\(start)")
        }
    }

    @Test(
        "near an estimated end the file is measured further, before a start counts as behind the end",
        arguments: JoinedFrames.Codec.allCases
    )
    func hiddenPart(_ codec: JoinedFrames.Codec) async throws {
        // The middle part is long, and has few bytes.
        let joined = JoinedFrames(
            codec,
            [
                .init(kilobits: 320, seconds: 40), .init(kilobits: 32, seconds: 100),
                .init(kilobits: 320, seconds: 80),
            ]
        )
        // The estimate is a second short. A target less than a second behind the estimated end
        // counts as the end.
        for start in [150, 180, 210, 218.0] {
            let landing = try #require(
                try await JoinedLanding.land(joined, at: start, isHeld: false)
            )
            let heard = try #require(landing.heard, "\(start): \(landing)")
            let position = landing.item.position / .seconds(1)
            let most = landing.item.precision == .exact ? 0.001 : 5
            #expect(abs(heard - position) < most, "\(start): \(heard), \(position)")
            #expect(abs(heard - start) < most, "\(start): \(heard)")
        }
    }

    @Test("a start far behind the end reads less than half of the file")
    func farBehind() async throws {
        let joined = JoinedFrames(.mp3, [.init(kilobits: 320, seconds: 60)])
        let source = KeptSource(joined.bytes, keeps: false)
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: source,
            start: .seconds(4000)
        )
        while try await feed.next() != nil {}
        let read = source.ranges.filter { $0.upperBound < Int64(joined.bytes.count) }
        #expect(read.reduce(0) { $0 + $1.count } < joined.bytes.count / 2)
    }

    @Test(
        "in any joined file, each target is met as precisely as the position claims",
        arguments: 1...10,
        JoinedFrames.Codec.allCases
    )
    func property(_ seed: Int, _ codec: JoinedFrames.Codec) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let parts = (0..<Int.random(in: 2...5, using: &generator)).map { _ in
            JoinedFrames.Part(
                frequency: Int.random(in: 0...2, using: &generator),
                kilobits: [64, 96, 128, 192, 320].randomElement(using: &generator) ?? 128,
                seconds: Double.random(in: 5...60, using: &generator)
            )
        }
        let joined = JoinedFrames(codec, parts, seed: UInt64(seed))
        for isHeld in [true, false] {
            for _ in 0..<4 {
                let start = Double.random(in: 0..<joined.seconds - 0.5, using: &generator)
                let described =
                    "seed \(seed), \(start) of \(joined.seconds), held \(isHeld): \(parts)"
                let landing = try #require(
                    try await JoinedLanding.land(joined, at: start, isHeld: isHeld),
                    "\(described)"
                )
                let heard = try #require(landing.heard, "\(described)")
                let position = landing.item.position / .seconds(1)
                let isExact = landing.item.precision == .exact
                #expect(isExact || !isHeld, "\(described)")
                let most = isExact ? 0.001 : max(5, joined.seconds / 5)
                #expect(abs(heard - position) < most, "\(heard) at \(position): \(described)")
                #expect(abs(heard - start) < most, "\(heard): \(described)")
                if let duration = landing.duration,
                    landing.format?.duration?.certainty != .estimated
                {
                    #expect(abs(duration - joined.seconds) < 0.01, "\(duration): \(described)")
                }
            }
        }
    }
}
