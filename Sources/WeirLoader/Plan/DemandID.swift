// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Names one reader's demand within a plan.
struct DemandID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "d\(self.rawValue)" }
}
