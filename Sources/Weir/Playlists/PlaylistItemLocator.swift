// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHLS
import WeirHTTP
import WeirSource

/// Finds the address of a playlist's item, which may have a signature that ends.
///
/// If the origin refuses the address, the locator reloads the playlist once, and then the playlist that names it. A
/// reading in flight goes on at its byte.
final class PlaylistItemLocator: OriginLocator {
    let resource: ResourceName

    private let item: PlaylistEdition.Item
    /// The text that named the item.
    private let edition: PlaylistEdition
    private let feed: PlaylistFeed
    private let context: PlaylistContext
    /// The text that the last reload brought.
    private let reloaded = Mutex<Int?>(nil)

    init(
        _ item: PlaylistEdition.Item,
        in edition: PlaylistEdition,
        of feed: PlaylistFeed,
        within context: PlaylistContext
    ) {
        self.item = item
        self.edition = edition
        self.feed = feed
        self.context = context
        self.resource = ResourceName(item.url)
    }

    var rulesOnRefusals: Bool { true }

    func location(
        for range: RequestedRange,
        after refused: OriginLocation?
    ) async throws -> OriginLocation {
        guard let refused, self.current.serial == refused.serial else {
            return self.context.location(self.current.url, serial: self.current.serial)
        }
        let isSecond = self.reloaded.withLock { $0 == refused.serial }
        try await self.feed.refresh(after: refused.serial, alsoParent: isSecond)
        let edition = self.feed.edition
        guard let edition, let item = edition.successor(of: self.item, in: self.edition) else {
            return self.context.location(self.item.url, serial: -1)
        }
        self.reloaded.withLock { $0 = edition.serial }
        return self.context.location(item.url, serial: edition.serial)
    }

    /// Rules that a refused address may have ended.
    func ruling(on refusal: OriginFailure) async -> FailureRuling {
        guard [401, 403, 410].contains(refusal.status) else { return .standard }
        let code: SourceError.Code =
            switch refusal.status {
            case 401: .unauthorized
            case 403: .forbidden
            default: .notFound
            }
        let host = refusal.location.url.authority
        return .locateAnew(
            otherwise: SourceError(
                code,
                "\(host) refuses \(self.resource) (status \(refusal.status)), also at the address that a new playlist gives"
                    + " it; check the account and its rights.",
                host: host,
                status: refusal.status
            )
        )
    }

    func hasEnded(_ location: OriginLocation) -> Bool { location.serial != self.current.serial }

    /// The address in the newest text.
    ///
    /// If a complete text has another address for the same segment, such as one with a new signature
    /// in its path, that counts. Without the item, the address is that of the text that named it.
    private var current: (url: OriginURL, serial: Int) {
        if let known = self.feed.address(of: self.item.id) { return known }
        if let edition = self.feed.edition, edition.playlist.life == .complete,
            let item = edition.successor(of: self.item, in: self.edition)
        {
            return (item.url, edition.serial)
        }
        return (self.item.url, self.edition.serial)
    }
}
