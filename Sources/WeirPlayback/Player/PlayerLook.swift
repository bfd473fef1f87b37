// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirLive

/// What was seen of the source of what plays, at a tick.
struct PlayerLook: Sendable {
    var heldFractions: [ClosedRange<Double>]?
    var station: StationStatus?
    /// How far behind the live end the listener reads.
    var behindLive: Duration?
    var rewindable: Duration?

    /// Whether it says anything that a listener should see soon.
    var isNews: Bool { self.heldFractions != nil || self.station != nil }

    /// This, and what was seen before where this says nothing.
    func over(_ earlier: PlayerLook) -> PlayerLook {
        PlayerLook(
            heldFractions: self.heldFractions ?? earlier.heldFractions,
            station: self.station ?? earlier.station,
            behindLive: self.behindLive ?? earlier.behindLive,
            rewindable: self.rewindable ?? earlier.rewindable
        )
    }
}
