// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AsyncHTTPClientTransport {
    /// How connections are made.
    public struct Options: Sendable {
        /// A PEM file of certificates that are trusted beside the system's.
        public var caFile: String?
        /// Which proxies are used; `nil` for what this process's environment says.
        public var proxies: ProxySettings?
        /// How long a connection may take to stand, TLS included; where no ``QueuedTransport`` stands before this one,
        /// the wait for a free one, too.
        public var connectTimeout: Duration
        /// How many connections to one host are open at the same time, at least 1; further requests wait.
        public var connectionsPerHost: Int

        /// Makes options.
        public init(
            caFile: String? = nil,
            proxies: ProxySettings? = nil,
            connectTimeout: Duration = .seconds(10),
            connectionsPerHost: Int = 16
        ) {
            self.caFile = caFile
            self.proxies = proxies
            self.connectTimeout = connectTimeout
            self.connectionsPerHost = connectionsPerHost
        }
    }
}
