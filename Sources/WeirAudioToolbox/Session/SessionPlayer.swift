// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// The interface of a player for an `AudioSessionGuard`.
protocol SessionPlayer: Sendable {
    /// Whether the user has paused or stopped it, or nothing was started.
    var isHeldByUser: Bool { get }
    /// Its need for the session now.
    var soundNeed: SoundNeed { get }

    /// Pauses, as if the user had paused it.
    func bePaused()
    /// Is silent until it is released.
    func beHeld()
    /// Goes on if it played before and `resumes` is true; otherwise it is paused.
    func beReleased(resumes: Bool)
    /// Opens its sink again.
    func renewSink()
    /// Reports the first ``soundNeed`` and each change of it, until the calling task is cancelled.
    func followSoundNeed(_ changed: @Sendable () -> Void) async
}

extension PlayerSnapshot {
    /// Whether the user has paused or stopped the player, or nothing was started.
    var isHeldByUser: Bool {
        switch self.state {
        // The system sets a temporary silence; the user sets any other pause, and it must stay.
        case .paused: self.stopReason != .temporary
        case .initialized, .stopping, .stopped: true
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering: false
        }
    }

    /// The player's need for the session.
    var soundNeed: SoundNeed {
        switch self.state {
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering: .sound
        // While it stops, its sink is still open: deactivating the session would fail.
        case .initialized, .paused, .stopping: .silence
        case .stopped: .none
        }
    }
}

extension Player: SessionPlayer {
    var isHeldByUser: Bool { self.snapshot.isHeldByUser }
    var soundNeed: SoundNeed { self.snapshot.soundNeed }

    func bePaused() { _ = self.pause() }
    func beHeld() { self.interruptionBegan() }
    func beReleased(resumes: Bool) { self.interruptionEnded(shouldResume: resumes) }
    func renewSink() { self.deviceChanged() }

    func followSoundNeed(_ changed: @Sendable () -> Void) async {
        var last: SoundNeed?
        for await snapshot in self.snapshots() where snapshot.soundNeed != last {
            last = snapshot.soundNeed
            changed()
        }
    }
}
