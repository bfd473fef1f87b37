// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAVFoundation
import WeirPlayerSimulation
import WeirTestKit

/// The short form; `Benchmarks/PlayerTrial` is the long one.
@Suite("A simulated player")
struct SimulationTests {
    @Test(
        "gets the right bytes in order, once, of one version, and an end, whatever happens",
        arguments: 0..<TestLength.short(5, long: 20)
    )
    func seeds(_ hundred: Int) {
        let base = UInt64(ProcessInfo.processInfo.environment["WEIR_SEED"] ?? "") ?? 0
        var failures = 0
        for seed in (base + UInt64(hundred) * 100)..<(base + UInt64(hundred + 1) * 100) {
            let report = ServerSimulation.run(seed: seed) { LoadingRequestServer(limits: $0) }
            guard !report.violations.isEmpty else { continue }
            failures += 1
            Issue.record("seed base \(base): \(report.failure)")
            if failures == 3 { return }
        }
    }

    @Test("gives the same run for the same seed")
    func repeats() {
        let first = ServerSimulation.run(seed: 7) { LoadingRequestServer(limits: $0) }
        let second = ServerSimulation.run(seed: 7) { LoadingRequestServer(limits: $0) }
        #expect(first.steps == second.steps)
        #expect(first.requests == second.requests)
        #expect(first.received == second.received)
    }
}
