// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSharing
public import WeirSource

/// A medium of a library: a resource that is kept as it is played, by any number of readers.
///
///     let song = library.media(url)
///     let head = try await song.data(in: 0..<4096)
///     try await song.pin()
///     for await now in song.availabilityChanges() { show(now.held, of: now.length) }
public final class Media: ByteSource, Identifiable, Hashable {
    /// Tells the resource from every other one of the library, today and later: 32 hexadecimal digits.
    ///
    /// It is that of the cached resource and of the download. Media of one resource that send other headers, or are decrypted
    /// in another way, have the same, and are not equal.
    public let id: String
    /// Where the medium comes from, as it is called in sentences; no query and no credential is in it.
    public let display: String
    /// What the cache calls the medium, in ``MediaLibrary/resources()`` and on the command line: 32 hexadecimal digits.
    ///
    /// `nil` for one that is read where it lies and kept nowhere.
    public var identifier: String? { self.key?.identifier }

    /// The cache that keeps it.
    let access: CacheAccess
    /// Whether readers see other bytes than the cache keeps.
    let isDecrypted: Bool
    /// What the cache calls the medium, and whose it is; `nil` for one that is kept nowhere.
    let key: ResourceKey?

    /// What the cache calls the medium: `CachedResource.identifier`; `nil` for one that is kept nowhere.
    package var cacheIdentifier: String? { self.key?.identifier }

    private let source: any ByteSource
    private let closeSource: @Sendable (SourceError) async -> Void
    private let lendSource: @Sendable () async throws -> Void
    private let feed: Broadcast<MediaEvent>
    private let whenClosed: @Sendable (Media) -> Void

    init(
        id: String,
        display: String,
        key: ResourceKey?,
        access: CacheAccess,
        isDecrypted: Bool,
        source: any ByteSource,
        closeSource: @escaping @Sendable (SourceError) async -> Void,
        lendSource: @escaping @Sendable () async throws -> Void,
        feed: Broadcast<MediaEvent>,
        whenClosed: @escaping @Sendable (Media) -> Void
    ) {
        self.id = id
        self.display = display
        self.key = key
        self.access = access
        self.isDecrypted = isDecrypted
        self.source = source
        self.closeSource = closeSource
        self.lendSource = lendSource
        self.feed = feed
        self.whenClosed = whenClosed
    }

    /// Whether both are the same object, which a library gives for the same request.
    public static func == (left: Media, right: Media) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// What the medium is: length, media type, name.
    public func describe() async throws -> ResourceDescription {
        try await self.source.describe()
    }

    /// Starts to read a range.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.source.read(demand)
    }

    /// Which bytes are held.
    public var availability: Availability {
        self.source.availability
    }

    /// Which bytes are held, now and after each change.
    public func availabilityChanges() -> AsyncStream<Availability> {
        self.source.availabilityChanges()
    }

    /// What happens between the medium and its origin from now on, until it is closed.
    ///
    /// A listener that is more than 256 events behind loses the oldest, and gets ``MediaEvent/missed(_:)`` in their place.
    /// Where another process fetches the bytes, its streams have the events.
    public func events() -> AsyncStream<MediaEvent> {
        self.feed.events()
    }

    /// Lends the origin to the owner of the cache directory, for a download; what cannot be lent now may be later.
    func lend() async { try? await self.lendSource() }

    /// Ends its readers with `SourceError.Code.closed`, and its requests unless others play it, too; later reads
    /// fail likewise.
    ///
    /// The library makes a new medium when it is asked for the resource again.
    public func close() async { await self.close(throwing: SharedSource.closedError) }

    /// The same; the error says why, with `SourceError.Code.closed`.
    func close(throwing error: SourceError) async {
        self.whenClosed(self)
        await self.closeSource(error)
        self.feed.finish()
    }
}

// What only a front end asks: a proxy, or an adapter for a player. ByteSource requires it, so its access is that of the
// protocol; the documentation leaves it out.
extension Media {
    /// Asks the origin whether the medium is still the given version.
    @_documentation(visibility: internal)
    public func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.source.isUnchanged(version)
    }

    /// What lies on disk, as far as it is held.
    @_documentation(visibility: internal)
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.source.residentSlice(range)
    }

    /// Opens the bytes that are held from earlier; asks no origin.
    @_documentation(visibility: internal)
    public func openHeld() async {
        await self.source.openHeld()
    }

    /// How long ago the origin last confirmed the version that is held.
    @_documentation(visibility: internal)
    public var timeSinceConfirmation: Duration? { self.source.timeSinceConfirmation }
}
