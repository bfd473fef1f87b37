// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
public import Foundation
package import WeirHTTP
import WeirNIOTransport
#else
import WeirHTTP
#endif
#if canImport(Darwin)
import WeirURLSession
#endif

extension MediaLibrary {
    /// The settings of a library's own transport.
    ///
    /// On Apple platforms the transport uses URLSession. There the system's rules for networks
    /// apply: App Transport Security, VPN on demand, cellular and Low Data Mode rules, proxies. On
    /// Linux the transport uses SwiftNIO, which respects `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`
    /// and `NO_PROXY`. Radio stations use SwiftNIO on Linux and macOS, and Network.framework on the
    /// other Apple platforms, because URLSession cannot read the responses of older stations. Each
    /// setting names the transports that it applies to.
    public struct TransportSettings: Sendable {
        /// How many connections to one host are open at the same time, at least 1; further requests
        /// wait.
        ///
        /// Applies to any transport.
        public var connectionsPerHost = 16
        /// How many requests a second Weir sends to a host, by host name; subdomains of the host
        /// count as well.
        ///
        /// For servers with quotas; further requests wait, for 30 s at most. Applies to any
        /// transport.
        public var requestsPerSecond: [String: Int] = [:]
        #if os(Linux) || os(macOS)
        /// A PEM file of certificates that are trusted in addition to the system's.
        ///
        /// Applies to SwiftNIO. If it is set, SwiftNIO also connects to origins on macOS. Other
        /// Apple platforms use the system's trust: install a profile there.
        public var certificateFile: URL? {
            get { self.certificatePath.map { URL(filePath: $0) } }
            set { self.certificatePath = newValue?.path(percentEncoded: false) }
        }
        /// The path of ``certificateFile``.
        package var certificatePath: String?
        /// The proxies to use; `nil`: the proxies in this process's environment variables.
        ///
        /// Applies to SwiftNIO. If it is set, SwiftNIO also connects to origins on macOS, as with
        /// ``certificateFile``.
        package var proxies: ProxySettings?
        #endif
        /// The time limit for establishing a connection, including TLS.
        ///
        /// Applies to SwiftNIO and Network.framework. With URLSession that time counts towards the
        /// origin's limit for the first byte.
        package var connectTimeout = Duration.seconds(10)
        /// Whether to use cellular networks.
        ///
        /// Applies to URLSession and Network.framework.
        public var allowsCellularAccess = true
        /// Whether to use networks that cost the user money, such as cellular networks and
        /// hotspots.
        ///
        /// Applies to URLSession and Network.framework.
        public var allowsExpensiveNetworkAccess = true
        /// Whether to use networks in Low Data Mode.
        ///
        /// Applies to URLSession and Network.framework.
        public var allowsConstrainedNetworkAccess = true

        /// The defaults: 16 connections to a host, 10 seconds to connect, any network.
        public init() {}

        /// Whether a setting is used that only SwiftNIO's transport supports.
        var needsNIO: Bool {
            #if os(Linux) || os(macOS)
            self.certificatePath != nil || self.proxies != nil
            #else
            false
            #endif
        }
    }
}

/// The transports of a library.
struct LibraryTransports: Sendable {
    #if canImport(Darwin)
    /// How many connections a session may have beyond those in use: it still counts closing
    /// connections.
    private static let closingConnections = 8
    #endif

    /// Sends the requests to origins and services.
    let origins: any HTTPTransport
    /// Sends the requests to the store that a fleet shares; the limits for origins do not apply to
    /// it.
    let store: any HTTPTransport
    /// Sends the requests to radio stations.
    let stations: any HTTPTransport
    /// Closes the library's own transports; the application closes its own transport.
    let end: @Sendable () async -> Void

    /// - Parameters:
    ///   - settings: how the library's own transports connect.
    ///   - given: the application's transport, used for all requests; `nil` for the library's own.
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
        #if os(Linux) || os(macOS)
        let stations = try NIOTransport(
            NIOTransport.Options(
                caFile: settings.certificatePath,
                proxies: settings.proxies,
                connectTimeout: settings.connectTimeout
            )
        )
        #else
        var networks = NetworkSettings()
        networks.allowsCellularAccess = settings.allowsCellularAccess
        networks.allowsExpensiveAccess = settings.allowsExpensiveNetworkAccess
        networks.allowsConstrainedAccess = settings.allowsConstrainedNetworkAccess
        networks.timeLimit = settings.connectTimeout
        let stations = ConnectionTransport(NetworkConnector(networks))
        #endif
        self.stations = queued(stations)
        #if canImport(Darwin)
        if !settings.needsNIO {
            var options = URLSessionTransport.Options(
                allowsCellularAccess: settings.allowsCellularAccess,
                connectionsPerHost: max(1, settings.connectionsPerHost) + Self.closingConnections
            )
            options.allowsExpensiveNetworkAccess = settings.allowsExpensiveNetworkAccess
            options.allowsConstrainedNetworkAccess = settings.allowsConstrainedNetworkAccess
            let session = URLSessionTransport(options)
            self.origins = queued(session)
            self.store = queued(session, isHeld: false)
            self.end = {
                await session.shutdown()
                await stations.shutdown()
            }
            return
        }
        #endif
        self.origins = self.stations
        self.store = queued(stations, isHeld: false)
        self.end = { await stations.shutdown() }
    }
}
