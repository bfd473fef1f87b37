// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
public import WeirCache
import WeirClouds
package import WeirHTTP
public import WeirLoader
public import WeirSource
import WeirTier

extension MediaLibrary {
    /// The settings of a library's cache and transport.
    ///
    ///     var configuration = MediaLibrary.Configuration()
    ///     configuration.cacheLimits.byteCount = 10 << 30
    ///     let library = try MediaLibrary(configuration: configuration)
    public struct Configuration: Sendable {
        // MARK: Storage

        /// The directory of the cache, as the caller names it; the library makes it if it does not
        /// exist.
        package var directory = ""
        /// The size limit and the time limit of the cache; the least recently used resources are
        /// removed first.
        public var cacheLimits: CacheLimits
        /// Which bytes are fetched, and when.
        public var load: LoadPolicy
        /// Query parameters that are not part of a resource's identity, such as a signature.
        public var volatileQuery: Set<String>
        /// How many files of the cache stay open when no reader uses them; a value below 1 means 1.
        ///
        /// The library closes the least recently used files first, and opens them again when they
        /// are used.
        public var maximumOpenFiles: Int
        /// The attributes of the directory on Apple systems.
        ///
        /// By default the directory is readable while the device is locked, and is excluded from
        /// backups.
        public var directoryAttributes: DirectoryAttributes
        /// The speed of the background check of cached bytes against their checksums, in bytes per
        /// second.
        ///
        /// `nil`: only played bytes are checked. The check runs once. It starts a minute after the
        /// library was opened, or later if another process owns the directory then.
        public var scrubRate: Int64?

        // MARK: Requests

        /// Whether to play from the cache only and send no request to origins.
        public var isOffline: Bool
        /// Header fields for every origin, by name; never stored, and not sent to another host.
        ///
        /// A medium's own fields are sent as well; a field of the same name replaces the library's.
        /// Both count as the medium's credential if it has no account: see
        /// ``MediaRequest/account``.
        public var headers: [String: String]
        /// The speed limit for all origins together, in bytes per second; `nil`: no limit.
        public var bytesPerSecond: Int64?
        /// How the library's own transport connects.
        public var transport: TransportSettings

        /// The hosts in HLS playlists that may have addresses of a local network or of this machine.
        ///
        /// A playlist leads to its own origin and to addresses of the internet. Link-local addresses
        /// are never used.
        public var playlistHosts: Set<String> = []
        /// A secret for the addresses of playlist items, which processes with other cache folders
        /// share; `nil`: a key of the cache folder.
        ///
        /// The machines of a fleet use the secret of their store instead.
        package var playlistSecret: [UInt8]?
        /// Measures the time between two loads of a playlist.
        package var playlistClock: any Clock<Duration> = ContinuousClock()
        /// The credentials of the user's own sources for addresses that a playlist names.
        package var playlistCredentials: @Sendable (OriginURL) -> PlaylistCredentials? = { _ in nil
        }
        /// Time-outs, retries and headers for every origin.
        package var origin: HTTPOrigin.Options
        /// The store that a fleet shares behind its caches; `nil`: there is no store.
        package var tier: TierSettings?
        /// Receives requests, bytes, retries and changes as events.
        package var observer: SourceObserver?

        /// The default settings.
        ///
        /// 2 GB, 128 open files, a scrub of 8 MiB a second, keep played bytes; 10 s for a
        /// connection, 30 s for the first and each further byte, 5 retries, 16 connections to one
        /// host.
        public init() {
            self.cacheLimits = CacheLimits(byteCount: 2_000_000_000)
            self.load = LoadPolicy()
            self.volatileQuery = []
            self.maximumOpenFiles = Cache.defaultMaximumOpenFiles
            self.directoryAttributes = DirectoryAttributes()
            self.scrubRate = 8 << 20
            self.isOffline = false
            self.headers = [:]
            self.bytesPerSecond = nil
            self.origin = HTTPOrigin.Options()
            self.transport = TransportSettings()
            self.tier = nil
            self.observer = nil
        }

