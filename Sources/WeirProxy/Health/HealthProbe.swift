// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// Asks a port for `/healthz` over a connection of its own.
///
/// It runs on a thread that is not the proxy's, so it also notices an event loop that hangs.
final class HealthProbe: Sendable {
    private static let request =
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    /// The part of a response that must arrive, as in `HTTP/1.1 200`.
    private static let statusEnd = 12

    private let outcome: EventLoopFuture<HealthFinding>
    private let promise: Mutex<EventLoopPromise<HealthFinding>?>

    private init(on eventLoop: any EventLoop) {
        let promise = eventLoop.makePromise(of: HealthFinding.self)
        self.outcome = promise.futureResult
        self.promise = Mutex(promise)
    }

    /// Asks an address whether a proxy is alive there.
    ///
    /// - Parameters:
    ///   - address: the address that the proxy was bound to; loopback if that is every address of the machine.
    ///   - limit: how long it may take in all.
    /// - Returns: the finding; `silent` at once when the calling task is cancelled.
    static func ask(_ address: SocketAddress, within limit: TimeAmount) async -> HealthFinding {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let probe = HealthProbe(on: eventLoop)
        let deadline = eventLoop.scheduleTask(in: limit) { probe.settle(.silent) }
        probe.connect(to: Self.reachable(address), within: limit, on: eventLoop)
        let finding = await withTaskCancellationHandler {
            (try? await probe.outcome.get()) ?? .silent
        } onCancel: {
            probe.settle(.silent)
        }
        deadline.cancel()
        return finding
    }

    private func connect(
        to address: SocketAddress,
        within limit: TimeAmount,
        on eventLoop: any EventLoop
    ) {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(limit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                // Every outcome ends the connection.
                self.outcome.whenComplete { _ in channel.close(promise: nil) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(self))
                }
            }
            .connect(to: address)
            .whenFailure { _ in self.settle(.unreachable) }
    }

    /// The first finding counts.
    private func settle(_ finding: HealthFinding) {
        let promise = self.promise.withLock { promise in
            defer { promise = nil }
            return promise
        }
        promise?.succeed(finding)
    }

    /// The address at which this machine reaches a socket that was bound to every address.
    static func reachable(_ address: SocketAddress) -> SocketAddress {
        let loopback =
            switch address.ipAddress {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: String?.none
            }
        guard let loopback, let port = address.port else { return address }
        return (try? SocketAddress(ipAddress: loopback, port: port)) ?? address
    }

    /// Reads the status of a response, as far as it has arrived.
    ///
    /// - Returns: `nil` while too few bytes have arrived; ``HealthFinding/ended`` for bytes that are not HTTP.
    static func finding(in bytes: some Collection<UInt8>) -> HealthFinding? {
        guard bytes.count >= Self.statusEnd else { return nil }
        let line = bytes.prefix(Self.statusEnd)
        guard line.starts(with: "HTTP/1.".utf8),
            let status = Int(String(decoding: line.suffix(3), as: UTF8.self))
        else { return .ended }
        return .answered(status: status)
    }

    /// Sends the request and reads the first line of the answer.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let probe: HealthProbe
        private var bytes: [UInt8] = []

        init(_ probe: HealthProbe) {
            self.probe = probe
        }

        func channelActive(context: ChannelHandlerContext) {
            let request = self.wrapOutboundOut(ByteBuffer(string: HealthProbe.request))
            context.writeAndFlush(request, promise: nil)
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let room = HealthProbe.statusEnd - self.bytes.count
            self.bytes += self.unwrapInboundIn(data).readableBytesView.prefix(room)
            if let finding = HealthProbe.finding(in: self.bytes) { self.probe.settle(finding) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.probe.settle(.ended)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

/// The result of a connection that asked a port whether a proxy is alive behind it.
enum HealthFinding: Hashable, Sendable {
    /// The port is closed, or the connection could not be made.
    case unreachable
    /// An answer with this status.
    case answered(status: Int)
    /// The other side ended the connection without an answer that can be read.
    case ended
    /// No response arrived in time.
    case silent

    /// Whether this proves a proxy alive.
    ///
    /// A proxy that already has as many connections as it takes answers 503 or closes the new one. It is alive, and a
    /// restart would cut off its clients. Another program may have taken the port, and may answer as well. So the
    /// proxy must also have received a connection in the meantime: then its socket still listens.
    ///
    /// - Parameter hasReceivedConnection: whether the proxy has received a connection since the question was asked.
    /// - Returns: whether it is alive.
    func provesLife(hasReceivedConnection: Bool) -> Bool {
        guard hasReceivedConnection else { return false }
        return switch self {
        case .answered(let status): status == 200 || status == 503
        case .ended: true
        case .unreachable, .silent: false
        }
    }
}

extension ProxyServer {
    /// Whether players reach the proxy: connects to its port and asks for `/healthz`.
    ///
    /// Call this when an application returns to the foreground. The system may have taken the sockets of a suspended
    /// application away without notice, and the listening channel then still looks open. A proxy that already has as
    /// many connections as it takes is alive. Another program that has taken the port, and answers, is not this proxy.
    ///
    /// The call makes one connection, which a ``ProxyRequestRecord`` reports like any other. It may be made from any
    /// task, at any time, also after ``shutdown(gracePeriod:)``.
    ///
    /// - Parameter limit: how long the answer may take in all; a day at most. Over loopback it takes a millisecond.
    /// - Returns: false if the port is closed, if no answer came in time, and at once when the calling task is
    ///   cancelled.
    package func isAnswering(within limit: Duration = .seconds(1)) async -> Bool {
        guard let address else { return false }
        let before = self.service.registry.arrivalCount
        let finding = await HealthProbe.ask(
            address,
            within: TimeAmount(min(max(limit, .zero), .seconds(86_400)))
        )
        return finding.provesLife(
            hasReceivedConnection: self.service.registry.arrivalCount != before
        )
    }
}
