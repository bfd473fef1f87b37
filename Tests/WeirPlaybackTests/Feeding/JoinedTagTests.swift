// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Joined MP3 files: tags that do not count the joined bytes")
struct JoinedTagTests {
    @Test(
        "a tag that counts frames but not bytes does not apply to the next part",
        arguments: [JoinedMPEG.Kind.varying, .constant],
        [JoinedMPEG.Kind.untagged, .varying]
    )
    func noByteCount(_ kind: JoinedMPEG.Kind, _ other: JoinedMPEG.Kind) async throws {
        let joined = JoinedMPEG([
            .init(kind: kind, rate: 9, seconds: 60, countsBytes: false),
            .init(kind: other, rate: 9, seconds: 120),
        ])
        for isHeld in [true, false] {
            for start in [0, 30, 70, 120, 175.0] {
                let landing = try #require(
                    try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
                )
                let heard = try #require(landing.heard, "\(start): \(landing)")
                let position = landing.item.position / .seconds(1)
                let isExact = landing.item.precision == .exact
                let most = isExact ? 0.001 : 20
                #expect(abs(heard - position) < most, "\(start): \(heard), \(position)")
                #expect(abs(heard - start) < most, "\(start): \(heard)")
                let duration = try #require(landing.format?.duration)
                if duration.certainty != .estimated {
                    let seconds = try #require(landing.duration)
                    #expect(abs(seconds - joined.seconds) < 0.01, "\(start): \(duration)")
                }
            }
        }
    }

    @Test(
        "the next part is found, however short it is, and the first part's tag is still trusted",
        arguments: JoinedMPEG.Kind.allCases,
        [0.3, 0.6, 1.5]
    )
    func shortEnd(_ kind: JoinedMPEG.Kind, _ seconds: Double) async throws {
        let joined = JoinedMPEG([
            .init(seconds: 60), .init(kind: kind, seconds: seconds, delay: 0, padding: 600),
        ])
        for isHeld in [true, false] {
            for start in [0, 30, joined.seconds - 0.1] {
                let landing = try #require(
                    try await JoinedLanding.land(joined, at: start, isHeld: isHeld)
                )
                let heard = try #require(landing.heard, "\(start): \(landing)")
                #expect(landing.item.precision == .exact, "\(start)")
                #expect(abs(heard - start) < 0.001, "\(start): \(heard)")
                let duration = try #require(landing.duration)
                if landing.format?.duration?.certainty != .estimated {
                    #expect(abs(duration - joined.seconds) < 0.01, "\(start): \(duration)")
                }
            }
            let feed = MediaFeed(
                item: QueuedItem(id: ItemID(number: 1), name: "file"),
                source: KeptSource(joined.bytes, keeps: isHeld),
                start: .zero
            )
            var heard = 0.0
            while let entries = try await feed.next() {
                for entry in entries {
                    if case .trouble(let trouble) = entry { Issue.record("\(trouble)") }
                    guard case .packet(let packet) = entry else { continue }
                    let trim = packet.trimStart + packet.trimEnd
                    heard += (packet.duration - trim).seconds(sampleRate: 44_100)
                }
            }
            #expect(abs(heard - joined.seconds) < 0.0001, "\(heard)")
        }
    }

    @Test(
        "a large tag between two files moves no exact position",
        arguments: [JoinedMPEG.Kind.constant, .varying],
        [4096, 65_536, 1 << 20]
    )
    func largeTag(_ kind: JoinedMPEG.Kind, _ chunkSize: Int) async throws {
        let joined = JoinedMPEG([
            .init(kind: kind, seconds: 6, padding: 936, title: "One", paddingByteCount: 500_000),
            .init(kind: kind, seconds: 5, padding: 936, title: "Two", paddingByteCount: 500_000),
        ])
        for isHeld in [true, false] {
            for start in [3, 5.9, 6.1, 9, 10.5] {
                let landing = try #require(
                    try await JoinedLanding.land(
                        joined,
                        at: start,
                        source: KeptSource(joined.bytes, keeps: isHeld, chunkSize: chunkSize)
                    )
                )
                let heard = try #require(landing.heard, "\(start): \(landing)")
                let isExact = landing.item.precision == .exact
                #expect(isExact || !isHeld, "\(start)")
                #expect(abs(heard - start) < (isExact ? 0.0001 : 4), "\(start): \(heard)")
            }
        }
    }
}
