// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirCache
public import WeirHTTP
public import WeirLoader
public import WeirSource

extension MediaLibrary {
    /// How a library keeps and fetches.
    public struct Configuration: Sendable {
        /// The directory that holds the cache, as the library is told; made if it does not exist.
        package var directory = ""
        /// How much the cache may hold, and for how long; what was used longest ago goes first.
        public var cacheLimits: CacheLimits
        /// How many files of the cache stay open when no reader uses them; less than 1 is taken for 1.
        ///
        /// Those that were not used for the longest time are closed first, and opened again when they are used.
        public var maximumOpenFiles: Int
        /// How fast to compare the cached bytes with their checksums, beside everything else, in bytes per second;
        /// `nil`: only what is played.
        ///
        /// Once, from a minute after the library was opened.
        public var scrubRate: Int64?
        /// What is fetched and when.
        public var load: LoadPolicy
        /// Parts of a URL's query that are no part of a resource's identity, such as a signature.
        public var volatileQuery: Set<String>
        /// Whether to play from the cache only and ask no origin.
        public var isOffline: Bool
        /// How fast origins may send, all together, in bytes per second; `nil`: as they can.
        public var bytesPerSecond: Int64?
        /// Time-outs, retries and headers for every origin.
        public var origin: HTTPOrigin.Options
        /// Certificates and proxies of the library's own transport.
        public var transport: AsyncHTTPClientTransport.Options
        /// Is told of requests, bytes, retries, changes.
        public var observer: SourceObserver?

        /// The defaults: 2 GiB, 128 open files, a scrub of 8 MiB a second, keep what was played, no proxy.
        public init() {
            self.cacheLimits = CacheLimits(byteCount: 2 << 30)
            self.maximumOpenFiles = Cache.defaultMaximumOpenFiles
            self.scrubRate = 8 << 20
            self.load = LoadPolicy()
            self.volatileQuery = []
            self.isOffline = false
            self.bytesPerSecond = nil
            self.origin = HTTPOrigin.Options()
            self.transport = AsyncHTTPClientTransport.Options()
            self.observer = nil
        }

        /// The defaults, for a directory that is named by a path.
        package init(directory: String) {
            self.init()
            self.directory = directory
        }
    }
}
