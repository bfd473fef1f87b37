// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAVFoundation
import WeirSource
import WeirTestKit

/// Everything that a simulation goes by: script, media, sources, limits, and how time passes.
public struct Scenario: Sendable {
    /// What the player does.
    public var script: PlayerScript
    /// One for each asset.
    public var media: [SimulatedMedium]
    /// One for each asset.
    public var habits: [SimulatedOrigin.Habits]
    /// What the server goes by.
    public var limits = LoadingRequestServer.Limits()
    /// When the player lets go.
    public var releases = ReleasePolicy.atOnce
    /// How likely the player, the sources, and the end of a wait are to be next.
    public var pace = Pace()
    /// Whether the server is told to read ahead before the first request.
    public var isPrepared = false
    /// Whether the server is told that every byte is held, before the first request.
    public var isHeld = false
    /// How likely an answer of a dropped reading comes all the same.
    public var lateAnswers = 0.0
    /// The step of the simulation at which the player leaves, whatever is live; `nil` when it is through.
    public var leavesAt: Int?
    /// The most steps until everything rests.
    public var mostSteps = 200_000

    /// How likely each kind of thing is to be next.
    public struct Pace: Hashable, Sendable {
        /// Something that the player does.
        public var player = 1.0
        /// An answer of a source.
        public var source = 1.0
        /// The end of a wait.
        public var wait = 0.2

        /// Sources are as fast as the player, and waits are long.
        public init() {}
    }

    /// A script as it is, on sources that bring what they are asked for, as large as they are asked for it.
    public init(_ script: PlayerScript, limits: LoadingRequestServer.Limits = .init()) {
        self.script = script
        self.limits = limits
        self.media = (0..<script.assets).map {
            SimulatedMedium(length: script.length, start: Int64($0) * 104_729)
        }
        var habits = SimulatedOrigin.Habits()
        habits.fillsChunks = true
        habits.failsAt = script.failsAt
        habits.failures = script.failures
        self.habits = Array(repeating: habits, count: script.assets)
    }
}
