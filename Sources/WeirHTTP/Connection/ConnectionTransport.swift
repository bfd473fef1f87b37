// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Sends HTTP/1.1 requests over connections of a ``Connector``, and keeps connections between
/// requests.
///
/// The response to a request with the field `Icy-MetaData` may be a radio station's: `ICY 200 OK`.
///
/// If an HTTP proxy applies, the proxy gets the request for an `http` address, and opens a tunnel
/// (CONNECT) for an `https` address. Each active request uses one connection. ``QueuedTransport``,
/// in front of this type, limits their number.
package final class ConnectionTransport: HTTPTransport {
    /// The longest rest of a connection.
    ///
    /// Longer than the pause of a player between two ranges, and shorter than a router's timeout.
    private static let restingTime = Duration.seconds(60)
    /// Methods whose request may be sent again after a rested connection ends without a response.
    ///
    /// RFC 9110 §9.2.2, RFC 9112 §9.3.1.
    private static let repeatable: Set = ["GET", "HEAD", "OPTIONS", "PROPFIND", "PUT", "DELETE"]

    private let connector: any Connector
    private let proxies: ProxySettings
    private let connections = IdleConnections(restingFor: ConnectionTransport.restingTime)

    /// Creates a transport without connections.
    package init(_ connector: any Connector, proxies: ProxySettings = .none) {
        self.connector = connector
        self.proxies = proxies
    }

    deinit {
        _ = self.connections.shutDown()
    }

    /// Closes all connections, including those in use; repeated calls are allowed.
    package func shutdown() async {
        for connection in self.connections.shutDown() { await connection.closed() }
    }

    /// Sends a request.
    package func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        guard !self.connections.isShutDown else { throw HTTPTransportError.closed }
        let proxy = self.proxies.proxy(for: request.url)
        let forwarding = proxy.flatMap { $0.forwards(request.url) ? $0 : nil }
        let endpoint =
            forwarding.map { Endpoint(host: $0.host, port: $0.port, isSecure: false) }
            ?? Endpoint(
                host: request.url.host,
                port: request.url.port,
                isSecure: request.url.scheme == .https,
                proxy: proxy,
                rule: request.rule
            )
        // The request to a proxy carries the whole address (RFC 9112 §3.2.2).
        let base =
            forwarding == nil ? "" : "\(request.url.scheme.rawValue)://\(request.url.authority)"
        let credentials = forwarding?.userInfo.map {
            [(name: "Proxy-Authorization", value: $0.basicCredentials)]
        }
        let bytes = try RequestLines.bytes(
            request,
            target: base + request.url.requestTarget,
            extra: credentials ?? []
        )
        let response = try await self.answer(to: bytes, of: request, over: endpoint)
        if let forwarding, response.status == 407 {
            response.body.cancel()
            throw HTTPTransportError.refused(by: forwarding)
        }
        return response
    }

    /// Sends a repeatable request over a rested connection if there is one; otherwise over a new
    /// one.
    ///
    /// If the rested connection ends before a byte of the response, the request is sent once more
    /// over a new connection.
    private func answer(
        to bytes: [UInt8],
        of request: HTTPTransportRequest,
        over endpoint: Endpoint
    ) async throws -> HTTPTransportResponse {
        if Self.repeatable.contains(request.method),
            let connection = self.connections.take(to: endpoint)
        {
            let exchange = Exchange(connection, to: endpoint, of: request, among: self.connections)
            do {
                return try await exchange.answer(to: bytes)
            } catch let error as HTTPTransportError
                where error.code == .connectionLost && !exchange.hasBegun
                && !self.connections.isShutDown
            {}
        }
        let connection = try await self.connector.connect(to: endpoint)
        guard self.connections.opened(connection) else { throw HTTPTransportError.closed }
        let exchange = Exchange(connection, to: endpoint, of: request, among: self.connections)
        return try await exchange.answer(to: bytes)
    }
}

extension HTTPTransportError {
    static let closed = HTTPTransportError(.closed, "the client was shut down")

    /// The error for a proxy that requires a user and a password, or refuses those sent.
    static func refused(by proxy: ProxySettings.Proxy) -> HTTPTransportError {
        HTTPTransportError(
            .proxyRefused,
            "it wants a user and a password"
                + (proxy.userInfo == nil
                    ? ", and none were sent" : ", and those in its address were refused")
        )
    }
}
