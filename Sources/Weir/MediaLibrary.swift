// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
public import WeirHTTP
import WeirLoader
public import WeirSource

/// A cache directory, the line to the origins, and the media that are played through both.
///
/// One library owns its directory for as long as it is open. Another one, in this process or in others of the same
/// user, plays through it: what it asks for comes from the owner's cache, what is missing there from its own line to
/// the origin, and is kept by the owner. When the owner goes, the next takes its place; readers go on. All of it may be used
/// from any task.
///
/// When the disk fails, media play without a cache, the observer is told so once, and the directory is tried again
/// every now and then. What it does is counted by swift-metrics: `weir.origin.requests`, `weir.origin.received.bytes`,
/// `weir.origin.retries`, `weir.cache.degradations`, `weir.cache.degraded` (a gauge), `weir.cache.damaged.bytes`.
public final class MediaLibrary: Sendable {
    /// The settings that the library was made with.
    public let options: Options
    /// What has been asked of origins and received from them since the library was made.
    public let totals = TransferTotals()

    let access: CacheAccess
    private let transport: AsyncHTTPClientTransport
    private let rateLimiter: RateLimiter?
    private let observer: SourceObserver
    private let media = Mutex(RecentTable<MediaName, Media>())
    private let scrub: Task<Void, Never>?

    /// Opens a library, and its directory with it.
    ///
    /// - Throws: `CacheError` if the directory is a file, or of a newer Weir, or cannot be made or written to;
    ///   `SourceError` if the certificate file cannot be read.
    public init(_ options: Options) throws {
        self.options = options
        let totals = self.totals
        let metrics = LibraryMetrics()
        let observer = options.observer
        self.observer = { event in
            totals.count(event)
            metrics.count(event)
            observer?(event)
        }
        self.access = try CacheAccess(
            directory: options.directory,
            limits: options.cacheLimits,
            observer: self.observer
        )
        do {
            self.transport = try AsyncHTTPClientTransport(options.transport)
        } catch {
            self.access.owner?.stopAnswering()
            self.access.owner?.cache.close()
            throw error
        }
        self.rateLimiter = options.bytesPerSecond.map { RateLimiter(bytesPerSecond: $0) }
        // Owned by the library; ends with the last resource, or when the library is closed or dropped, which
        // cancels it.
        self.scrub = options.scrubRate.map { [access] rate in
            Task(priority: .background) {
                repeat {
                    guard (try? await Task.sleep(for: .seconds(60))) != nil else { return }
                } while access.owner == nil
                _ = try? await access.owner?.cache.scrub(bytesPerSecond: max(1, rate))
            }
        }
    }

    /// A medium by its URL: the same object for the same resource, so that all its readers share
    /// one download.
    ///
    /// Nothing is asked of the origin yet.
    ///
    /// - Parameters:
    ///   - url: an `http` or `https` URL with a path.
    ///   - headers: what the origin wants to be told, one `Name: value` each; never stored.
    ///   - account: whose bytes these are. Two accounts share nothing; without a name, media that are
    ///     asked for with a credential share a scope that those without do not see.
    /// - Returns: the medium, made now or before.
    /// - Throws: `SourceError` with `invalidRequest`.
    public func media(
        _ url: String,
        headers: [String] = [],
        account: String? = nil
    ) throws(SourceError) -> Media {
        var list = HTTPHeaderList()
        for header in headers { list.append(try HTTPHeader(parsing: header)) }
        return self.media(try OriginURL(url), headers: list, account: account)
    }

    /// A medium by its parsed URL and headers.
    public func media(_ url: OriginURL, headers: HTTPHeaderList, account: String? = nil) -> Media {
        let key = ResourceKey(
            location: url.location(withoutQuery: self.options.volatileQuery),
            account: account ?? AccountScope.name(url: url, headers: headers),
            display: url.display
        )
        let name = MediaName(key: key, headers: headers)
        return self.media.withLock { table in
            if let known = table[name] { return known }
            let media = Media(url: url, source: self.pipeline(url: url, headers: headers, key: key))
            table.add(media, for: name)
            return media
        }
    }

    /// Makes everything durable and lets the directory go; media of the library end with `closed`.
    public func close() async {
        self.scrub?.cancel()
        for media in self.media.withLock({ $0.all }) { await media.close() }
        await self.transport.shutdown()
        await self.access.close()
    }

    deinit {
        self.scrub?.cancel()
    }

    /// The line in which bytes flow: origin → loader, here or with who owns the directory → typed.
    private func pipeline(url: OriginURL, headers: HTTPHeaderList, key: ResourceKey)
        -> MediaPipeline
    {
        let shared = SharedSource(
            KeptSource.Name(key: key, isOffline: self.options.isOffline),
            policy: self.options.load,
            origin: self.origin(url: url, headers: headers),
            access: self.access
        )
        return MediaPipeline(
            front: TypedSource(shared),
            shared: shared
        )
    }

    private func origin(url: OriginURL, headers: HTTPHeaderList) -> any ByteSource {
        guard !self.options.isOffline else { return OfflineOrigin(display: url.display) }
        var options = self.options.origin
        for header in headers.headers { options.headers.append(header) }
        options.rateLimiter = self.rateLimiter
        return HTTPOrigin(
            url: url,
            options: options,
            transport: self.transport,
            observer: self.observer
        )
    }
}
