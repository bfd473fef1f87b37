// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHLS
import WeirHTTP
import WeirSource

// The items below a playlist.
extension PlaylistFeed {
    /// The identities behind the sealed texts of nested levels, and the identifier of the outermost playlist.
    ///
    /// - Returns: `nil` unless a process with this cache has sealed each of them for the level above it.
    func items(behind texts: [Substring]) -> (list: String, ids: [PlaylistItemID])? {
        guard let first = texts.first, let list = PlaylistSeal.list(of: first) else { return nil }
        var ids: [PlaylistItemID] = []
        for text in texts {
            let above = ids.last?.identifier ?? list
            guard let id = self.seal.item(text, in: above) else { return nil }
            ids.append(id)
        }
        return (list, ids)
    }

    /// Whether another medium is at the same address, except for the query, in the same part of the cache.
    func isAtSamePlace(as other: PlaylistFeed) -> Bool {
        self.url.isSameOrigin(as: other.url) && self.url.path == other.url.path
            && self.context.scope == other.context.scope
    }

    /// Whether the user named the playlist, and no other playlist did.
    var isRoot: Bool { self.parent == nil }

    /// The medium of an item, if it is known without a load.
    func known(_ id: PlaylistItemID) -> Media? {
        guard let edition = self.state.withLock({ $0.texts.edition(with: id) }),
            let item = edition.items[id]
        else { return nil }
        return self.medium(of: item, edition)
    }

    /// The medium of an item; loads the text if it is not known yet.
    ///
    /// - Throws: `notFound` if the playlist does not name the item, or no longer does.
    func media(of id: PlaylistItemID, _ source: any ByteSource) async throws -> Media {
        if let known = self.known(id) { return known }
        if !self.isPlaylist {
            let description = try await source.describe()
            guard let mark = PlaylistMark(description) else { throw self.notNamed }
            try self.begin(mark, nil)
        }
        guard let edition = try await self.current(from: source), let item = edition.items[id],
            let media = self.medium(of: item, edition)
        else { throw self.notNamed }
        return media
    }

    private func medium(of item: PlaylistEdition.Item, _ edition: PlaylistEdition) -> Media? {
        if let child = self.state.withLock({ $0.children[item.id.identifier] }) { return child }
        guard let media = self.makeItem(item, self, edition) else { return nil }
        guard item.role.isPlaylist else { return media }
        return self.state.withLock { state in
            guard !state.isClosed else { return media }
            if let child = state.children[item.id.identifier] { return child }
            state.children[item.id.identifier] = media
            return media
        }
    }

    /// The current text.
    var edition: PlaylistEdition? { self.state.withLock { $0.texts.current } }

    /// The address of an item, and the number of the text that it comes from.
    func address(of id: PlaylistItemID?) -> (url: OriginURL, serial: Int)? {
        guard let id, let edition = self.edition, let item = edition.items[id] else { return nil }
        return (item.url, edition.serial)
    }

    /// The end of the part of this item that a position is in, by the playlist that names the item.
    func partEnd(at position: Int64) -> Int64? {
        guard let parent else { return nil }
        return parent.feed.edition?.partEnd(of: parent.id, at: position)
    }

    /// Reloads the text after an address of it was refused, unless a newer text is known already.
    ///
    /// One reload serves all items that were refused at the same time.
    ///
    /// - Parameters:
    ///   - serial: the number of the text whose address was refused.
    ///   - alsoParent: whether the parent is reloaded first, since a reload of this playlist did not
    ///     help.
    /// - Throws: as a request for the text does.
    func refresh(after serial: Int, alsoParent: Bool) async throws {
        if alsoParent, let parent = self.parent, let known = parent.feed.address(of: parent.id) {
            try await parent.feed.refresh(after: known.serial, alsoParent: false)
        }
        _ = try await self.reloads.value(
            isGood: { $0 > serial },
            make: { try await self.reload() }
        )
    }

    /// Requests the text, and returns its number.
    private func reload() async throws -> Int {
        var edition = try await self.loadDirectly(unless: nil)
        let last = self.edition
        if let last, last.playlist.life == .complete, edition.playlist.life == .complete {
            if last.digest == edition.digest {
                edition.since = last.since
            } else if let other = self.replace(with: edition) {
                edition = other
            }
        }
        let now = self.timeline.elapsed()
        self.schedule(
            self.state.withLock { [edition] state in
                guard edition.playlist.life == .complete, state.texts.current != nil else {
                    return self.note(edition, at: now, in: &state)
                }
                state.texts.take(edition, isReload: true)
                return .none
            }
        )
        return edition.serial
    }
}
