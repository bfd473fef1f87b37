// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAVFoundation
import WeirPlayerSimulation
import WeirSource
import WeirTestKit

@Suite("A simulated player on real loaders, caches and files", .timeLimit(.minutes(20)))
struct LivePlayTests {
    private static let count =
        TestLength.short(100, long: 5000)

    @Test(
        "gets every byte right in any order of requests, and fetches no byte of the origin twice"
    )
    func plays() async throws {
        for seed in 1...UInt64(Self.count) {
            let scenario = Self.scenario(seed)
            let play = try LivePlay(scenario, seed: seed)
            let violations = try await play.run()
            #expect(
                violations.isEmpty,
                "seed \(seed), \(scenario.script.name): \(violations.prefix(3))"
            )
            let (repeated, allowed) = play.repeated
            #expect(repeated <= allowed, "seed \(seed), \(scenario.script.name)")
        }
    }

    @Test("plays each recorded sequence of requests", arguments: PlayerScript.reference)
    func reference(_ script: PlayerScript) async throws {
        // Only tests without a disk can use a length of two gigabytes. The simulation tests failing
        // origins.
        var script = script.length > 10_000_000 ? script.scaled(to: 4_000_000) : script
        script.failsAt = nil
        let play = try LivePlay(Scenario(script), seed: 0)
        #expect(try await play.run() == [])
        let (repeated, allowed) = play.repeated
        #expect(repeated <= allowed)
    }

    /// A scenario of the simulation with sources that work and with short waits.
    private static func scenario(_ seed: UInt64) -> Scenario {
        let drawn = Scenario(seed: seed)
        let length = drawn.script.length
        let script = length > 300_000 ? drawn.script.scaled(to: 60_000) : drawn.script
        var limits = drawn.limits
        limits.gathering = .milliseconds(1)
        limits.patience = .milliseconds(1)
        // No event tells a live player that everything is idle, so a player that keeps all bytes
        // would wait forever.
        limits.ceiling = .max
        var scenario = Scenario(script, limits: limits)
        scenario.releases = drawn.releases
        for asset in scenario.media.indices {
            scenario.media[asset].mediaType = drawn.media[asset].mediaType
        }
        return scenario
    }
}
