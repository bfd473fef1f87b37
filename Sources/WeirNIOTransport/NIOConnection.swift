// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS
import Synchronization
import WeirHTTP
import WeirSource

/// A connection of SwiftNIO.
final class NIOConnection: ByteConnection {
    private let channel: any Channel
    private let received: ReceivedBytes
    private let socketEnd: NIOLoopBound<SocketEnd>
    /// Ends a rest that takes too long.
    private let timer = Mutex<Scheduled<Void>?>(nil)

    /// Wraps an open channel; must be called on the channel's event loop.
    init(_ channel: any Channel) throws {
        let socketEnd = SocketEnd()
        self.channel = channel
        self.received = ReceivedBytes()
        self.socketEnd = NIOLoopBound(socketEnd, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([socketEnd, ReceivingHandler(self.received)])
    }

    func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?) {
        let future = self.channel.writeAndFlush(self.channel.allocator.buffer(bytes: bytes))
        if let sent { future.whenSuccess(sent) }
    }

    func receive(readsAhead: Bool) async throws -> ByteMemory? {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.pulled(continuation, readsAhead: readsAhead) }
        }
    }

    func rest(for time: Duration, expired: @escaping @Sendable () -> Void) {
        let timer = self.channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [received] in
            _ = received.perform { $0.ended(.success(())) }
        }
        self.timer.withLock { $0 = timer }
        if self.received.rest(expired) { self.channel.read() }
    }

    func wake() -> Bool {
        self.timer.withLock { $0.take() }?.cancel()
        return self.received.wake()
    }

    func close(resetting: Bool) {
        self.timer.withLock { $0.take() }?.cancel()
        self.perform { $0.closed() }
        self.channel.eventLoop.execute { [channel, socketEnd] in
            if resetting { socketEnd.value.reset() } else { channel.close(promise: nil) }
        }
    }

    func closed() async {
        try? await self.channel.closeFuture.get()
    }

    /// Begins TLS, and returns when the server's certificate is verified.
    ///
    /// - Parameters:
    ///   - context: certificates and rules.
    ///   - host: the name that is sent to the server, without a dot at its end (RFC 6066 §3), and
    ///     verified. An IP address is verified but not sent.
    /// - Throws: ``/WeirHTTP/HTTPTransportError`` with `insecure`, `notTLS`, `handshakeBrokenOff`
    ///   or `connectTimedOut`.
    func secure(with context: NIOSSLContext, host: String) async throws {
        let name = try Self.name(of: host, over: self.channel.remoteAddress)
        let handshake = self.channel.eventLoop.makePromise(of: Void.self)
        self.received.begins(handshake)
        self.channel.eventLoop.execute { [channel, received, socketEnd] in
            do {
                let client = try NIOSSLClientHandler(context: context, serverHostname: name)
                // The handshake reads as it needs to.
                try channel.syncOptions?.setOption(.autoRead, value: true)
                try channel.pipeline.syncOperations.addHandler(
                    client,
                    position: .after(socketEnd.value)
                )
            } catch {
                received.handshakeEnded(.failure(HTTPTransportError(nio: error, isConnected: true)))
            }
        }
        try await handshake.futureResult.get()
    }

    /// The name to send and to verify: `nil` for an address; without a dot at its end.
    ///
    /// - Parameters:
    ///   - host: the name or address of the server.
    ///   - peer: the address that the connection leads to. If `host` is an IP address, the library
    ///     verifies this address instead. Behind a proxy it is the proxy's address.
    /// - Returns: the name; `nil` for an address.
    /// - Throws: `insecure` if the address to verify is not the server's.
    static func name(
        of host: String,
        over peer: SocketAddress?
    ) throws(HTTPTransportError) -> String? {
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else {
            return host.hasSuffix(".") ? String(host.dropLast()) : host
        }
        guard address.ipAddress == peer?.ipAddress else {
            throw HTTPTransportError(
                .insecure,
                "the certificate of an IP address cannot be verified through a proxy; use a host name"
            )
        }
        return nil
    }

    /// Schedules a time at which waiting calls fail and the connection closes.
    func fails(at end: NIODeadline, _ error: HTTPTransportError) -> Scheduled<Void> {
        self.channel.eventLoop.scheduleTask(deadline: end) { [received, socketEnd] in
            received.failed(error)
            socketEnd.value.reset()
        }
    }

    private func perform(_ event: (inout ReceivedBytes.Machine) -> ReceivedBytes.Machine.Effects) {
        if self.received.perform(event) { self.channel.read() }
    }
}

