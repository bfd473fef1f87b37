// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import WeirHTTP

/// Makes connections of SwiftNIO: to every address of a host in turn (RFC 8305), through a proxy, with TLS.
final class NIOConnector: Connector {
    /// How many bytes one read of a connection takes at most: more, where the line fills that.
    ///
    /// What a part of a body costs beside its bytes, two changes of thread among it, is then shared by more of them.
    private static let receivedAtOnce = 64 << 10...1 << 20

    private let certificates: [NIOSSLCertificate]
    private let timeLimit: TimeAmount
    /// Made for the first connection that needs it: it reads the system's certificates.
    private let context = Mutex<NIOSSLContext?>(nil)

    /// - Parameters:
    ///   - certificates: trusted beside the system's.
    ///   - timeLimit: how long a connection may take to stand.
    init(trusting certificates: [NIOSSLCertificate], timeLimit: Duration) {
        self.certificates = certificates
        self.timeLimit = TimeAmount(timeLimit.clamped)
    }

    func connect(to endpoint: Endpoint) async throws -> any ByteConnection {
        let context = endpoint.isSecure ? try self.tlsContext() : nil
        // One limit for the connection and what is agreed over it.
        let end = NIODeadline.now() + self.timeLimit
        let connection = try await self.connection(
            to: endpoint.proxy?.host ?? endpoint.host,
            port: endpoint.proxy?.port ?? endpoint.port
        )
        let deadline = connection.fails(
            at: end,
            HTTPTransportError(
                .connectTimedOut,
                endpoint.isSecure
                    ? "no TLS handshake in time, as where a port speaks http"
                    : "no connection in time"
            )
        )
        defer { deadline.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await Tunnel(to: endpoint)?.open(over: connection)
                if let context {
                    try await connection.secure(with: context, host: endpoint.host)
                }
            } onCancel: {
                connection.close(resetting: true)
            }
            return connection
        } catch {
            connection.close(resetting: true)
            try Task.checkCancellation()
            throw error
        }
    }

    /// A connection over TCP.
    private func connection(to host: String, port: Int) async throws -> NIOConnection {
        let attempt = ConnectionAttempt()
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(self.timeLimit)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: Self.receivedAtOnce.lowerBound,
                    initial: Self.receivedAtOnce.lowerBound,
                    maximum: Self.receivedAtOnce.upperBound
                )
            )
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard attempt.started(continuation) else { return }
                bootstrap.connect(host: host, port: port)
                    .flatMapThrowing { try NIOConnection($0) }
                    .whenComplete { attempt.ended($0) }
            }
        } onCancel: {
            attempt.cancel()
        }
    }

    private func tlsContext() throws(HTTPTransportError) -> NIOSSLContext {
        do {
            return try self.context.withLock { context in
                if let context { return context }
                var configuration = TLSConfiguration.makeClientConfiguration()
                if !self.certificates.isEmpty {
                    configuration.additionalTrustRoots = [.certificates(self.certificates)]
                }
                configuration.applicationProtocols = ["http/1.1"]
                let made = try NIOSSLContext(configuration: configuration)
                context = made
                return made
            }
        } catch {
            throw HTTPTransportError(
                .insecure,
                "the certificates of this system cannot be read",
                cause: error
            )
        }
    }
}

/// A connection on its way, which its consumer may leave.
private final class ConnectionAttempt: Sendable {
    private struct State {
        var waiter: CheckedContinuation<NIOConnection, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Whether to begin.
    func started(_ waiter: CheckedContinuation<NIOConnection, any Error>) -> Bool {
        let isCancelled = self.state.withLock { state in
            if !state.isCancelled { state.waiter = waiter }
            return state.isCancelled
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    func ended(_ result: Result<NIOConnection, any Error>) {
        let waiter = self.state.withLock { $0.waiter.take() }
        switch result {
        case .success(let connection):
            if let waiter {
                waiter.resume(returning: connection)
            } else {
                connection.close(resetting: true)
            }
        case .failure(let error):
            waiter?.resume(throwing: HTTPTransportError(nio: error, isConnected: false))
        }
    }

    func cancel() {
        let waiter = self.state.withLock { state in
            state.isCancelled = true
            return state.waiter.take()
        }
        waiter?.resume(throwing: CancellationError())
    }
}

extension Duration {
    /// At most a day: more is more than a timer counts.
    fileprivate var clamped: Duration { min(max(self, .zero), .seconds(86_400)) }
}
