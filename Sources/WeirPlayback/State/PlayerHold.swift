// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Who holds the sound.
struct PlayerHold: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The user paused; nobody else may undo it.
    static let user = PlayerHold(rawValue: 1)
    /// The system took the sound away, for a call or the like.
    static let interruption = PlayerHold(rawValue: 2)
}
