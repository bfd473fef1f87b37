// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// A connection to a server, over TCP or TLS, for bytes in both directions.
///
/// One exchange uses the connection at a time: it sends, then receives until the response has
/// ended. Between two exchanges the connection rests.
package protocol ByteConnection: AnyObject, Sendable {
    /// Sends bytes; ``receive(readsAhead:)`` reports a failure.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to send, all of them before later ones.
    ///   - sent: called, from any thread, when the system has taken the bytes.
    func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?)

    /// The next bytes, never empty; `nil` after an orderly end by the server.
    ///
    /// One call at a time. Bytes that arrived before an end or a failure come first.
    ///
    /// - Parameter readsAhead: whether the connection may read the next piece while the caller uses
    ///   this one.
    /// - Returns: the bytes.
    /// - Throws: ``HTTPTransportError``: `connectionLost`, or `closed` after ``close(resetting:)``.
    func receive(readsAhead: Bool) async throws -> ByteMemory?

    /// Lets the connection rest until ``wake()``, for a limited time.
    ///
    /// - Parameters:
    ///   - time: the longest rest.
    ///   - expired: called once, from any thread, when the connection has become unusable: the time
    ///     is over, the server has ended the connection, or unrequested bytes arrived. Not called
    ///     after ``wake()``.
    func rest(for time: Duration, expired: @escaping @Sendable () -> Void)

    /// Ends the rest; `false` if the connection has expired.
    func wake() -> Bool

    /// Closes at once, from any thread and any number of times; a pending ``receive(readsAhead:)``
    /// fails.
    ///
    /// - Parameter resetting: whether the connection closes in the middle of a response. If so, the
    ///   server gets a reset: after an orderly end it would send the rest of the response, which
    ///   takes bandwidth from later requests (law 6 of the architecture page).
    func close(resetting: Bool)

    /// Returns when the connection is closed on this side.
    func closed() async
}

/// The target of a connection, and how to reach it.
package struct Endpoint: Hashable, Sendable {
    /// The host's name or address, an IPv6 address without its brackets.
    package var host: String
    /// The port, 1 to 65535.
    package var port: Int
    /// Whether the connection to the host uses TLS.
    package var isSecure: Bool
    /// The proxy that opens the connection; `nil` for none.
    package var proxy: ProxySettings.Proxy?
    /// Which addresses the connection may have; requests with different rules share no connection.
    package var rule: ConnectionRule

    package init(
        host: String,
        port: Int,
        isSecure: Bool,
        proxy: ProxySettings.Proxy? = nil,
        rule: ConnectionRule = .any
    ) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.proxy = proxy
        self.rule = rule
    }
}

/// Opens connections.
package protocol Connector: Sendable {
    /// Opens a connection, TLS included.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError`, at once, when the calling task is
    ///   cancelled.
    func connect(to endpoint: Endpoint) async throws -> any ByteConnection
}
