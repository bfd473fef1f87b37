// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Requests over URLSession: on Apple platforms with what the system decides about networks there, such
/// as App Transport Security, VPN on demand, cellular and low data policies, and its proxies.
///
/// One for a whole program is right: connections are shared. Call ``shutdown()`` when it is no longer
/// needed.
///
/// **Targets** go out byte for byte. One that Foundation's `URL` or libcurl would change is refused with
/// `invalidRequest`: it holds `[`, `]` or a `%` without two digits after it, or a `.` or `..` segment in
/// its path. Fields of one name are joined by commas, and the platform adds `Accept`, `Accept-Language`,
/// `Connection` and `User-Agent` where the request has none.
///
/// **Answers** are as they were sent: no redirect is followed, nothing is cached, no cookie is kept, no
/// credential is offered. The session decompresses what was not asked for; such an answer keeps its
/// head, and its body fails as `malformed`. A body with a length is counted here, and one that ends
/// early fails as `connectionLost`.
///
/// **Back-pressure** is the platform's, and bounded here. What has come and was not pulled is kept up to
/// ``Options/backlog``. Beyond it the connection is given up: what is kept is still handed on, then the
/// body fails as `connectionLost`, and a library asks again from that byte. On Apple
/// platforms a task is suspended over 256 KiB. On Linux no session can be made to stop reading, so
/// a consumer that pauses there loses the connection; <doc:WeirURLSession> has the measurements. The
/// promise of ``/WeirHTTP/HTTPBody`` to be no more than one piece ahead is not kept.
///
/// **What else is not kept.** `whenSent` is called when the task starts: the platform does not tell when the
/// connection stands, so its time counts towards the first byte's. On Linux an answer 301 to 308 comes
/// with all of its body at once, unbounded but for the caller's time limit. FoundationNetworking traps
/// when the head of an answer is cut off after its first line, and when a body in chunks ends with
/// trailer fields; on Linux, where it is here for tests, ``/WeirNIOTransport/NIOTransport`` is the
/// one for origins that are not trusted.
public final class URLSessionTransport: HTTPTransport {
    private let session: SharedSession
    private let backlog: Int

    /// Makes a transport; nothing is connected yet.
    public convenience init(_ options: Options = Options()) {
        self.init(template: nil, options, flow: .native)
    }

    /// Makes a transport with a copy of a configuration of the caller's own.
    ///
    /// Cache, cookies, credentials and both time limits of the copy are set to what the
    /// transport depends on; of `options` only ``Options/connectionsPerHost`` and ``Options/backlog``
    /// count, since the others stand in the configuration.
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
        // Without a shutdown, bodies that are open may end.
        self.session.finish()
    }

    /// Closes all connections, also those in use; it may be called any number of times.
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
    /// How connections are made.
    ///
    /// How long is waited is said by the library's configuration; a session's own limits are set out of the way.
    public struct Options: Hashable, Sendable {
        /// Whether cellular networks may be used; without effect on Linux.
        public var allowsCellularAccess: Bool
        #if !canImport(FoundationNetworking)
        /// Whether networks may be used that cost the user, such as cellular ones and hotspots.
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

        /// How many bytes of a body are kept for a consumer that does not pull, before its connection is
        /// given up.
        ///
        /// See <doc:WeirURLSession> for what that means on which platform.
        public var backlog: Int

        /// Makes options.
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
    /// Longer than any wait; in seconds.
    ///
    /// A week: FoundationNetworking counts it in milliseconds of a timer.
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
