// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

/// Commands from many tasks at once, in any order, on real threads; the long form has twenty times
/// as many.
@Suite("Storms of commands", .timeLimit(.minutes(TestLength.short(10, long: 60))))
struct CommandStormTests {
    private static let count = TestLength.short(500, long: 10_000)

    private enum Ending: CaseIterable {
        case stop
        case pause
        case play
        case stopAndPlayAndStop
    }

    @Test(
        "no storm ends in a deadlock, loses a stop, or leaves another state than the last command's"
    )
    func storms() async throws {
        let items = (0..<3).map { index in
            PlayerBench.item("item \(index)", WAVBytes.ramp(0..<400))
        }
        var endings: [String: Int] = [:]
        for seed in 0..<UInt64(Self.count) {
            let outcome = try await Self.storm(seed: seed, items)
            endings[outcome, default: 0] += 1
            if outcome.hasPrefix("wrong") {
                Issue.record("storm of seed \(seed): \(outcome)")
                return
            }
        }
        // The seeds have tried every ending.
        #expect(endings.count == Ending.allCases.count)
    }

    private static func storm(seed: UInt64, _ items: [PlayerItem]) async throws -> String {
        let sink = NullSink(capacity: .milliseconds(20))
        let clock = CountingClock()
        let player = Player(
            decoders: [PCMDecoderFactory()],
            sink: sink,
            options: PlayerOptions(clock: clock, tick: .milliseconds(5))
        )
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(worker))
                    for _ in 0..<12 {
                        Self.command(player, items, &generator)
                        if Bool.random(using: &generator) { await Task.yield() }
                    }
                }
            }
        }
        var generator = SeededGenerator(seed: seed)
        let ending = Ending.allCases[Int.random(in: 0..<Ending.allCases.count, using: &generator)]
        return try await Self.end(player, clock, items, ending)
    }

    private static func command(
        _ player: Player,
        _ items: [PlayerItem],
        _ generator: inout SeededGenerator
    ) {
        switch Int.random(in: 0..<13, using: &generator) {
        case 0, 1: player.play(items, startingAt: Int.random(in: 0..<3, using: &generator))
        case 2: player.stop()
        case 3: player.pause()
        case 4: player.resume()
        case 5: player.seek(to: .milliseconds(Int.random(in: -20...100, using: &generator)))
        case 6: player.next()
        case 7: player.previous()
        case 8: player.deviceChanged()
        case 9: player.interruptionBegan()
        case 10: player.interruptionEnded(shouldResume: Bool.random(using: &generator))
        case 11: player.start()
        default: player.volume = Double.random(in: 0...1, using: &generator)
        }
    }

    /// Sends the last commands, one after the other, and checks the resulting state.
    private static func end(
        _ player: Player,
        _ clock: CountingClock,
        _ items: [PlayerItem],
        _ ending: Ending
    ) async throws -> String {
        switch ending {
        case .stop:
            let wasStarted = player.snapshot.state != .initialized
            player.stop()
            let end = await player.waitUntilStopped()
            guard end.state == .stopped || !wasStarted else { return "wrong: \(end.state)" }
            return "stop"
        case .pause:
            player.play(items)
            player.pause()
            guard player.snapshot.state == .paused else { return "wrong: not paused" }
            let paused = player.snapshot
            // The player has checked the sink again, more than once.
            for _ in 0..<3 { try await clock.sleepsEnded.wait(after: clock.sleepsEnded.count) }
            guard player.snapshot.state == .paused, player.snapshot.position == paused.position
            else {
                return "wrong: moved while paused"
            }
            player.stop()
            guard await player.waitUntilStopped().stopReason == .user else { return "wrong reason" }
            return "pause"
        case .play:
            player.play([items[0]])
            let end = await player.waitUntilStopped()
            guard end.state == .stopped, end.stopReason == .endOfStream else {
                return "wrong: \(end.state) \(end.stopReason)"
            }
            guard end.position == .milliseconds(50) else { return "wrong: \(end.position)" }
            return "play"
        case .stopAndPlayAndStop:
            player.stop()
            player.play(items)
            player.stop()
            let end = await player.waitUntilStopped()
            guard end.state == .stopped, end.stopReason == .user else {
                return "wrong: \(end.state) \(end.stopReason)"
            }
            return "restart"
        }
    }
}

/// The real clock; it counts the sleeps that have ended.
private struct CountingClock: Clock {
    let sleepsEnded = Signal()

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
        self.sleepsEnded.raise()
    }
}
