// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import Synchronization
import WeirCache
package import WeirCipher
package import WeirClouds
public import WeirHTTP
package import WeirLoader
import WeirSharing
package import WeirSource
import WeirTier

/// A cache directory, the transport to the origins, and the media that use both.
///
/// One library owns its directory for as long as it is open. Other libraries, in this process or in
/// other processes of the same user, use the directory through the owner. They read held bytes from
/// the owner's cache and fetch missing bytes from the origin over their own transport; the owner
/// stores these bytes. When the owner closes, the next library becomes the owner; readers go on.
/// All members may be used from any task.
///
/// When the disk fails, or a newer version of Weir has written the directory or owns it, media play
/// without a cache. ``events()`` reports this once, and the library tries the directory again at
/// intervals. It does not change files that the newer version wrote. The library counts with
/// swift-metrics: requests, bytes, retries and waits of origins (`weir.origin.…`), and failures,
/// damage and evictions of the cache (`weir.cache.…`).
public final class MediaLibrary: Sendable {
    /// The settings that the library was made with.
    public let configuration: Configuration
    /// The counts of requests to origins and of received bytes since the library was made.
    package let totals = TransferTotals()

    let access: CacheAccess
    let transports: LibraryTransports
    let scopes: CacheScopes
    let rateLimiter: RateLimiter?
    /// The targets of redirects that a station's transport followed to a file.
    let redirects = RedirectMemory()
    private let tier: (Tier, writer: TierWriter)?
    let observer: SourceObserver
    /// The downloads of the directory.
    public let downloads: DownloadQueue

    let media = Mutex(RecentTable<MediaIdentity, Media>())
    let playlists = PlaylistShelf()
    let playlistSeal: PlaylistSeal
    private let feed = Broadcast<LibraryEvent>()
    private let scrub: Task<Void, Never>?

