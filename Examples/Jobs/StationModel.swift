// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Weir
import WeirPlayer

@MainActor
@Observable
final class StationModel {
    let player = PlayerModel(Player())
    let station: Station

    init(_ url: URL, in library: MediaLibrary) throws {
        self.station = try library.station(url)
        self.player.player.play(self.station)
    }

    var title: String { self.player.snapshot.title ?? self.station.name }
    var trouble: String? { self.player.snapshot.station?.reason?.message }
}