/// The bytes received over a connection, between its event loop and the consumer.
final class ReceivedBytes: Sendable {
    typealias Machine = ReceivingMachine<CheckedContinuation<ByteMemory?, any Error>>

    private struct State {
        var machine = Machine()
        var expired: (@Sendable () -> Void)?
        var handshake: EventLoopPromise<Void>?
    }

    private let state = Mutex(State())

    /// Runs the machine under the lock, performs its effects outside, and returns whether to read
    /// the socket.
    @discardableResult
    func perform(_ event: (inout Machine) -> Machine.Effects) -> Bool {
        let (effects, expired) = self.state.withLock { state in
            let effects = event(&state.machine)
            return (effects, effects.expires ? state.expired.take() : nil)
        }
        if let (continuation, result) = effects.waiter {
            continuation.resume(with: result.mapError { $0 })
        }
        expired?()
        return effects.reads
    }

    /// Begins a rest, and returns whether to read the socket.
    func rest(_ expired: @escaping @Sendable () -> Void) -> Bool {
        self.state.withLock { $0.expired = expired }
        return self.perform { $0.rested() }
    }

    func wake() -> Bool {
        self.state.withLock { state in
            state.expired = nil
            return state.machine.woken()
        }
    }

    /// Whether a read is pending.
    var isReading: Bool { self.state.withLock { $0.machine.isReading } }

    func begins(_ handshake: EventLoopPromise<Void>) {
        self.state.withLock { $0.handshake = handshake }
    }

    func handshakeEnded(_ result: Result<Void, HTTPTransportError>) {
        self.state.withLock { $0.handshake.take() }?.completeWith(result.mapError { $0 })
    }

    /// Ends the bytes because of an error.
    func failed(_ error: HTTPTransportError) {
        self.perform { $0.ended(.failure(error)) }
        self.handshakeEnded(.failure(error))
    }

    /// Ends the bytes because the server has ended its side.
    func ended() {
        self.perform { $0.ended(.success(())) }
        self.handshakeEnded(
            .failure(
                HTTPTransportError(
                    .handshakeBrokenOff,
                    "the connection closed during the TLS handshake"
                )
            )
        )
    }
}

/// Hands on the bytes that a channel receives.
///
/// When the server closes, NIO delivers all bytes of the socket at once, even without a read, and
/// then the end. So the channel stays half open at the end, and the bytes are held until the
/// consumer pulls them.
final class ReceivingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: ReceivedBytes
    /// Whether the current read has brought bytes; a read without bytes continues.
    private var hasRead = false

    init(_ received: ReceivedBytes) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = self.unwrapInboundIn(data)
        guard buffer.readableBytes > 0 else { return }
        self.hasRead = true
        let memory = ByteMemory(owner: buffer, count: buffer.readableBytes) { buffer, body in
            buffer.withUnsafeReadableBytes(body)
        }
        if self.received.perform({ $0.received(memory) }) { context.read() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A part of a TLS record brings no bytes yet, so the read goes on.
        if !self.hasRead, self.received.isReading { context.read() }
        self.hasRead = false
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted:
            // From here on, the channel reads only when the consumer pulls.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            self.received.handshakeEnded(.success(()))
        case ChannelEvent.inputClosed:
            self.received.ended()
        default:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.received.failed(HTTPTransportError(nio: error, isConnected: true))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.received.ended()
    }
}
