// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

extension Player: SessionPlayer {
    var isHeldByUser: Bool { self.snapshot.isHeldByUser }

    func bePaused() { _ = self.pause() }
    func beHeld() { self.interruptionBegan() }
    func beReleased(resumes: Bool) { self.interruptionEnded(shouldResume: resumes) }
    func renewSink() { self.deviceChanged() }
}
