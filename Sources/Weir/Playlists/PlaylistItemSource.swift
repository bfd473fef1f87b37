// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// An item of a playlist whose text is not known yet; the first request loads the playlists that lead to it.
///
/// So an address works in a process that did not make it.
final class PlaylistItemSource: PartedSource {
    private let root: Media
    private let ids: [PlaylistItemID]
    private let found = Mutex<Media?>(nil)

    init(_ ids: [PlaylistItemID], below root: Media) {
        self.ids = ids
        self.root = root
    }

    func describe() async throws -> ResourceDescription { try await self.media().describe() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.media().read(demand)
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.media().isUnchanged(version)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.resolved?.residentSlice(range)
    }

    func openHeld() async { await self.resolved?.openHeld() }

    var timeSinceConfirmation: Duration? { self.resolved?.timeSinceConfirmation }

    var availability: Availability {
        self.resolved?.availability ?? Availability(held: RangeSet(), length: nil)
    }

    func partEnd(at position: Int64) -> Int64? { self.resolved?.partEnd(at: position) }

    private var resolved: Media? { self.found.withLock { $0 } }

    private func media() async throws -> Media {
        if let resolved { return resolved }
        var media = self.root
        for id in self.ids { media = try await media.item(id) }
        return self.found.withLock { found in
            found = found ?? media
            return found ?? media
        }
    }
}
