// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import WeirHTTP

#if canImport(Darwin)
import WeirURLSession
#endif

extension MediaLibrary {
    /// How a library's own transport connects.
    ///
    /// On Apple platforms the transport is URLSession's, with what the system decides about networks there: App Transport
    /// Security, VPN on demand, cellular and Low Data Mode rules, proxies. Elsewhere it is AsyncHTTPClient's, which heeds
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. A ``certificateFile`` is for AsyncHTTPClient alone; where one
    /// is set, that is used on Apple platforms, too. Radio stations are always asked over AsyncHTTPClient, since URLSession
    /// does not read the answers of older ones.
    public struct TransportSettings: Sendable {
        /// How many connections to one host are open at the same time, at least 1; further requests wait.
        ///
        /// Any transport.
        public var connectionsPerHost = 16
        /// How many requests a second some hosts are sent, by their names; hosts below such a name count in it.
        ///
        /// Any transport. For servers with quotas; further requests wait, for 30 s at most.
        public var requestsPerSecond: [String: Int] = [:]
        /// A PEM file of certificates that are trusted beside the system's.
        ///
        /// AsyncHTTPClient.
        public var certificateFile: URL? {
            get { self.certificatePath.map { URL(filePath: $0) } }
            set { self.certificatePath = newValue?.path(percentEncoded: false) }
        }
        /// The path of ``certificateFile``.
        package var certificatePath: String?
        /// Which proxies are used; `nil` for what this process's environment says.
        ///
        /// AsyncHTTPClient.
        package var proxies: ProxySettings?
        /// How long a connection may take to stand, TLS included.
        ///
        /// AsyncHTTPClient; with URLSession that time counts towards the origin's limit for the first byte.
        package var connectTimeout = Duration.seconds(10)
        /// Whether cellular networks may be used.
        ///
        /// URLSession.
        public var allowsCellularAccess = true
        /// Whether networks may be used that cost the user, such as cellular ones and hotspots.
        ///
        /// URLSession.
        public var allowsExpensiveNetworkAccess = true
        /// Whether networks may be used in Low Data Mode.
        ///
        /// URLSession.
        public var allowsConstrainedNetworkAccess = true

        /// The defaults: 16 connections to a host, 10 seconds to connect, any network.
        public init() {}

        /// Whether a setting is made that only AsyncHTTPClient has.
        var needsAsyncHTTPClient: Bool { self.certificatePath != nil || self.proxies != nil }
    }
}

/// What a library sends its requests over.
struct LibraryTransports: Sendable {
    /// How many more connections a client may have than places are given out: one that is being closed still counts
    /// there, though its place is free.
    private static let closingConnections = 8

    /// Sends the requests to origins and services.
    let origins: any HTTPTransport
    /// Sends the requests to the store that a fleet shares: what origins may be asked is no concern of it.
    let store: any HTTPTransport
    /// Sends the requests to radio stations.
    let stations: any HTTPTransport
    /// Ends what is the library's own; another transport is its owner's to end.
    let end: @Sendable () async -> Void

    /// - Parameters:
    ///   - settings: how the library's own transports connect.
    ///   - given: the application's transport, which is used for everything; `nil` for the library's own.
    /// - Throws: `SourceError` if the certificate file cannot be read.
    init(_ settings: MediaLibrary.TransportSettings, given: (any HTTPTransport)?) throws {
        func queued(_ base: any HTTPTransport, isHeld: Bool = true) -> any HTTPTransport {
            QueuedTransport(
                base,
                connectionsPerHost: settings.connectionsPerHost,
                requestsPerSecond: isHeld ? settings.requestsPerSecond : [:]
            )
        }
        if let given {
            self.store = queued(given, isHeld: false)
            self.origins = queued(given)
            self.stations = self.origins
            self.end = {}
            return
        }
        let connections = max(1, settings.connectionsPerHost) + Self.closingConnections
        let client = try AsyncHTTPClientTransport(
            AsyncHTTPClientTransport.Options(
                caFile: settings.certificatePath,
                proxies: settings.proxies,
                connectTimeout: settings.connectTimeout,
                connectionsPerHost: connections
            )
        )
        self.stations = queued(client)
        self.store = queued(client, isHeld: false)
        #if canImport(Darwin)
        if !settings.needsAsyncHTTPClient {
            var options = URLSessionTransport.Options(
                allowsCellularAccess: settings.allowsCellularAccess,
                connectionsPerHost: connections
            )
            options.allowsExpensiveNetworkAccess = settings.allowsExpensiveNetworkAccess
            options.allowsConstrainedNetworkAccess = settings.allowsConstrainedNetworkAccess
            let session = URLSessionTransport(options)
            self.origins = queued(session)
            self.end = {
                await session.shutdown()
                await client.shutdown()
            }
            return
        }
        #endif
        self.origins = self.stations
        self.end = { await client.shutdown() }
    }
}
