// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension Player {
    /// The state of the player now.
    public var snapshot: PlayerSnapshot { self.core.withStore { $0.snapshot } }

    /// The station's time of the heard sound; `nil` while no station plays, or while none of its sound has arrived.
    package var stationTime: Duration? { self.core.withStore { $0.stationTime } }

    /// The snapshot now, and a new one after each change: for facts that an observer may miss.
    ///
    /// A slow observer gets the newest snapshot. Any number may observe; the sequence ends when the player is
    /// released.
    public func snapshots() -> AsyncStream<PlayerSnapshot> {
        self.core.withStore { $0.snapshots.stream(startingWith: $0.snapshot) }
    }

    /// The events from now on, in order: for facts that an observer must not miss.
    ///
    /// An observer that falls behind by more than 4,096 events loses the oldest, and gets
    /// ``PlayerEvent/missed(_:)`` in their place. Any number may observe; the sequence ends when the player is
    /// released.
    public func events() -> AsyncStream<PlayerEvent> {
        self.core.withStore { $0.events.events() }
    }

    /// Returns when the player has stopped; at once if it has stopped or was never started.
    ///
    /// - Returns: the snapshot then; if the task is cancelled, the snapshot now.
    public func waitUntilStopped() async -> PlayerSnapshot {
        let snapshots = self.snapshots()
        for await snapshot in snapshots
        where snapshot.state == .stopped || snapshot.state == .initialized {
            return snapshot
        }
        return self.snapshot
    }
}
