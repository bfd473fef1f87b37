// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

/// All that a player's screen shows of one moment.
struct PlayerView: Sendable {
    /// What the player does.
    var snapshot: PlayerSnapshot
    /// Something to be told for a while: a warning, what a key did.
    var notice: String?
    /// Whether it records, and to which file.
    var recording: String?
    /// How long it is until the station is asked again.
    var stationWait: Duration?
    /// Whether the keys are explained.
    var showsHelp = false

    /// A moment of a player.
    init(_ snapshot: PlayerSnapshot) { self.snapshot = snapshot }
}
