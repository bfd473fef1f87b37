// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayerSimulation

/// A way to break the contract, and what the simulation must say of it.
struct Flaw: Sendable, CustomTestStringConvertible {
    /// What the test that it is for promises.
    let testDescription: String
    /// What must be reported.
    let rules: Set<Violation.Rule>
    /// Breaks it.
    let make: @Sendable (Limits) -> BrokenServer

    init(
        _ sentence: String,
        _ rules: Violation.Rule...,
        make: @escaping @Sendable (Limits) -> BrokenServer
    ) {
        self.testDescription = sentence
        self.rules = Set(rules)
        self.make = make
    }

    static let all: [Flaw] = information + bytes + pieces + ends + cancellations + source + order
}
