// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A listener that moves")
struct StationMovingTests {
    @Test("hears the earlier sound again, and then everything after it without a gap")
    func back() async throws {
        try await Studio.scene(script: { _, _ in .answers([.radio(for: nil)]) }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(60))
            #expect(hearing.listener.rewindable > .seconds(58))
            #expect(hearing.listener.behindLive < .seconds(1))
            hearing.listener.move(toBehindLive: .seconds(30))
            #expect(hearing.listener.behindLive >= .seconds(30))
            #expect(hearing.listener.behindLive < .seconds(31))
            try await studio.pass(.seconds(10))
            #expect(hearing.causes == ["joined", "moved"])
            let stretches = hearing.stretches
            let first = try #require(NumberedFrames.numbers(stretches[0].bytes))
            let second = try #require(NumberedFrames.numbers(stretches[1].bytes))
            let last = try #require(first.last)
            let back = try #require(second.first)
            #expect(NumberedFrames.duration * (last - back) >= .seconds(29))
            #expect(Studio.missed(second) == .zero)
            // Nothing holds bytes back: a listener that moves gets all bytes up to the live end at once.
            #expect(hearing.listener.behindLive < .seconds(1))
        }
    }

    @Test(
        "moves no further back than the oldest kept sound, and no further forward than the live end"
    )
    func clamped() async throws {
        try await Studio.scene(
            options: { $0.timeShift = .seconds(20) },
            script: { _, _ in .answers([.radio(for: nil)]) }
        ).run { studio in
            let listener = studio.station.listen()
            try await studio.pass(.seconds(60))
            #expect(listener.rewindable >= .seconds(20))
            listener.move(toBehindLive: .seconds(100_000))
            #expect(listener.behindLive <= listener.rewindable)
            listener.move(toBehindLive: .seconds(-5))
            #expect(listener.behindLive < .seconds(1))
            listener.goLive()
            #expect(listener.behindLive < .seconds(1))
        }
    }

    @Test("joins in the past, over the gap of a lost connection")
    func behind() async throws {
        try await Studio.scene(script: { number, _ in
            number < 2 ? .answers([.radio(for: .seconds(12))]) : .answers([.radio(for: nil)])
        }).run { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(30))
            let late = studio.hear(from: .behind(.seconds(20)))
            try await studio.pass(.seconds(1))
            #expect(late.causes == ["joined", "reconnected(ended)", "reconnected(ended)"])
            #expect(late.numbers != nil)
        }
    }

    @Test(
        "that is slow loses the oldest sound, receives a notice of it, and delays no other listener"
    )
    func slow() async throws {
        try await Studio.scene(
            options: { $0.timeShift = .seconds(20) },
            script: { _, _ in .answers([.radio(for: nil)]) }
        ).run { studio in
            let listener = studio.station.listen()
            let fast = studio.hear()
            _ = try await listener.next()
            try await studio.pass(.seconds(600))
            let piece = try await listener.next()
            guard case .stretch(let stretch) = piece else {
                Issue.record("the listener gets a stretch")
                return
            }
            #expect(stretch.cause == .fellBehind)
            #expect(stretch.gap > .seconds(500))
            #expect(fast.causes == ["joined"])
            #expect(Studio.missed(fast.numbers ?? [1, 0]) == .zero)
        }
    }
}
