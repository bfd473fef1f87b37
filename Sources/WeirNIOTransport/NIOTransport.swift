// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
public import WeirHTTP
public import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends requests over SwiftNIO: HTTP/1.1, kept connections, TLS, proxies.
///
/// The response to a request with the field `Icy-MetaData` may be a radio station's: `ICY 200 OK`,
/// and lines that end with a bare line feed.
///
/// If an HTTP proxy applies, the proxy gets the request for an `http` address, and opens a tunnel
/// (CONNECT) for an `https` address.
///
/// Each active request uses one connection; `MediaLibrary` limits the number of connections. Use
/// one transport for the whole program, so that connections are shared. Call ``shutdown()`` when it
/// is no longer needed.
public final class NIOTransport: HTTPTransport {
    private let transport: ConnectionTransport

    /// Creates a transport without connections.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` when the CA file or a proxy in
    ///   the environment cannot be used.
    public init(_ options: Options = Options()) throws(SourceError) {
        let certificates = try options.caFile.map(Self.certificates)
        let proxies: ProxySettings
        if let given = options.proxies {
            proxies = given
        } else {
            proxies = try ProxySettings(environment: ProcessInfo.processInfo.environment)
        }
        let connector = NIOConnector(
            trusting: certificates ?? [],
            timeLimit: options.connectTimeout
        )
        self.transport = ConnectionTransport(connector, proxies: proxies)
    }

    /// Closes all connections, including those in use; repeated calls are allowed.
    public func shutdown() async {
        await self.transport.shutdown()
    }

    /// Sends a request.
    ///
    /// - Throws: as ``/WeirHTTP/HTTPTransport/send(_:)``.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try await self.transport.send(request)
    }

    private static func certificates(_ path: String) throws(SourceError) -> [NIOSSLCertificate] {
        var cause: (any Error)?
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(path)
            if !certificates.isEmpty { return certificates }
        } catch {
            cause = error
        }
        throw SourceError(
            .invalidRequest,
            "The CA file \(path) cannot be used, because it cannot be read or holds no certificate in PEM"
                + " form; give a file that starts with -----BEGIN CERTIFICATE-----.",
            cause: cause
        )
    }
}

extension NIOTransport {
    /// The settings for connections.
    public struct Options: Sendable {
        /// A PEM file of certificates to trust in addition to the system's.
        public var caFile: String?
        /// The proxies; `nil` to read them from the environment of this process.
        public var proxies: ProxySettings?
        /// The time limit for opening a connection, including the proxy and TLS.
        public var connectTimeout: Duration

        /// Creates options.
        public init(
            caFile: String? = nil,
            proxies: ProxySettings? = nil,
            connectTimeout: Duration = .seconds(10)
        ) {
            self.caFile = caFile
            self.proxies = proxies
            self.connectTimeout = connectTimeout
        }
    }
}
