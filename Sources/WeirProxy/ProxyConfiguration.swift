// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a proxy listens, and whom it answers.
public struct ProxyConfiguration: Sendable, Hashable {
    /// The address or name to listen on.
    ///
    /// Off loopback a ``secret`` is needed.
    public var host: String
    /// The port; 0 takes a free one, which ``ProxyServer/port`` then tells.
    public var port: Int
    /// The first piece of every path but `/healthz`; `nil` serves whoever reaches the port.
    public var secret: String?
    /// Names that a `Host` field may hold beside the names of the loopback interface and ``host``.
    ///
    /// The check keeps web pages out that let a name of theirs resolve to this machine.
    public var allowedHosts: [String]
    /// Sites whose pages may read what they get, as a browser names them: `https://example.org`.
    public var allowedCrossOrigins: [String]
    /// How many event loops, each a thread, serve the connections.
    ///
    /// One is enough for some 30 000
    /// requests of 64 KiB a second.
    public var eventLoopCount: Int
    /// How many connections may be open at a time; whoever comes then is told 503.
    public var maximumConnections: Int
    /// How long a connection may stay open without a request; a day at most.
    public var idleTimeout: Duration

    /// Describes a proxy on the loopback interface, with a new secret.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        secret: String? = ProxySecret().text,
        allowedHosts: [String] = [],
        allowedCrossOrigins: [String] = [],
        eventLoopCount: Int = 1,
        maximumConnections: Int = 512,
        idleTimeout: Duration = .seconds(75)
    ) {
        self.host = host
        self.port = port
        self.secret = secret
        self.allowedHosts = allowedHosts
        self.allowedCrossOrigins = allowedCrossOrigins
        self.eventLoopCount = eventLoopCount
        self.maximumConnections = maximumConnections
        self.idleTimeout = idleTimeout
    }
}
