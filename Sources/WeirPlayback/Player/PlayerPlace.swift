// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where in its queue a player begins.
struct PlayerPlace: Sendable {
    /// Where in the item.
    enum Spot: Sendable {
        /// Where the item says.
        case start
        /// Here, from the item's beginning.
        case position(Duration)
        /// At a station's live end.
        case live
        /// So far behind it.
        case behindLive(Duration)
    }

    var index: Int
    var spot: Spot
    /// What is shown as the position until sound is heard; of a station also what it counts on from.
    var shown: Duration
}
