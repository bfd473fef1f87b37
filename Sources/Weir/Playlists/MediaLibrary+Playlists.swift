// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirClouds
import WeirHLS
import WeirHTTP
import WeirLoader
import WeirSharing
import WeirSource

// The media that playlists name.
extension MediaLibrary {
    /// The feed of a medium that the user named.
    func playlist(
        _ url: OriginURL,
        _ key: ResourceKey,
        sending sent: HTTPHeaderList,
        _ account: String?,
        _ load: LoadPolicy,
        _ volatileQuery: Set<String>,
        _ validator: ValidatorPolicy?
    ) -> PlaylistFeed {
        let context = PlaylistContext(
            root: url,
            headers: sent,
            authorizer: url.userInfo.map { PasswordAuthorizer($0) },
            credentials: self.configuration.playlistCredentials,
            scope: self.scopes[account, of: url, with: sent],
            scopes: self.scopes,
            load: load,
            validator: validator,
            volatileQuery: self.configuration.volatileQuery.union(volatileQuery),
            sites: [ConnectionRule.Site(url)],
            hosts: self.configuration.playlistHosts
        )
        return self.feed(url, key, context, parent: nil)
    }

    /// Puts a feed between an origin and the cache.
    func guarded(_ origin: HTTPOrigin, _ feed: PlaylistFeed?) -> any ByteSource {
        guard let feed else { return origin }
        if !self.configuration.isOffline { feed.use(origin) }
        return PlaylistOrigin(origin, feed: feed)
    }

    private func feed(
        _ url: OriginURL,
        _ key: ResourceKey,
        _ context: PlaylistContext,
        parent: (feed: PlaylistFeed, id: PlaylistItemID)?
    ) -> PlaylistFeed {
        PlaylistFeed(
            url,
            key: key,
            context: context,
            parent: parent,
            seal: self.playlistSeal,
            access: self.access,
            clock: self.configuration.playlistClock,
            makeItem: { [weak self] in self?.medium(of: $0, in: $1, $2) }
        )
    }

    private func identity(
        of item: PlaylistEdition.Item,
        in feed: PlaylistFeed,
        _ edition: PlaylistEdition
    ) -> MediaIdentity {
        let key = ResourceKey(
            location: item.location,
            scope: feed.context.scope(of: item.url),
            display: PlaylistItemName.display(of: item.url, in: feed.context.root)
        )
        var name = MediaIdentity(key: key, headers: feed.context.headers)
        name.playlist = feed.key.identifier
        name.since = edition.since
        return name
    }

    /// The medium of an item of a playlist.
    private func medium(
        of item: PlaylistEdition.Item,
        in feed: PlaylistFeed,
        _ edition: PlaylistEdition
    ) -> Media {
        let name = self.identity(of: item, in: feed, edition)
        let key = name.key
        if let known = self.media.withLock({ $0[name] }) { return known }
        var context = feed.context
        context.ancestors.append(feed.key.identifier)
        guard !item.role.isPlaylist || !context.ancestors.contains(key.identifier) else {
            return self.refused(
                item.location,
                SourceError(
                    .badAnswer,
                    "\(item.url.display) names itself as one of its playlists; ask the operator of"
                        + " \(item.url.authority) to correct it.",
                    host: item.url.authority
                )
            )
        }
        // The user named the address, and so trusts where it redirects to.
        if feed.isRoot { context.sites.insert(ConnectionRule.Site(edition.base)) }
        context.variables = edition.playlist.variables
        if case .rendition(isText: let isText) = item.role { context.isText = isText }
        let child = self.feed(item.url, key, context, parent: (feed, item.id))
        let load = self.load(of: item, in: feed, edition)
        return self.media(name, load: load, decryption: nil, playlist: child) {
            var options = self.configuration.origin
            options.headers = context.plainHeaders
            options.rateLimiter = self.rateLimiter
            options.validator = context.validator ?? options.validator
            options.rule = context.rule
            let origin = HTTPOrigin(
                locator: PlaylistItemLocator(item, in: edition, of: feed, within: context),
                options: options,
                transport: self.transport,
                observer: self.observer
            )
            return self.guarded(origin, child)
        }
    }

    /// The policy for an item: a segment does not change while its playlist does not.
    private func load(
        of item: PlaylistEdition.Item,
        in feed: PlaylistFeed,
        _ edition: PlaylistEdition
    ) -> LoadPolicy {
        var load = feed.context.load
        // The user's own --immutable means more.
        guard !item.role.isPlaylist, let since = edition.since, !load.isImmutable else {
            return load
        }
        load.isImmutable = true
        load.immutableSince = self.configuration.isOffline ? nil : since
        return load
    }
}

/// The names of a playlist's items in lists of the cache: `LIST#hls:ITEM`.
package enum PlaylistItemName {
    /// Separates the address of the playlist from that of the item; a file's name hardly has it.
    private static let separator = "#hls:"

    /// The name of an item.
    ///
    /// - Parameters:
    ///   - item: the address of the item; below the folder of the playlist, only the rest is shown.
    ///   - root: the address of the playlist that the user named.
    /// - Returns: the name, without queries.
    static func display(of item: OriginURL, in root: OriginURL) -> String {
        let list = root.display
        let folder = list.prefix(through: list.lastIndex(of: "/") ?? list.startIndex)
        let own = item.display
        let short = own.hasPrefix(folder) ? own.dropFirst(folder.count) : own[...]
        return "\(list)\(self.separator)\(short)"
    }

    /// The playlist that a name begins with; `nil` for the name of another resource.
    package static func playlist(of display: String) -> Substring? {
        display.firstRange(of: self.separator).map { display[..<$0.lowerBound] }
    }
}
