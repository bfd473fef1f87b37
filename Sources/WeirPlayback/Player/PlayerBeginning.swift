// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player begins with.
struct PlayerBeginning: Sendable {
    /// Other items than before; `nil`: the same.
    var items: [PlayerItem]?
    var place: PlayerPlace
    /// Whether it begins to count anew.
    var isStart = false
}
