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
    /// How many connections may have a place at a time.
    ///
    /// Some more, an eighth of these, are accepted without a place: `/healthz` is always answered. When a request comes
    /// there, the idlest connection is closed for it: one without a request first, else one whose client has taken no
    /// byte for a while, as that of a player that pauses; its next request goes on. Only where every client is being
    /// served is a newcomer told 503, after five seconds.
    public var maximumConnections: Int
    /// How many of them may be of one client address; `nil`: all on the loopback interface, else three quarters.
    ///
    /// An address that has as many makes room among its own connections only.
    public var maximumConnectionsPerAddress: Int?
    /// How long a request waits for a place before it is told 503.
    package var placePatience: Duration = .seconds(5)
    /// How long a connection may stay open without a request; a day at most.
    public var idleTimeout: Duration
    /// Whether only programs of the user that this process runs as, and of root, may connect.
    ///
    /// For a proxy on the loopback interface whose ``secret`` other users may learn, as from the
    /// arguments of a player. The system is asked about each connection when it is accepted, by its
    /// `sock_diag(7)`; a client of another user, of another machine, or that has closed its socket
    /// by then, finds its connection closed and is told nothing. Linux alone can tell: elsewhere
    /// the proxy does not start, with ``ProxyError/Code/usersUnknown``.
    public var admitsOnlySameUser: Bool

    /// Describes a proxy on the loopback interface, with a new secret.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        secret: String? = ProxySecret().text,
        allowedHosts: [String] = [],
        allowedCrossOrigins: [String] = [],
        eventLoopCount: Int = 1,
        maximumConnections: Int = 512,
        maximumConnectionsPerAddress: Int? = nil,
        idleTimeout: Duration = .seconds(75),
        admitsOnlySameUser: Bool = false
    ) {
        self.host = host
        self.port = port
        self.secret = secret
        self.allowedHosts = allowedHosts
        self.allowedCrossOrigins = allowedCrossOrigins
        self.eventLoopCount = eventLoopCount
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.idleTimeout = idleTimeout
        self.admitsOnlySameUser = admitsOnlySameUser
    }
}
