// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive
import WeirSource
import WeirTestKit

/// A station's figures, for a program to show.
@Suite struct StationFiguresTests {
    /// A broadcast with one title up to a unit, and another one from that unit on.
    private static func titled(_ first: String, until change: Int, then second: String)
        -> Broadcast
    {
        var broadcast = Broadcast.mp3
        broadcast.titles = (interval: 1_000, title: { $0 < change ? first : second })
        return broadcast
    }

    @Test("A station without listeners is idle, and has no sound and no title")
    func idle() async throws {
        try await Studio.scene { _, _ in
            .broadcasts(.mp3, for: nil)
        }.run { studio in
            let figures = studio.station.figures
            #expect(figures.status.phase == .idle)
            #expect(figures.title == nil)
            #expect(figures.buffered == .zero)
            #expect(figures.listenerCount == 0)
            #expect(studio.transport.calls.isEmpty, "to look asks nothing")
        }
    }

    @Test("The kept sound grows up to the time shift")
    func buffered() async throws {
        try await Studio.scene(options: { $0.timeShift = .seconds(60) }) { _, _ in
            .broadcasts(.mp3, for: nil)
        }.run { studio in
            let hearing = studio.hear(keepsBytes: false)
            try await studio.pass(.seconds(20))
            let early = studio.station.figures
            #expect(early.status.phase == .live)
            #expect(early.timeShift == .seconds(60))
            #expect(early.buffered > .seconds(15) && early.buffered < .seconds(30))
            try await studio.pass(.seconds(4_000))
            // The station drops sound in blocks; at so low a bit rate each block lasts minutes.
            let late = studio.station.figures
            #expect(late.buffered >= .seconds(60) && late.buffered < .seconds(2_000))
            hearing.listener.cancel()
        }
    }

    @Test("Listeners are counted while they listen")
    func listeners() async throws {
        try await Studio.scene { _, _ in
            .broadcasts(.mp3, for: nil)
        }.run { studio in
            let first = studio.hear(keepsBytes: false)
            let second = studio.hear(keepsBytes: false)
            try await studio.pass(.seconds(5))
            #expect(studio.station.figures.listenerCount == 2)
            first.listener.cancel()
            try await studio.pass(.seconds(1))
            #expect(studio.station.figures.listenerCount == 1)
            second.listener.cancel()
            try await studio.pass(.seconds(1))
            #expect(studio.station.figures.listenerCount == 0)
        }
    }

    @Test("The title is the last one that was sent")
    func titles() async throws {
        // The broadcast has been running for 600 s when the test begins.
        let change = Broadcast.mp3.number(at: .seconds(30))
        let broadcast = Self.titled("One", until: change, then: "Two")
        try await Studio.scene { _, _ in
            .broadcasts(broadcast, for: nil)
        }.run { studio in
            let hearing = studio.hear(keepsBytes: false)
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.title == "One")
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.title == "Two")
            hearing.listener.cancel()
        }
    }

    @Test("An empty title clears the title, and another stream begins without one")
    func cleared() async throws {
        let change = Broadcast.mp3.number(at: .seconds(30))
        let broadcast = Self.titled("One", until: change, then: "")
        try await Studio.scene { number, _ in
            switch number {
            case 0: .broadcasts(broadcast, for: .seconds(60))
            case 1: .broadcasts(Self.titled("Again", until: .max, then: ""), for: .seconds(60))
            // The next connection does not continue the sound.
            default: .broadcasts(.aac, for: nil)
            }
        }.run { studio in
            let hearing = studio.hear(keepsBytes: false)
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.title == "One")
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.title == nil)
            while studio.transport.calls.count < 2 { try await studio.pass(.seconds(1)) }
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.title == "Again")
            while studio.transport.calls.count < 3 { try await studio.pass(.seconds(1)) }
            try await studio.pass(.seconds(20))
            #expect(studio.station.figures.status.phase == .live)
            #expect(studio.station.figures.title == nil)
            hearing.listener.cancel()
        }
    }
}
