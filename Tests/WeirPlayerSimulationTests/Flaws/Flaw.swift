// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayerSimulation

/// A way to break the contract, and the violations that show it.
struct Flaw: Sendable, CustomTestStringConvertible {
    /// The title of the test for this flaw.
    let testDescription: String
    /// The simulation must report a violation of at least one of these rules.
    let rules: Set<Violation.Rule>
    /// Makes a server with the flaw.
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