    /// Opens a library, and its directory with it, off the caller's actor.
    ///
    ///     let folder = URL.cachesDirectory.appending(path: "media")
    ///     let library = try await MediaLibrary.open(directory: folder)
    ///
    /// The lock, the catalogue and, after a kill, the comparison with the journals wait for the
    /// disk. They run on a background thread.
    ///
    /// - Parameters:
    ///   - directory: holds the cache, as for ``init(directory:configuration:transport:)``.
    ///   - configuration: the settings of the library.
    ///   - transport: sends the requests; `nil` for the platform's.
    /// - Returns: the library, even if the calling task was cancelled meanwhile.
    /// - Throws: as ``init(directory:configuration:transport:)``.
    public static func open(
        directory: URL = .cachesDirectory.appending(path: "Weir"),
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) async throws -> MediaLibrary {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Result {
                        try MediaLibrary(
                            directory: directory,
                            configuration: configuration,
                            transport: transport
                        )
                    }
                )
            }
        }
    }

    /// Opens a library and its directory on the caller's thread, which waits for the disk; for
    /// programs.
    ///
    ///     let library = try MediaLibrary(directory: .cachesDirectory.appending(path: "media"))
    ///
    /// An application calls ``open(directory:configuration:transport:)``.
    ///
    /// - Parameters:
    ///   - directory: holds the cache; made if it does not exist. Any number of libraries and
    ///     processes of one user may share a directory; on iOS, one library at a time. The default
    ///     is `Weir` in the user's folder of caches.
    ///   - configuration: the settings of the library.
    ///   - transport: the application's own transport; the library does not close it. `nil` for the
    ///     platform's, made with ``TransportSettings``: URLSession's on Apple platforms, SwiftNIO's
    ///     on Linux.
    /// - Throws: `CacheError` if the directory is a file, or cannot be made or written to;
    ///   `SourceError` with `invalidRequest` if the URL does not name a directory on this machine,
    ///   the certificate file cannot be read, or a header is invalid.
    public convenience init(
        directory: URL = .cachesDirectory.appending(path: "Weir"),
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) throws {
        guard directory.isFileURL else {
            throw SourceError(
                .invalidRequest,
                "The cache directory must be a folder of this machine, and its address starts with"
                    + " “\(directory.scheme ?? "no scheme")”; use URL(filePath:)."
            )
        }
        var configuration = configuration
        configuration.directory = LocalPath(directory).text
        try self.init(configuration, transport: transport)
    }

    /// Opens a library in the directory that its configuration names.
    package init(_ given: Configuration, transport: (any HTTPTransport)? = nil) throws {
        let configuration = try given.checked()
        self.configuration = configuration
        let totals = self.totals
        let metrics = LibraryMetrics()
        let observer = configuration.observer
        self.observer = { [feed] event in
            totals.count(event)
            metrics.count(event)
            if let event = LibraryEvent(event) { feed.tell(event) }
            observer?(event)
        }
        let transports = try LibraryTransports(configuration.transport, given: transport)
        self.transports = transports
        self.tier = try configuration.tier.map { [observer = self.observer] settings in
            try settings.tier(over: transports, configuration.origin, observer)
        }
        // The directory is opened last: if an earlier step fails, there is nothing to release.
        self.access = try CacheAccess(
            directory: configuration.directory,
            limits: configuration.cacheLimits,
            maximumOpenFiles: configuration.maximumOpenFiles,
            attributes: configuration.directoryAttributes,
            observer: self.observer,
            endpoint: CacheAccess.platformEndpoint
        )
        self.scopes = CacheScopes(
            directory: self.access.directory,
            fleetSecret: configuration.tier?.secret
        )
        let scopes =
            configuration.tier == nil
            ? configuration.playlistSecret.map { CacheScopes(secret: $0) } : nil
        self.playlistSeal = PlaylistSeal((scopes ?? self.scopes).key(for: "weir playlist items 1"))
        self.downloads = DownloadQueue(self.access, isOffline: configuration.isOffline)
        self.rateLimiter = configuration.bytesPerSecond.map { RateLimiter(unitsPerSecond: $0) }
        if let writer = self.tier?.writer { self.access.observeSaves(writer.saved) }
        // Owned by the library, which cancels it when it is closed or deallocated; ends with the
        // last resource.
        self.scrub = configuration.scrubRate.map { [access] rate in
            Task(priority: .background) {
                repeat {
                    guard (try? await Task.sleep(for: .seconds(60))) != nil else { return }
                } while access.owner == nil
                _ = try? await access.owner?.cache.scrub(bytesPerSecond: max(1, rate))
            }
        }
    }

    /// Sends the requests to origins and services.
    var transport: any HTTPTransport { self.transports.origins }

    /// A medium by its parsed URL and headers.
    ///
    /// A query parameter that is a known changing signature is not part of the key.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - headers: the headers for the origin; never stored.
    ///   - account: the account that the bytes belong to.
    ///   - load: which bytes are fetched, and when; `nil`: as the library's configuration says.
    ///   - volatileQuery: query parameters that are not part of the key, beside the ones in the
    ///     library's configuration.
    ///   - validator: which response fields identify the version; `nil`: as the library's
    ///     configuration says.
    ///   - decryption: how the bytes are decrypted; the cache holds them encrypted.
    /// - Returns: the medium, made now or before.
    package func media(
        _ url: OriginURL,
        headers: HTTPHeaderList,
        account: String? = nil,
        load: LoadPolicy? = nil,
        volatileQuery: Set<String> = [],
        validator: ValidatorPolicy? = nil,
        decryption: Decryption? = nil
    ) -> Media {
        let sent = self.sent(headers)
        let key = self.key(of: url, sending: sent, account, volatileQuery)
        let name = MediaIdentity(key: key, headers: headers, decryption: decryption?.identity)
        if let known = self.media.withLock({ $0[name] }) { return known }
        let hasCredential = url.credentialScope(with: sent).hasCredential
        let policy = self.policy(load, hasCredential: hasCredential)
        // The bytes of an encrypted playlist are not those of a playlist.
        let feed =
            decryption == nil
            ? self.playlist(url, key, sending: sent, account, policy, volatileQuery, validator)
            : nil
        return self.media(
            name,
            address: URL(string: url.location()),
            load: policy,
            decryption: decryption,
            playlist: feed
        ) {
            var options = self.configuration.origin
            options.headers = sent
            options.rateLimiter = self.rateLimiter
            options.validator = validator ?? options.validator
            let origin = HTTPOrigin(
                url: url,
                options: options,
                transport: self.transport,
                redirects: self.redirects,
                observer: self.observer
            )
            return self.guarded(origin, feed)
        }
    }

    /// The medium for a file of a storage: the same object for the same file.
    ///
    /// - Parameters:
    ///   - path: the file's path in the storage.
    ///   - storage: the storage.
    ///   - account: the account that the bytes belong to; `nil`: the account of the storage's
    ///     credential.
    ///   - load: which bytes are fetched, and when; `nil`: as the library's configuration says.
    ///   - decryption: how the bytes are decrypted; the cache holds them encrypted.
    /// - Returns: the medium, made now or before; no request has been sent yet.
    package func media(
        _ path: FolderPath,
        in storage: any MediaStorage,
        account: String? = nil,
        load: LoadPolicy? = nil,
        decryption: Decryption? = nil
    ) -> Media {
        let name = MediaIdentity(
            key: self.key(of: path, in: storage, account),
            headers: HTTPHeaderList(),
            storage: ObjectIdentifier(storage),
            decryption: decryption?.identity
        )
        var policy = self.policy(load, hasCredential: storage.credentialScope.hasCredential)
        // An application that gives a storage to a library wants its files stored. Some servers,
        // such as ownCloud and Nextcloud, send no-store for every file because they have browsers
        // in mind.
        policy.storesForbidden = true
        return self.media(
            name,
            isStored: storage.identity(of: path) != nil,
            load: policy,
            storage: storage,
            decryption: decryption
        ) {
            storage.source(of: path.asFile)
        }
    }

    /// A storage of a service, over the library's own transport.
    ///
    /// - Parameters:
    ///   - service: implements the service's protocol.
    ///   - validator: which response fields identify the version; `nil`: as the library's
    ///     configuration says.
    /// - Returns: a storage that lives as long as the caller holds it; use the same one for all its
    ///   files.
    package func storage(
        of service: any CloudService,
        validator: ValidatorPolicy? = nil
    ) -> CloudStorage {
        var options = self.configuration.origin
        options.rateLimiter = self.rateLimiter
        options.validator = validator ?? options.validator
        return CloudStorage(
            service,
            options: options,
            transport: self.transport,
            observer: self.observer
        )
    }

    /// Sends the small requests of a service or of a log-in over the library's own transport.
    public var serviceClient: ServiceClient {
        ServiceClient(
            transport: self.transport,
            timeouts: self.configuration.origin.timeouts,
            retry: self.configuration.origin.retry,
            userAgent: self.configuration.origin.headers["User-Agent"] ?? HTTPOrigin.userAgent,
            observer: self.observer
        )
    }

    /// The events of all media from now on, until the library is closed.
    ///
    /// A listener that is more than 256 events behind loses the oldest ones, and gets
    /// ``MediaEvent/missed(_:)`` in their place.
    public func events() -> AsyncStream<LibraryEvent> {
        self.feed.events()
    }

    /// Makes everything durable and releases the directory; media of the library end with `closed`.
    public func close() async {
        self.endBackgroundWork()
        self.downloads.close()
        for media in self.media.withLock({ $0.all }) { await media.close() }
        await self.transports.end()
        await self.access.close()
        self.feed.finish()
    }

    deinit {
        self.endBackgroundWork()
    }

    private func endBackgroundWork() {
        self.scrub?.cancel()
        self.tier?.writer.close()
    }

    /// A medium that is read in place: the same object for the same resource.
    func unkept(_ name: MediaIdentity, decryption: Decryption?, source: any ByteSource) -> Media {
        self.media(name, isStored: false, load: self.configuration.load, decryption: decryption) {
            source
        }
    }

    /// A medium by its identity; makes the origin if the medium is new.
    ///
    /// The address is for the key provider.
    func media(
        _ name: MediaIdentity,
        address: @autoclosure () -> URL? = nil,
        isStored: Bool = true,
        load: LoadPolicy,
        storage: (any MediaStorage)? = nil,
        decryption: Decryption?,
        playlist: PlaylistFeed? = nil,
        origin: () -> any ByteSource
    ) -> Media {
        if let known = self.media.withLock({ $0[name] }) { return known }
        // Made outside the lock: the application may implement the origin.
        let feed = Broadcast<MediaEvent>()
        let (identifier, display) = (name.key.identifier, name.key.display)
        // The pipeline: origin → loader, in this process or the directory's owner → cipher → typed.
        let base: any ClosableSource =
            if isStored {
                self.shared(name.key, load, origin()) { [library = self.feed] event in
                    feed.tell(event)
                    library.tell(LibraryEvent(media: identifier, display: display, event: event))
                }
            } else {
                DirectSource(origin())
            }
        let made = Media(
            id: identifier,
            display: display,
            key: isStored ? name.key : nil,
            access: self.access,
            isDecrypted: decryption != nil,
            base: base,
            source: self.typed(base, decryption.map { ($0, name.keyRequest(address())) }, name.key),
            feed: feed,
            playlist: playlist,
            shelf: self.playlists
        ) { [weak self] media in
            // The medium keeps its storage alive, so that no other storage gets the same
            // identifier.
            withExtendedLifetime(storage) {
                self?.media.withLock { $0.remove(media, for: name) }
            }
        }
        let (media, isNew) = self.media.withLock { table in
            // Another task may have added the medium first.
            if let known = table[name] { return (known, false) }
            table.add(made, for: name)
            return (made, true)
        }
        if isNew { self.downloads.opened(media) }
        return media
    }

    /// The policy of a medium; if the user has set no `whenGone`, it depends on `hasCredential`.
    func policy(_ load: LoadPolicy?, hasCredential: Bool) -> LoadPolicy {
        var policy = load ?? self.configuration.load
        policy.whenGone = policy.whenGone ?? (hasCredential ? .refuseUnauthorized : .serve)
        return policy
    }

    /// The source of a resource that the cache stores; this process or the directory's owner loads
    /// it.
    private func shared(
        _ key: ResourceKey,
        _ load: LoadPolicy,
        _ origin: any ByteSource,
        tell: @escaping @Sendable (MediaEvent) -> Void
    ) -> SharedSource {
        let isOffline = self.configuration.isOffline
        var origin = origin
        if let (tier, _) = self.tier {
            origin = TieredSource(
                origin,
                resource: key.identifier,
                originName: Self.originName(key.display),
                tier: tier,
                freshness: load.freshnessOfOthers
            )
        }
        return SharedSource(
            SharedResource(key: key, isOffline: isOffline),
            policy: load,
            origin: isOffline
                ? FailingSource.offline(key.display) : ReportingSource(origin, tell: tell),
            access: self.access
        )
    }

    /// The server or the service in a resource's display name.
    private static func originName(_ display: String) -> String {
        let parts = display.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3)
        // For a URL, the scheme and the host; otherwise the part before the path.
        let isURL = parts.first?.last == UInt8(ascii: ":") && display.contains("://")
        return parts.prefix(isURL ? 2 : 1).map { String(Substring($0)) }.joined(separator: "//")
    }

    /// Decrypts the bytes of a source, if they are encrypted, and determines their type and name.
    ///
    /// The observer gets `keySuspected` if the key seems to be wrong.
    private func typed(
        _ base: some ByteSource,
        _ decryption: (Decryption, KeyRequest)?,
        _ key: ResourceKey
    ) -> TypedSource {
        guard let (decryption, request) = decryption else {
            return TypedSource(
                base,
                whenEncrypted: { [observer = self.observer] form in
                    observer(.encrypted(resource: key.display, form: form))
                }
            )
        }
        let plain = CipherSource(base, decryption: decryption, for: request)
        guard !decryption.isAuthenticated else { return TypedSource(plain, isNamedByType: true) }
        return TypedSource(
            plain,
            isNamedByType: true,
            whenUnrecognised: { [observer = self.observer] in
                observer(.keySuspected(resource: key.display, id: key.identifier))
            }
        )
    }
}
