// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a player that was started has come, whether or not somebody holds the sound.
enum PlayerPhase: Hashable, Sendable, CaseIterable {
    /// What it plays is being opened.
    case opening
    /// It is open, and no packet has come.
    case awaitingData
    /// Packets come, and are gathered for the first sound.
    case filling
    /// There is enough to sound.
    case sounding
    /// The sound ran dry; packets are gathered for more.
    case dry
}
