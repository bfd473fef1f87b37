// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

/// Commands from many tasks at once, in any order, on real threads; the long form has twenty times as many.
@Suite("Storms of commands")
struct CommandStormTests {
    private static let count =
        ProcessInfo.processInfo.environment["WEIR_LONG"] == nil ? 500 : 10_000

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
        // Every ending was tried.
        #expect(endings.count == Ending.allCases.count)
    }

    private static func storm(seed: UInt64, _ items: [PlayerItem]) async throws -> String {
        let sink = NullSink(capacity: .milliseconds(20))
        let player = Player(
            decoders: [PCMDecoderFactory()],
            sink: sink,
            options: PlayerOptions(tick: .milliseconds(5))
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
        return try await Self.end(player, items, ending)
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
        default: player.setVolume(Double.random(in: 0...1, using: &generator))
        }
    }

    /// The last commands, one after the other, and what the machine says of them.
    private static func end(
        _ player: Player,
        _ items: [PlayerItem],
        _ ending: Ending
    ) async throws -> String {
        switch ending {
        case .stop:
            let wasStarted = player.snapshot.state != .initialized
            player.stop()
            let end = try await Self.stopped(player)
            guard end.state == .stopped || !wasStarted else { return "wrong: \(end.state)" }
            return "stop"
        case .pause:
            player.play(items)
            player.pause()
            guard player.snapshot.state == .paused else { return "wrong: not paused" }
            let held = player.snapshot
            try await Task.sleep(for: .milliseconds(10))
            guard player.snapshot.state == .paused, player.snapshot.position == held.position else {
                return "wrong: moved while paused"
            }
            player.stop()
            guard try await Self.stopped(player).stopReason == .user else { return "wrong reason" }
            return "pause"
        case .play:
            player.play([items[0]])
            let end = try await Self.stopped(player)
            guard end.state == .stopped, end.stopReason == .endOfStream else {
                return "wrong: \(end.state) \(end.stopReason)"
            }
            guard end.position == .milliseconds(50) else { return "wrong: \(end.position)" }
            return "play"
        case .stopAndPlayAndStop:
            player.stop()
            player.play(items)
            player.stop()
            let end = try await Self.stopped(player)
            guard end.state == .stopped, end.stopReason == .user else {
                return "wrong: \(end.state) \(end.stopReason)"
            }
            return "restart"
        }
    }

    /// What the player says when it has stopped; a minute is more than any of these takes.
    private static func stopped(_ player: Player) async throws -> PlayerSnapshot {
        try await withThrowingTaskGroup(of: PlayerSnapshot?.self) { group in
            group.addTask { await player.waitUntilStopped() }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let snapshot = first else {
                throw Deadlock(snapshot: "\(player.snapshot)")
            }
            return snapshot
        }
    }

    private struct Deadlock: Error {
        let snapshot: String
    }
}
