// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Observation

/// A player as views watch it: each property tells its observers when it changes, on the main actor.
///
/// Keep it as long as the view; the player goes on without it.
@MainActor
@Observable
public final class PlayerModel {
    /// The newest snapshot of the player.
    public private(set) var snapshot: PlayerSnapshot

    @ObservationIgnored private var observation: PlayerObservation?

    /// Watches a player.
    public init(_ player: Player) {
        self.snapshot = player.snapshot
        self.observation = player.observe { [weak self] snapshot in
            self?.snapshot = snapshot
        }
    }

    /// What it is doing.
    public var state: PlayerState { self.snapshot.state }
    /// Why it stopped, or is silent for a moment.
    public var stopReason: StopReason { self.snapshot.stopReason }
    /// What is heard now, from the item's beginning.
    public var position: Duration { self.snapshot.position }
    /// How what is heard is called.
    public var title: String? { self.snapshot.title }
    /// How loud it is.
    public var level: AudioLevel { self.snapshot.level }
}
