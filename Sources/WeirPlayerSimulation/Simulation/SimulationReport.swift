// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAVFoundation

/// What came of a simulation.
public struct SimulationReport: Sendable {
    /// What it followed from.
    public let seed: UInt64
    /// The script that was played, by name.
    public let script: String
    /// What was wrong.
    public var violations: [Violation] = []
    /// How many things happened.
    public var steps = 0
    /// The requests, in the order in which they were made.
    public var requests: [LoadingRequestServer.Request] = []
    /// How many bytes each of them got.
    public var received: [Int64] = []
    /// How many bytes came from the sources.
    public var arrived: Int64 = 0
    /// How many of these had come before: what a source that keeps nothing would be asked for again.
    public var arrivedAgain: Int64 = 0
    /// The last events and effects, if they were recorded.
    public var transcript: [String] = []

    /// What was wrong, and how it came to that.
    public var failure: String {
        """
        seed \(self.seed), \(self.script), \(self.steps) steps
        \(self.violations.prefix(5).map(\.description).joined(separator: "\n"))
        \(self.transcript.suffix(60).joined(separator: "\n"))
        """
    }
}
