// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// A connection to a server: bytes both ways, over TCP or TLS.
///
/// One exchange uses it at a time: it sends, then receives until the answer has ended. Between two exchanges it rests.
package protocol ByteConnection: AnyObject, Sendable {
    /// Sends bytes; a failure shows in ``receive(readsAhead:)``.
    ///
    /// - Parameters:
    ///   - bytes: what goes out, all of it before anything that is sent later.
    ///   - sent: called, from any thread, when the bytes are the system's.
    func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?)

    /// The next bytes, never empty; `nil` when the other side has ended its own in good order.
    ///
    /// One call at a time. What came before an end or a failure comes before it.
    ///
    /// - Parameter readsAhead: whether the connection may read the next piece while this one is used.
    /// - Returns: the bytes.
    /// - Throws: ``HTTPTransportError``: `connectionLost`, or `closed` after ``close(resetting:)``.
    func receive(readsAhead: Bool) async throws -> ByteMemory?

    /// Lets the connection rest until ``wake()``, for a time at most.
    ///
    /// - Parameters:
    ///   - time: how long at most.
    ///   - expired: called once, from any thread, when the connection is of no use any more: the time is over, the other
    ///     side has ended it, or bytes came that were not asked for. Not called after ``wake()``.
    func rest(for time: Duration, expired: @escaping @Sendable () -> Void)

    /// Ends the rest; `false` where the connection has expired.
    func wake() -> Bool

    /// Closes, at once, from any thread and any number of times; a pending ``receive(readsAhead:)`` fails.
    ///
    /// - Parameter resetting: whether an answer is left in its middle. An orderly end would let the rest of it take
    ///   bandwidth from what is wanted instead (law 6), so the other side gets a reset.
    func close(resetting: Bool)

    /// Returns when the connection is closed on this side.
    func closed() async
}

/// Where a connection leads to, and how.
package struct Endpoint: Hashable, Sendable {
    /// The host's name or address, an IPv6 address without its brackets.
    package var host: String
    /// The port, 1 to 65535.
    package var port: Int
    /// Whether TLS is spoken with the host.
    package var isSecure: Bool
    /// The proxy that is asked for the connection; `nil` for none.
    package var proxy: ProxySettings.Proxy?

    package init(host: String, port: Int, isSecure: Bool, proxy: ProxySettings.Proxy? = nil) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.proxy = proxy
    }
}

/// Makes connections.
package protocol Connector: Sendable {
    /// A connection that stands, TLS included.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError`, at once, when the calling task is cancelled.
    func connect(to endpoint: Endpoint) async throws -> any ByteConnection
}
