// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a player is, for commands that begin elsewhere.
struct PlayerSituation: Sendable {
    var items: [PlayerItem]
    /// Which item is heard.
    var index: Int
    /// What is heard of it.
    var position: Duration
    var duration: Duration?
    /// How far behind a station's live end that is; `nil` if no station plays.
    var behindLive: Duration?

    /// Nothing is further; times of that size can be added without care.
    private static let furthest = Duration.seconds(1 << 40)

    /// So much after what is heard, or before it.
    func place(by distance: Duration) -> PlayerPlace {
        self.place(self.position + min(max(distance, .zero - Self.furthest), Self.furthest))
    }

    /// The place that is heard.
    var here: PlayerPlace { self.place(self.position) }

    /// A position of the item that is heard; of a station as far from here as from the position.
    func place(_ position: Duration) -> PlayerPlace {
        let position = min(max(.zero, position), Self.furthest)
        guard let behind = self.behindLive else {
            let shown = min(position, self.duration ?? position)
            return PlayerPlace(index: self.index, spot: .position(position), shown: shown)
        }
        let distance = behind - (position - self.position)
        return PlayerPlace(
            index: self.index,
            spot: distance <= .zero ? .live : .behindLive(distance),
            shown: position
        )
    }
}
