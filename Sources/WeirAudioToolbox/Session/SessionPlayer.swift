// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// What an `AudioSessionGuard` wants of a player.
protocol SessionPlayer: Sendable {
    /// Whether the user has paused or stopped it, or nothing was started.
    var isHeldByUser: Bool { get }

    /// Pauses, as if the user had paused it.
    func bePaused()
    /// Falls silent until it is released.
    func beHeld()
    /// Goes on if it went before and may; otherwise it is paused.
    func beReleased(resumes: Bool)
    /// Opens its sink anew.
    func renewSink()
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
}

extension Player: SessionPlayer {
    var isHeldByUser: Bool { self.snapshot.isHeldByUser }

    func bePaused() { _ = self.pause() }
    func beHeld() { self.interruptionBegan() }
    func beReleased(resumes: Bool) { self.interruptionEnded(shouldResume: resumes) }
    func renewSink() { self.deviceChanged() }
}
