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

/// Requests over connections of SwiftNIO: HTTP/1.1, kept connections, TLS, proxies.
///
/// The answer to a request with the field `Icy-MetaData` may be a radio station's: `ICY 200 OK`, lines that end with a
/// bare line feed.
///
/// An `http` address behind an HTTP proxy is asked of the proxy itself, an `https` address through a tunnel (CONNECT).
///
/// Every request under way has a connection; `MediaLibrary` limits how many there are. One transport for a whole program
/// is right: connections are shared. Call ``shutdown()`` when it is no longer needed.
public final class NIOTransport: HTTPTransport {
    private let transport: ConnectionTransport

    /// Makes a transport; nothing is connected yet.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` when the CA file or a proxy in the
    ///   environment cannot be used.
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

    /// Closes all connections, also those in use; it may be called any number of times.
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
    /// How connections are made.
    public struct Options: Sendable {
        /// A PEM file of certificates that are trusted beside the system's.
        public var caFile: String?
        /// Which proxies are used; `nil` for what this process's environment says.
        public var proxies: ProxySettings?
        /// How long a connection may take to stand, the proxy's part and TLS included.
        public var connectTimeout: Duration

        /// Makes options.
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
