// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import WeirHTTP

/// Opens connections with SwiftNIO: to each address of a host in turn (RFC 8305), through a proxy,
/// with TLS.
final class NIOConnector: Connector {
    /// The smallest and the largest size of the buffer for one read; the size grows while reads
    /// fill the buffer.
    ///
    /// Larger reads share the cost of each piece, such as its two thread changes, among more bytes.
    private static let receivedAtOnce = 64 << 10...1 << 20

    private let certificates: [NIOSSLCertificate]
    private let timeLimit: TimeAmount
    /// Created for the first connection over TLS, since its creation reads the system's
    /// certificates.
    private let context = Mutex<NIOSSLContext?>(nil)

    /// - Parameters:
    ///   - certificates: trusted in addition to the system's.
    ///   - timeLimit: the time limit for opening a connection.
    init(trusting certificates: [NIOSSLCertificate], timeLimit: Duration) {
        self.certificates = certificates
        self.timeLimit = TimeAmount(timeLimit.clamped)
    }

    func connect(to endpoint: Endpoint) async throws -> any ByteConnection {
        let context = endpoint.isSecure ? try self.tlsContext() : nil
        // One limit covers the connection, the proxy and TLS.
        let end = NIODeadline.now() + self.timeLimit
        let connection = try await self.connection(
            to: endpoint.proxy?.host ?? endpoint.host,
            port: endpoint.proxy?.port ?? endpoint.port,
            // A proxy looks up the name of the host itself.
            gate: endpoint.proxy == nil && endpoint.rule != .any ? AddressGate(endpoint) : nil
        )
        let deadline = connection.fails(
            at: end,
            HTTPTransportError(
                .connectTimedOut,
                endpoint.isSecure
                    ? "no TLS handshake in time; the port may speak http"
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

    /// Opens a connection over TCP; the gate checks each address of the host before a packet is sent to it.
    private func connection(
        to host: String,
        port: Int,
        gate: AddressGate?
    ) async throws -> NIOConnection {
        let attempt = ConnectionAttempt()
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
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
        if let gate {
            bootstrap = bootstrap.channelInitializer { $0.pipeline.addHandler(gate) }
        }
        let connecting = bootstrap
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard attempt.started(continuation) else { return }
                connecting.connect(host: host, port: port)
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

/// A connection that is being opened, which its consumer may abandon.
private final class ConnectionAttempt: Sendable {
    private struct State {
        var waiter: CheckedContinuation<NIOConnection, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Takes the waiter, and returns whether to begin.
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
    /// The duration, limited to a day: a longer one exceeds the range of a timer.
    fileprivate var clamped: Duration { min(max(self, .zero), .seconds(86_400)) }
}
