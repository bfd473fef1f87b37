// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension Player {
    /// The state of the player now.
    public var snapshot: PlayerSnapshot { self.core.withStore { $0.snapshot } }

    /// The station's time of what is heard; `nil` while no station plays, or nothing of it has come.
    package var stationTime: Duration? { self.core.withStore { $0.stationTime } }

    /// The snapshot now, and a new one after each change: what can be missed, since the next says it again.
    ///
    /// A slow listener gets the newest. Any number may listen; the sequence ends when the player is dropped.
    public func snapshots() -> AsyncStream<PlayerSnapshot> {
        self.core.withStore { $0.snapshots.stream(startingWith: $0.snapshot) }
    }

    /// What happens from now on, in order: what must not be missed.
    ///
    /// A listener that falls behind by more than 4,096 events loses the oldest, and gets ``PlayerEvent/missed(_:)`` in their
    /// place. Any number may listen; the sequence ends
    /// when the player is dropped.
    public func events() -> AsyncStream<PlayerEvent> {
        self.core.withStore { $0.events.events() }
    }

    /// Returns when the player has stopped, at once if it has, or was never started.
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