        /// The defaults, for a directory at a path.
        package init(directory: String) {
            self.init()
            self.directory = directory
        }

        /// The response header fields that distinguish versions of a file.
        ///
        /// The default is ``/WeirSource/ValidatorPolicy/strong``.
        /// ``/WeirSource/ValidatorPolicy/modified`` is for a group of servers that each use entity
        /// tags of their own. Bytes that were stored under the other policy are fetched again.
        public var validator: ValidatorPolicy {
            get { self.origin.validator }
            set { self.origin.validator = newValue }
        }

        /// The time limit for establishing a connection, including TLS.
        public var connectTimeout: Duration {
            get { self.origin.timeouts.connect }
            set {
                self.origin.timeouts.connect = newValue
                self.transport.connectTimeout = newValue
            }
        }

        /// The time limit from the established connection to the head of the origin's response.
        public var firstByteTimeout: Duration {
            get { self.origin.timeouts.firstByte }
            set { self.origin.timeouts.firstByte = newValue }
        }

        /// The time limit for the next byte while a reader waits for it.
        public var idleTimeout: Duration {
            get { self.origin.timeouts.idle }
            set { self.origin.timeouts.idle = newValue }
        }

        /// How often a failed request is repeated without progress, by all readers of a resource
        /// together.
        ///
        /// The pauses are 0.25, 0.5, 1, 2 and 4 s, each a quarter more or less. For an origin that
        /// has never answered, the limit is two repetitions, or this value if it is lower.
        public var maximumRetries: Int {
            get { self.origin.retry.maximumRetries }
            set {
                self.origin.retry.maximumRetries = max(0, newValue)
                self.origin.retry.maximumFirstRetries = min(2, max(0, newValue))
            }
        }

        /// How long a failed request is repeated without progress; `nil`: ``maximumRetries`` is the
        /// limit.
        ///
        /// The time counts from the first failure, and ``maximumRetries`` has no effect. The pauses
        /// grow to 4 s.
        public var maximumRetryTime: Duration? {
            get { self.origin.retry.maximumRetryTime }
            set { self.origin.retry.maximumRetryTime = newValue.map { max(.zero, $0) } }
        }

        /// The configuration with its headers checked and merged into the options for origins.
        ///
        /// - Throws: `SourceError` with `invalidRequest` for an invalid header.
        func checked() throws(SourceError) -> Configuration {
            var checked = self
            checked.origin.headers.replace(with: try HTTPHeaderList(self.headers))
            return checked
        }
    }
}

/// A store that a fleet of machines shares behind its caches.
package struct TierSettings: Sendable {
    /// Makes the store, which sends its requests with the given client.
    package var store: @Sendable (ServiceClient) throws -> any ObjectStore
    /// The secret that the machines share: a machine accepts only objects that were sealed with it.
    package var secret: [UInt8]
    /// The speed limit for writing to the store, in bytes per second; `nil`: no limit.
    package var bytesPerSecond: Int64?

    /// The store behind a library's cache, and the object that writes to it.
    func tier(
        over transports: LibraryTransports,
        _ origin: HTTPOrigin.Options,
        _ observer: @escaping SourceObserver
    ) throws -> (Tier, writer: TierWriter) {
        // The client does not repeat requests: the origin has the bytes, too. The client has no
        // observer, so its requests are not counted.
        let client = ServiceClient(
            transport: transports.store,
            timeouts: origin.timeouts,
            retry: RetryPolicy(maximumRetries: 0, maximumFirstRetries: 0)
        )
        let tier = Tier(
            store: try self.store(client),
            secret: self.secret,
            now: WallClock.seconds,
            observer: observer
        )
        return (tier, TierWriter(tier, bytesPerSecond: self.bytesPerSecond))
    }

    /// Makes the settings of a store.
    package init(
        secret: [UInt8],
        bytesPerSecond: Int64? = nil,
        store: @escaping @Sendable (ServiceClient) throws -> any ObjectStore
    ) {
        self.store = store
        self.secret = secret
        self.bytesPerSecond = bytesPerSecond
    }
}
