// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirPlayback

/// What shows the user how playing goes.
protocol PlayFront: Sendable {
    /// Something happened in the player.
    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot)
    /// Something happened in a recording.
    func tell(_ event: RecordingEvent)
    /// Something is to be known.
    func note(_ line: String)
}
