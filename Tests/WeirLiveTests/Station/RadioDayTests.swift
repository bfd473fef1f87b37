// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A day of radio")
struct RadioDayTests {
    private static var seeds: ClosedRange<UInt64> {
        1...TestLength.short(1, long: 8)
    }

    /// A connection drawn from a seed: it lasts some minutes, then one of many faults follows.
    private static func answer(_ number: Int, seed: UInt64) -> ScriptedAnswer {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 977)
        let minutes = Int.random(in: 60...600, using: &generator)
        let radio = ScriptedAnswer.Step.radio(for: .seconds(minutes), frames: 55)
        let garbage = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let broken = SourceError(.unreachable, "The connection was reset.")
        switch Int.random(in: 0...9, using: &generator) {
        case 0: return .fails(broken)
        case 1: return .hangs
        case 2: return .refuses(503)
        case 3: return .answers([.bytes(Array("<html>later</html>".utf8))], mediaType: "text/html")
        case 4: return .answers([radio, .hangs])
        case 5: return .answers([radio, .fails(broken)])
        case 6: return .answers([.bytes(garbage), radio])
        case 7: return .answers([radio, .wait(.seconds(5)), radio, .wait(.seconds(60))])
        default: return .answers([radio])
        }
    }

    @Test(
        "always reconnects, moves only forwards, and keeps no more at its end than at its beginning",
        arguments: Self.seeds
    )
    func day(seed: UInt64) async throws {
        let hours = TestLength.short(6, long: 24)
        try await Studio.scene(
            options: {
                $0.timeShiftByteCount = 4 << 20
                $0.policy.jitter = 0.2
                $0.seed = seed
            },
            script: { number, _ in Self.answer(number, seed: seed) }
        ).run { studio in
            let hearing = studio.hear(keepsBytes: false)
            var before: Int64 = 0
            var heard: [Int64] = []
            for _ in 0..<hours * 6 {
                try await studio.pass(.seconds(600))
                let count = hearing.state.value.byteCount
                heard.append(count - before)
                before = count
                #expect(studio.transport.openCount <= 1)
                let kept = studio.station.core.ring.end - studio.station.core.ring.oldest
                #expect(kept <= 4 << 20)
            }
            #expect(!hearing.state.value.isEnded)
            // Ten minutes are 2.4 MB; no such outage lasts longer than a few minutes.
            #expect(heard.allSatisfy { $0 > 1_200_000 }, "\(heard.min() ?? 0), seed \(seed)")
            #expect(before > Int64(hours) * 3600 * 4000 * 85 / 100, "\(before), seed \(seed)")
            #expect(studio.transport.calls.count > hours * 8)
            let offsets = hearing.stretches.map(\.stretch.offset)
            #expect(zip(offsets, offsets.dropFirst()).allSatisfy(<))
        }
    }
}
