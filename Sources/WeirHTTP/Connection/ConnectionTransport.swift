// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Requests in HTTP/1.1 over connections that another type makes; connections are kept from one request to the next.
///
/// The answer to a request with the field `Icy-MetaData` may be a radio station's: `ICY 200 OK`.
///
/// An `http` address behind an HTTP proxy is asked of the proxy itself, an `https` address through a tunnel (CONNECT).
/// Every request under way has a connection; how many there may be is decided before it is sent.
package final class ConnectionTransport: HTTPTransport {
    /// How long a connection rests at most: longer than a player waits between two ranges, shorter than a router forgets.
    private static let restingTime = Duration.seconds(60)
    /// Methods whose request may be sent a second time if a connection that has rested ends before the answer begins
    /// (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    private static let repeatable: Set = ["GET", "HEAD", "OPTIONS", "PROPFIND", "PUT", "DELETE"]

    private let connector: any Connector
    private let proxies: ProxySettings
    private let connections = IdleConnections(restingFor: ConnectionTransport.restingTime)

    /// Nothing is connected yet.
    package init(_ connector: any Connector, proxies: ProxySettings = .none) {
        self.connector = connector
        self.proxies = proxies
    }

    deinit {
        _ = self.connections.shutDown()
    }

    /// Closes all connections, also those in use; it may be called any number of times.
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
                proxy: proxy
            )
        // A proxy is asked for the whole address (RFC 9112 §3.2.2).
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

    /// Sends over a connection that has rested, if there is one; where that had ended already, once more over a new one.
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

    /// A proxy wants a user and a password, or other ones.
    static func refused(by proxy: ProxySettings.Proxy) -> HTTPTransportError {
        HTTPTransportError(
            .proxyRefused,
            "it wants a user and a password"
                + (proxy.userInfo == nil
                    ? ", and none were sent" : ", and those in its address were refused")
        )
    }
}
