// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Names one request to the origin within a plan.
struct FetchID: Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int
    var description: String { "f\(self.rawValue)" }
}
