// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirPlayback
import WeirSource

/// Something of the queue: what the player is given, and what is remembered of it.
struct PlayThing: Sendable {
    /// What the player is given.
    var item: PlayerItem
    /// What its position is remembered under; `nil` for what has none.
    var digest: String?

    /// The station, if it is one.
    var station: Station? {
        if case .station(let station) = self.item.content { station } else { nil }
    }
}
