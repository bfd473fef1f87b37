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
    /// How a library keeps and fetches.
    ///
    ///     var configuration = MediaLibrary.Configuration()
    ///     configuration.cacheLimits.byteCount = 10 << 30
    ///     let library = try MediaLibrary(configuration: configuration)
    public struct Configuration: Sendable {
        // MARK: What is kept

        /// The directory that holds the cache, as the library is told; made if it does not exist.
        package var directory = ""
        /// How much the cache may hold, and for how long; what was used longest ago goes first.
        public var cacheLimits: CacheLimits
        /// What is fetched and when.
        public var load: LoadPolicy
        /// Parts of a URL's query that are no part of a resource's identity, such as a signature.
        public var volatileQuery: Set<String>
        /// How many files of the cache stay open when no reader uses them; less than 1 is taken for 1.
        ///
        /// Those that were not used for the longest time are closed first, and opened again when they are used.
        public var maximumOpenFiles: Int
        /// What an Apple system is told of the directory: by default it is read also while the device is locked, and left
        /// out of backups.
        public var directoryAttributes: DirectoryAttributes
        /// How fast to compare the cached bytes with their checksums, beside everything else, in bytes per second;
        /// `nil`: only what is played.
        ///
        /// Once, from a minute after the library was opened.
        public var scrubRate: Int64?

        // MARK: What is asked

        /// Whether to play from the cache only and ask no origin.
        public var isOffline: Bool
        /// Fields to send to every origin, by name; never stored, and not sent to another host.
        ///
        /// A medium's own fields come beside them; one of the same name takes their place. Both count as its credential if
        /// it has no account: see ``MediaRequest/account``.
        public var headers: [String: String]
        /// How fast origins may send, all together, in bytes per second; `nil`: as they can.
        public var bytesPerSecond: Int64?
        /// How the library's own transport connects.
        public var transport: TransportSettings

        /// Time-outs, retries and headers for every origin.
        package var origin: HTTPOrigin.Options
        /// What a fleet shares behind its caches; `nil`: nothing.
        package var tier: TierSettings?
        /// Is told of requests, bytes, retries, changes.
        package var observer: SourceObserver?

        /// The defaults: 2 GB, 128 open files, a scrub of 8 MiB a second, keep what was played; 10 s for a connection,
        /// 30 s for the first and each further byte, 5 retries, 16 connections to one host.
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

        /// The defaults, for a directory that is named by a path.
        package init(directory: String) {
            self.init()
            self.directory = directory
        }

        /// Which fields of an answer tell one version of a file from another: ``/WeirSource/ValidatorPolicy/strong``
        /// unless told otherwise.
        ///
        /// ``/WeirSource/ValidatorPolicy/modified`` is for a farm whose servers name entity tags of their own. Bytes that
        /// were kept under the other policy are fetched again.
        public var validator: ValidatorPolicy {
            get { self.origin.validator }
            set { self.origin.validator = newValue }
        }

        /// How long a connection may take to stand, TLS included.
        public var connectTimeout: Duration {
            get { self.origin.timeouts.connect }
            set {
                self.origin.timeouts.connect = newValue
                self.transport.connectTimeout = newValue
            }
        }

        /// How long an origin may take from there until the head of its answer.
        public var firstByteTimeout: Duration {
            get { self.origin.timeouts.firstByte }
            set { self.origin.timeouts.firstByte = newValue }
        }

        /// How long an origin may be silent while a reader waits for the next byte.
        public var idleTimeout: Duration {
            get { self.origin.timeouts.idle }
            set { self.origin.timeouts.idle = newValue }
        }

        /// How often a failed request is repeated without progress between, by all readers of a resource together.
        ///
        /// The pauses are 0.25, 0.5, 1, 2 and 4 s, each a quarter more or less. An origin that has never answered is
        /// given up after two repetitions, or fewer if this says so.
        public var maximumRetries: Int {
            get { self.origin.retry.maximumRetries }
            set {
                self.origin.retry.maximumRetries = max(0, newValue)
                self.origin.retry.maximumFirstRetries = min(2, max(0, newValue))
            }
        }

        /// For how long a failed request is repeated without progress; `nil`: as often as ``maximumRetries`` says.
        ///
        /// The time counts from the first failure, and ``maximumRetries`` for nothing. The pauses grow to 4 s.
        public var maximumRetryTime: Duration? {
            get { self.origin.retry.maximumRetryTime }
            set { self.origin.retry.maximumRetryTime = newValue.map { max(.zero, $0) } }
        }

        /// The configuration with its headers in the form that origins are asked with.
        ///
        /// - Throws: `SourceError` with `invalidRequest` for a header that is none.
        func checked() throws(SourceError) -> Configuration {
            var checked = self
            checked.origin.headers.replace(with: try HTTPHeaderList(self.headers))
            return checked
        }
    }
}

/// A store that a fleet of machines shares behind its caches.
package struct TierSettings: Sendable {
    /// Makes the store, which sends its requests so.
    package var store: @Sendable (ServiceClient) throws -> any ObjectStore
    /// What the machines share: only what was sealed with it is believed.
    package var secret: [UInt8]
    /// How fast it is written to; `nil`: as fast as it takes.
    package var bytesPerSecond: Int64?

    /// The store behind a library's cache, and what writes to it.
    func tier(
        over transports: LibraryTransports,
        _ origin: HTTPOrigin.Options,
        _ observer: @escaping SourceObserver
    ) throws -> (Tier, writer: TierWriter) {
        // What is asked of it is not asked of an origin, and is not repeated: the origin has the bytes, too.
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

    /// Names a store.
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
