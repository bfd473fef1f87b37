// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Observation

/// A player for views: the newest snapshot, on the main actor, observed as `@Observable` types are.
///
///     @State private var model = PlayerModel(player)
///     Text(model.snapshot.title ?? "–")
///
/// The model keeps its player alive. It follows the player's snapshots until it is released.
@MainActor
@Observable
public final class PlayerModel {
    /// The player, for its commands.
    public let player: Player
    /// The newest snapshot of the player.
    public private(set) var snapshot: PlayerSnapshot

    @ObservationIgnored private var following: Following?

    /// A model of a player.
    public init(_ player: Player) {
        self.player = player
        self.snapshot = player.snapshot
        let snapshots = player.snapshots()
        self.following = Following(
            Task { [weak self] in
                for await snapshot in snapshots {
                    guard let self else { return }
                    self.snapshot = snapshot
                }
            }
        )
    }
}

/// The task of a model: it belongs to the model, ends with it, and keeps neither the model nor the player alive.
private final class Following: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { self.task.cancel() }
}
