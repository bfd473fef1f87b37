// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
public import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests over AsyncHTTPClient: HTTP/1.1, kept connections, TLS, proxies.
///
/// The answer to a request with the field `Icy-MetaData` may be a radio station's: `ICY 200 OK`, lines that end with a
/// bare line feed.
///
/// An `http` address behind an HTTP proxy is asked of the proxy itself, an `https` address through a tunnel (CONNECT).
///
/// One for a whole program is right: connections are shared. Call ``shutdown()`` when it is no longer
/// needed.
public final class AsyncHTTPClientTransport: HTTPTransport {
    /// How many bytes one read of a connection takes at most: more, where the line fills that.
    ///
    /// What a part of a body costs beside its bytes, four changes of thread among it, is then shared by more of them.
    private static let receivedAtOnce = 64 << 10...1 << 20

    /// How many connections to a proxy are open at the same time that it forwards requests on.
    private static let mostThroughOneProxy = 1024

    private let proxies: ProxySettings
    private let direct: HTTPClient
    /// Asks proxies for addresses, those of any host over one connection.
    private let forwarded: HTTPClient?
    /// Each asks its proxy for connections.
    private let tunnelled: [ProxySettings.Proxy: HTTPClient]
    private let isShutDown = Mutex(false)

    /// Makes a transport; nothing is connected yet.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` when the CA file or a proxy in the
    ///   environment cannot be used.
    public init(_ options: Options = Options()) throws(SourceError) {
        let configuration = try Self.configuration(options)
        let proxies: ProxySettings
        if let given = options.proxies {
            proxies = given
        } else {
            proxies = try ProxySettings(environment: ProcessInfo.processInfo.environment)
        }
        self.proxies = proxies
        self.direct = Self.client(configuration)
        let all = Set([proxies.http, proxies.https].compactMap(\.self))
        var shared = configuration
        // How many requests a host is asked at once is limited before this, for each host by itself.
        shared.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.mostThroughOneProxy
        self.forwarded = proxies.http?.kind == .http ? Self.client(shared) : nil
        self.tunnelled = Dictionary(
            uniqueKeysWithValues: all.map { proxy in
                var tunnelled = configuration
                tunnelled.proxy =
                    switch proxy.kind {
                    case .http:
                        .server(
                            host: proxy.host,
                            port: proxy.port,
                            authorization: Self.authorization(proxy)
                        )
                    case .socks5: .socksServer(host: proxy.host, port: proxy.port)
                    }
                return (proxy, Self.client(tunnelled))
            }
        )
    }

    deinit {
        // Without a shutdown, the clients end on their own.
        if !self.isShutDown.withLock({ $0 }) {
            for client in self.clients { client.shutdown { _ in } }
        }
    }

    /// Closes all connections, also those in use; it may be called any number of times.
    public func shutdown() async {
        let isFirst = self.isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        guard isFirst else { return }
        // A failure means that a connection was in use, and it is closed all the same.
        for client in self.clients { try? await client.shutdown() }
    }

    private var clients: [HTTPClient] {
        [self.direct] + [self.forwarded].compactMap(\.self) + self.tunnelled.values
    }

