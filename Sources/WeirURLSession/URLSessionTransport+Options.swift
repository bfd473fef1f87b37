// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension URLSessionTransport {
    /// How connections are made.
    ///
    /// How long is waited stands in ``/WeirHTTP/HTTPOrigin/Options``; a session's own limits are set out
    /// of the way.
    public struct Options: Hashable, Sendable {
        /// Whether cellular networks may be used; on Linux nobody asks.
        public var allowsCellularAccess: Bool
        #if !canImport(FoundationNetworking)
        /// Whether networks may be used that cost the user, such as cellular ones and hotspots.
        public var allowsExpensiveNetworkAccess: Bool = true
        /// Whether networks may be used in Low Data Mode.
        public var allowsConstrainedNetworkAccess: Bool = true
        /// Whether a request waits for a network instead of failing at once.
        ///
        /// It waits within the origin's limit for the first byte.
        public var waitsForConnectivity: Bool = false
        #endif
        /// How many connections to one host are open at the same time; further requests wait.
        public var connectionsPerHost: Int

        /// How many bytes of a body are kept for a consumer who does not pull, before its connection is
        /// given up.
        ///
        /// See <doc:WeirURLSession> for what that means on which platform.
        public var backlog: Int

        /// Makes options.
        public init(
            allowsCellularAccess: Bool = true,
            connectionsPerHost: Int = 16,
            backlog: Int = 2 << 20
        ) {
            self.allowsCellularAccess = allowsCellularAccess
            self.connectionsPerHost = connectionsPerHost
            self.backlog = backlog
        }
    }
}
