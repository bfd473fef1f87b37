// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Sends requests over URLSession.
///
/// On Apple platforms the system's network policies apply, such as App Transport Security, VPN on
/// demand, cellular and low data settings, and its proxies.
///
/// Use one transport for the whole program, so that connections are shared. Call ``shutdown()``
/// when it is no longer needed.
///
/// **Targets** are sent byte for byte. A target that Foundation's `URL` or libcurl would change is
/// refused with `invalidRequest`. These are targets with `[`, `]` or a `%` without two digits after
/// it, or with a `.` or `..` segment in the path. The platform joins fields of one name with
/// commas. It adds `Accept`, `Accept-Language`, `Connection` and `User-Agent` if the request has
/// none.
///
/// **Responses** are unchanged: the transport follows no redirect, caches nothing, keeps no cookie
/// and offers no credential. The session decodes a coded body even if the request did not ask for a
/// coding. The consumer then gets the head, and the body fails as `malformed`. The transport counts
/// the bytes of a body with a length; a body that ends early fails as `connectionLost`.
///
/// **Back-pressure** depends on the platform, within a bound. The transport keeps up to
/// ``Options/backlog`` bytes that were not pulled. Beyond this limit it closes the connection: the
/// consumer still gets the kept bytes, then the body fails as `connectionLost`. `MediaLibrary` then
/// requests the rest. On Apple platforms the transport suspends a task when it keeps more than 256
/// KiB. On Linux a session cannot be stopped from reading, so a consumer that pauses there loses
/// the connection; <doc:WeirURLSession> has the measurements. The transport does not keep the
/// promise of ``/WeirHTTP/HTTPBody`` to be no more than one piece ahead.
///
/// **Other limitations.** `whenSent` is called when the task starts, since the platform does not
/// report when the connection is open. So the time of connecting counts towards the limit for the
/// first byte. On Linux a response with 301 to 308 arrives with its whole body at once, limited
/// only by the caller's time limit. FoundationNetworking traps when the head of a response is cut
/// off after its first line, and when a chunked body ends with trailer fields. On Linux this
/// transport is for tests; use `NIOTransport` of WeirNIOTransport for origins that are not trusted.
public final class URLSessionTransport: HTTPTransport {
    private let session: SharedSession
    private let backlog: Int

    /// Creates a transport without connections.
    public convenience init(_ options: Options = Options()) {
        self.init(template: nil, options, flow: .native)
    }

    /// Creates a transport with a copy of the caller's own configuration.
    ///
    /// The transport sets cache, cookies, credentials and both time limits of the copy to the
    /// values that it depends on. Of `options` only ``Options/connectionsPerHost`` and
    /// ``Options/backlog`` count; the configuration has the other settings.
    public convenience init(
        copying configuration: URLSessionConfiguration,
        _ options: Options = Options()
    ) {
        self.init(template: configuration, options, flow: .native)
    }

    init(template: URLSessionConfiguration?, _ options: Options, flow: FlowControl) {
        self.backlog = max(0, options.backlog)
        self.session = SharedSession(
            configuration: .exact(copying: template, options),
            flow: flow
        )
    }

    deinit {
        // Without a shutdown, open bodies may run to their end.
        self.session.finish()
    }

    /// Closes all connections, including those in use; repeated calls are allowed.
    public func shutdown() async {
        await self.session.close()
    }

    /// Sends a request.
    ///
    /// - Throws: as ``/WeirHTTP/HTTPTransport/send(_:)``; ``/WeirSource/SourceError`` with
    ///   `invalidRequest` for a request that URLSession would change.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        let sent = try URLRequest(exactly: request)
        let delivery = Delivery(
            method: request.method,
            session: self.session,
            backlog: self.backlog
        )
        return try await withTaskCancellationHandler {
            if delivery.start(sent) { request.whenSent?() }
            let head = try await delivery.head()
            return HTTPTransportResponse(
                status: head.status,
                headers: head.headers,
                body: AnswerBody(delivery),
                isEndProven: head.framing.isEndProven(self.session.flow)
            )
        } onCancel: {
            delivery.cancel()
        }
    }
}

extension URLSessionTransport {
    /// The settings for connections.
    ///
    /// The library's configuration sets the time limits; the session's own limits are longer than
    /// any wait.
    public struct Options: Hashable, Sendable {
        /// Whether cellular networks may be used; without effect on Linux.
        public var allowsCellularAccess: Bool
        #if !canImport(FoundationNetworking)
        /// Whether expensive networks may be used, such as cellular ones and hotspots.
        public var allowsExpensiveNetworkAccess: Bool = true
        /// Whether networks may be used in Low Data Mode.
        public var allowsConstrainedNetworkAccess: Bool = true
        /// Whether a request waits for a network instead of failing at once.
        ///
        /// It waits within the origin's limit for the first byte.
        public var waitsForConnectivity: Bool = false
        #endif
        /// How many connections to one host are open at the same time; further requests wait.
        public var connectionsPerHost: Int

        /// How many bytes of a body are kept for a consumer that does not pull.
        ///
        /// With more bytes the connection is closed; <doc:WeirURLSession> describes the effect on
        /// each platform.
        public var backlog: Int

        /// Creates options.
        public init(
            allowsCellularAccess: Bool = true,
            connectionsPerHost: Int = 16,
            backlog: Int = 2 << 20
        ) {
            self.allowsCellularAccess = allowsCellularAccess
            self.connectionsPerHost = connectionsPerHost
            self.backlog = backlog
        }
    }
}

extension URLSessionConfiguration {
    /// A time limit longer than any wait, in seconds.
    ///
    /// A week: FoundationNetworking converts it to milliseconds for a timer.
    static let patience: TimeInterval = 604_800

    /// A copy of a configuration with the settings that every session of a transport depends on.
    static func exact(
        copying template: URLSessionConfiguration?,
        _ options: URLSessionTransport.Options
    ) -> URLSessionConfiguration {
        let configuration =
            template?.copy() as? URLSessionConfiguration ?? URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = self.patience
        configuration.timeoutIntervalForResource = self.patience * 52
        configuration.httpMaximumConnectionsPerHost = max(1, options.connectionsPerHost)
        guard template == nil else { return configuration }
        configuration.allowsCellularAccess = options.allowsCellularAccess
        #if !canImport(FoundationNetworking)
        configuration.allowsExpensiveNetworkAccess = options.allowsExpensiveNetworkAccess
        configuration.allowsConstrainedNetworkAccess = options.allowsConstrainedNetworkAccess
        configuration.waitsForConnectivity = options.waitsForConnectivity
        #endif
        return configuration
    }
}
