// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayerSimulation

@testable import WeirAVFoundation

/// The simulation must detect a server that breaks a rule.
///
/// Each flaw spoils the behaviour of a correct server; together the flaws break every rule.
@Suite("A broken server")
struct BrokenServerTests {
    private static let seeds: Range<UInt64> = 0..<400

    @Test("is detected by the rule that it breaks", arguments: Flaw.all)
    func caught(_ flaw: Flaw) {
        var reported: Set<Violation.Rule> = []
        for seed in Self.seeds {
            let scenario = Scenario(seed: seed)
            var simulation = ServerSimulation(scenario, seed: seed, make: flaw.make)
            let rules = Set(simulation.run().violations.map(\.rule))
            reported.formUnion(rules)
            guard !rules.isDisjoint(with: flaw.rules) else { continue }
            let sound = ServerSimulation.run(seed: seed) { LoadingRequestServer(limits: $0) }
            #expect(sound.violations.isEmpty, "\(sound.failure)")
            return
        }
        Issue.record("\(flaw.testDescription): \(flaw.rules) not in \(reported)")
    }

    @Test("every rule has a flaw that breaks it")
    func everyRule() {
        let broken = Flaw.all.reduce(into: Set<Violation.Rule>()) { $0.formUnion($1.rules) }
        let missing = Set(Violation.Rule.allCases).subtracting(broken)
        #expect(missing.isEmpty, "\(missing)")
    }
}
