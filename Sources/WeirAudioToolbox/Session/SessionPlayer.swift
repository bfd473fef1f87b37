// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// What an `AudioSessionGuard` wants of a player.
protocol SessionPlayer: Sendable {
    /// Whether the user has paused or stopped it, or nothing was started.
    var isHeldByUser: Bool { get }
    /// What it needs the session for, as it is now.
    var soundNeed: SoundNeed { get }

    /// Pauses, as if the user had paused it.
    func bePaused()
    /// Falls silent until it is released.
    func beHeld()
    /// Goes on if it went before and may; otherwise it is paused.
    func beReleased(resumes: Bool)
    /// Opens its sink anew.
    func renewSink()
    /// Tells each change of ``soundNeed``, and what it is at first, until the calling task is cancelled.
    func followSoundNeed(_ changed: @Sendable () -> Void) async
}

extension PlayerSnapshot {
    /// Whether the user has paused or stopped the player, or nothing was started.
    var isHeldByUser: Bool {
        switch self.state {
        // A temporary silence is the system's; any other pause is the user's, who wants it to stay.
        case .paused: self.stopReason != .temporary
        case .initialized, .stopping, .stopped: true
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering: false
        }
    }

    /// What the player needs the session for.
    var soundNeed: SoundNeed {
        switch self.state {
        case .starting, .waitingForData, .waitingForQueueToStart, .playing, .buffering: .sound
        // While it stops, its sink is still open: a session that gave the sound back would stop it and fail.
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
