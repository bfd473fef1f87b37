// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSharing
public import WeirSource

/// A medium of a library: a resource that any number of readers share, and that the cache stores as
/// they play it.
///
///     let song = library.media(url)
///     let head = try await song.data(in: 0..<4096)
///     try await song.pin()
///     for await now in song.availabilityChanges() { show(now.held, of: now.length) }
public final class Media: ByteSource, Identifiable, Hashable {
    /// Identifies the resource in the library, across restarts: 32 hexadecimal digits.
    ///
    /// The cached resource and the download have the same identifier. Two media of one resource
    /// with different headers or decryption have the same identifier, but are not equal.
    public let id: String
    /// The origin of the medium, as messages name it; without query and credential.
    public let display: String
    /// The identifier in the cache, in ``MediaLibrary/resources()`` and on the command line: 32
    /// hexadecimal digits.
    ///
    /// `nil` for a medium that Weir reads in place and does not store in the cache.
    public var identifier: String? { self.key?.identifier }

    /// The cache that stores it.
    let access: CacheAccess
    /// Whether readers see decrypted bytes, and the cache holds encrypted ones.
    let isDecrypted: Bool
    /// The resource's identifier and account in the cache; `nil` for a medium that the cache does
    /// not store.
    let key: ResourceKey?

    /// The cache's identifier, `CachedResource.identifier`; `nil` for a medium that the cache does
    /// not store.
    package var cacheIdentifier: String? { self.key?.identifier }

    /// The first source of the pipeline that can be closed; the others end with it.
    private let base: any ClosableSource
    /// The pipeline's end, as readers see it.
    private let source: any ByteSource
    private let feed: Broadcast<MediaEvent>
    /// The playlist that the medium may turn out to be; `nil` for a medium that never is one.
    private let playlist: PlaylistFeed?
    private let shelf: PlaylistShelf
    private let whenClosed: @Sendable (Media) -> Void

    init(
        id: String,
        display: String,
        key: ResourceKey?,
        access: CacheAccess,
        isDecrypted: Bool,
        base: any ClosableSource,
        source: any ByteSource,
        feed: Broadcast<MediaEvent>,
        playlist: PlaylistFeed?,
        shelf: PlaylistShelf,
        whenClosed: @escaping @Sendable (Media) -> Void
    ) {
        self.id = id
        self.display = display
        self.key = key
        self.access = access
        self.isDecrypted = isDecrypted
        self.base = base
        self.source = source
        self.feed = feed
        self.playlist = playlist
        self.shelf = shelf
        self.whenClosed = whenClosed
    }

    deinit {
        // The playlists below refer to this one.
        self.playlist?.close()
    }

    /// Whether both are the same object; a library returns the same object for the same request.
    public static func == (left: Media, right: Media) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Describes the medium: length, media type, name.
    public func describe() async throws -> ResourceDescription {
        guard let playlist else { return try await self.source.describe() }
        defer { self.noteUse(of: playlist) }
        return try await playlist.describe(self.source)
    }

    /// Starts to read a range.
    ///
    /// An HLS playlist is read as a player gets it: its addresses are relative, and lead to items
    /// that only a proxy serves.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard let playlist else { return try await self.source.read(demand) }
        defer { self.noteUse(of: playlist) }
        return try await playlist.read(demand, of: self.source)
    }

    /// Which bytes are held.
    public var availability: Availability {
        self.source.availability
    }

    /// Which bytes are held, now and after each change.
    public func availabilityChanges() -> AsyncStream<Availability> {
        self.source.availabilityChanges()
    }

    /// The events between the medium and its origin from now on, until the medium is closed.
    ///
    /// A listener that is more than 256 events behind loses the oldest ones, and gets
    /// ``MediaEvent/missed(_:)`` in their place. If another process fetches the bytes, the events
    /// appear in the streams of that process.
    public func events() -> AsyncStream<MediaEvent> {
        self.feed.events()
    }

    /// Lends the origin to the owner of the cache directory, for a download; ignores a failure.
    func lend() async { try? await (self.base as? SharedSource)?.lend() }

    /// Ends its readers with `SourceError.Code.closed`; later reads fail with the same error.
    ///
    /// It also ends its requests, unless other media share them. The library makes a new medium
    /// when the application asks for the resource again.
    public func close() async { await self.close(throwing: SharedSource.closedError) }

    /// Closes the medium with an error that has `SourceError.Code.closed` and says why.
    func close(throwing error: SourceError) async {
        self.whenClosed(self)
        self.shelf.remove(self)
        self.playlist?.close()
        await self.base.close(throwing: error)
        self.feed.finish()
    }
}

// These members are for front ends, such as a proxy or an adapter for a player. ByteSource is
// public and requires them, so they are public; the documentation omits them.
extension Media {
    /// Asks the origin whether the medium is still the given version.
    @_documentation(visibility: internal)
    public func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.source.isUnchanged(version)
    }

    /// The held bytes at the start of a range, without waiting; `nil` if a read is necessary.
    @_documentation(visibility: internal)
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let slice = self.source.residentSlice(range) else { return nil }
        // A player gets a playlist's text with local addresses, and never its stored form.
        return slice.resource.isStoredForm ? nil : slice
    }

    /// Opens the bytes held from earlier; sends no request to the origin.
    @_documentation(visibility: internal)
    public func openHeld() async {
        await self.source.openHeld()
    }

    /// The time since the origin last confirmed the held version.
    @_documentation(visibility: internal)
    public var timeSinceConfirmation: Duration? { self.source.timeSinceConfirmation }
}

extension Media: NestingSource {
    /// Whether the medium is known to be an HLS playlist.
    package var isPlaylist: Bool { self.playlist?.isPlaylist ?? false }

    /// The item of an HLS playlist behind the names of an address below this medium.
    @_documentation(visibility: internal)
    package func source(below names: [Substring]) -> (any ByteSource)? {
        guard let playlist, let (identifier, ids) = playlist.items(behind: names) else {
            return nil
        }
        var list = self
        if identifier != self.key?.identifier {
            // A player leaves out the query of the playlist's own address.
            guard let kept = self.shelf[identifier], let other = kept.playlist,
                other.isAtSamePlace(as: playlist)
            else { return nil }
            list = kept
        }
        var media = list
        for id in ids {
            guard let next = media.playlist?.known(id) else {
                return PlaylistItemSource(ids, below: list)
            }
            media = next
        }
        return media
    }

    /// The medium of an item of this playlist.
    ///
    /// - Throws: `notFound` if the playlist does not name the item.
    func item(_ id: PlaylistItemID) async throws -> Media {
        guard let playlist else {
            throw SourceError(
                .notFound,
                "\(self.display) is not a playlist; open the playlist again."
            )
        }
        defer { self.noteUse(of: playlist) }
        return try await playlist.media(of: id, self.source)
    }

    private func noteUse(of playlist: PlaylistFeed) {
        if playlist.isRoot, playlist.isPlaylist { self.shelf.keep(self) }
    }
}

extension Media: PartedSource {
    @_documentation(visibility: internal)
    package func partEnd(at position: Int64) -> Int64? { self.playlist?.partEnd(at: position) }
}