    /// Sends a request.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let handOff = ResponseHandOff(whenSent: request.whenSent)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            let head: HTTPResponseHead
            let proxy = self.proxies.proxy(for: request.url)
            do {
                handOff.started(
                    self.client(for: request.url, through: proxy).execute(
                        request: try Self.request(request, through: proxy),
                        delegate: handOff
                    )
                )
                head = try await handOff.head()
                // The proxy's own answer to what it was asked itself; of a tunnel the client says it.
                if proxy?.forwards(request.url) == true, head.status == .proxyAuthenticationRequired
                {
                    handOff.cancel()
                    throw HTTPClientError.proxyAuthenticationRequired
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                var failure = HTTPTransportError(client: error, hasHead: false)
                if error as? HTTPClientError == .proxyAuthenticationRequired {
                    failure.reason +=
                        proxy?.userInfo == nil
                        ? ", and none were sent" : ", and those in its address were refused"
                }
                throw failure
            }
            let headers = HTTPHeaderList(received: head.headers.map { ($0.name, $0.value) })
            return HTTPTransportResponse(
                status: Int(head.status.code),
                headers: headers,
                body: AsyncHTTPClientBody(handOff),
                isEndProven: headers.contains("Content-Length")
                    || headers.tokens(of: "Transfer-Encoding").last == "chunked"
            )
        } onCancel: {
            handOff.cancel()
        }
    }

    private func client(for url: OriginURL, through proxy: ProxySettings.Proxy?) -> HTTPClient {
        guard let proxy else { return self.direct }
        return (proxy.forwards(url) ? self.forwarded : self.tunnelled[proxy]) ?? self.direct
    }

    // Through a proxy that forwards the client asks the proxy, as if it were the host.
    private static func request(
        _ request: HTTPTransportRequest,
        through proxy: ProxySettings.Proxy?
    ) throws -> HTTPClient.Request {
        let url = request.url
        let forwarding = proxy.flatMap { $0.forwards(url) ? $0 : nil }
        let site = URLAuthority(
            host: forwarding?.host ?? url.host,
            port: forwarding?.port ?? url.port
        ).hostAndPort(unless: 0)
        var headers = HTTPHeaders()
        if !request.headers.contains("Host") { headers.add(name: "Host", value: url.authority) }
        for header in request.headers.headers {
            headers.add(name: header.name, value: header.value)
        }
        if let forwarding, let authorization = Self.authorization(forwarding) {
            headers.add(name: "Proxy-Authorization", value: authorization.headerValue)
        }
        // A proxy is asked for the whole address (RFC 9112 §3.2.2).
        let base = forwarding == nil ? "" : "\(url.scheme.rawValue)://\(url.authority)"
        headers.add(name: RequestHeadHandler.targetHeader, value: base + url.requestTarget)
        return try HTTPClient.Request(
            url: "\(url.scheme.rawValue)://\(site)/",
            method: HTTPMethod(rawValue: request.method),
            headers: headers,
            body: request.body.isEmpty ? nil : .bytes(request.body)
        )
    }

    private static func authorization(
        _ proxy: ProxySettings.Proxy
    ) -> HTTPClient.Authorization? {
        proxy.userInfo.map { .basic(username: $0.user, password: $0.password) }
    }

    private static func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        // The same event loops on every platform, so that certificates and buffers behave the same.
        HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: configuration
        )
    }

    private static func configuration(_ options: Options) throws(SourceError)
        -> HTTPClient.Configuration
    {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let path = options.caFile {
            tls.additionalTrustRoots = [.certificates(try Self.certificates(path))]
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        let (seconds, attoseconds) = options.connectTimeout.components
        configuration.timeout.connect = .nanoseconds(
            min(seconds, 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
        )
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
            1,
            options.connectionsPerHost
        )
        // Whether and when to try again is decided above, where it is also told.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(
                    type: ByteToMessageHandler<HTTPResponseDecoder>.self
                )
                let heads = StationHeadHandler()
                try pipeline.addHandler(heads, position: .before(decoder))
                let framing = FramingHandler()
                try pipeline.addHandler(framing, position: .before(decoder))
                try pipeline.addHandler(
                    RequestHeadHandler(heads, framing),
                    position: .after(decoder)
                )
                try pipeline.addHandler(ReadGate(), position: .after(decoder))
                let socketEnd = AbandonedAnswer.SocketEnd()
                try pipeline.addHandler(socketEnd, position: .first)
                try pipeline.addHandler(AbandonedAnswer(socketEnd), position: .after(decoder))
                let options = channel.syncOptions
                try options?.setOption(.allowRemoteHalfClosure, value: true)
                try options?.setOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(
                        minimum: Self.receivedAtOnce.lowerBound,
                        initial: Self.receivedAtOnce.lowerBound,
                        maximum: Self.receivedAtOnce.upperBound
                    )
                )
            }
        }
        return configuration
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

extension AsyncHTTPClientTransport {
    /// How connections are made.
    public struct Options: Sendable {
        /// A PEM file of certificates that are trusted beside the system's.
        public var caFile: String?
        /// Which proxies are used; `nil` for what this process's environment says.
        public var proxies: ProxySettings?
        /// How long a connection may take to stand, TLS included; where no `QueuedTransport` stands before this one,
        /// the wait for a free one, too.
        public var connectTimeout: Duration
        /// How many connections to one host are open at the same time, at least 1; further requests wait.
        public var connectionsPerHost: Int

        /// Makes options.
        public init(
            caFile: String? = nil,
            proxies: ProxySettings? = nil,
            connectTimeout: Duration = .seconds(10),
            connectionsPerHost: Int = 16
        ) {
            self.caFile = caFile
            self.proxies = proxies
            self.connectTimeout = connectTimeout
            self.connectionsPerHost = connectionsPerHost
        }
    }
}

/// The consumer's end of a body; when it goes, the request goes.
final class AsyncHTTPClientBody: HTTPBody {
    private let handOff: ResponseHandOff

    init(_ handOff: ResponseHandOff) {
        self.handOff = handOff
    }

    deinit {
        self.handOff.cancel()
    }

    func next() async throws -> ByteMemory? {
        try await withTaskCancellationHandler {
            do {
                return try await self.handOff.next().map(Self.memory)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw HTTPTransportError(client: error, hasHead: true)
            }
        } onCancel: {
            self.handOff.cancel()
        }
    }

    func cancel() {
        self.handOff.cancel()
    }

    /// The readable bytes of a buffer, where they are.
    private static func memory(_ buffer: ByteBuffer) -> ByteMemory {
        ByteMemory(owner: buffer, count: buffer.readableBytes) { buffer, body in
            buffer.withUnsafeReadableBytes(body)
        }
    }
}
