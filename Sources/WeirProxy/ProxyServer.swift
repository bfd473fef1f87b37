// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOPosix
import Synchronization
package import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Serves byte sources to every player that speaks HTTP/1.1.
///
/// Resident bytes go from the disk into the socket in the event that brings the request. All other
/// bytes are pulled from their source no faster than the player reads. When a player leaves, its
/// reading is cancelled.
///
/// Readings are pulled on the event loop of their connection, which saves two changes of threads
/// per chunk. A source that computes or waits for a disk for long must do so on another thread.
package final class ProxyServer: Sendable {
    /// The port that the proxy listens on.
    package let port: Int
    /// The start of every resource's address, such as `http://127.0.0.1:4747/SECRET`.
    ///
    /// It has no slash at the end. It holds the secret: show it only to the player.
    package let baseURL: String

    /// The listening channel.
    let channel: any Channel
    /// The bound address; known after the channel has been closed, too.
    let address: SocketAddress?
    let service: ConnectionService
    private let group: any EventLoopGroup
    private let ownsGroup: Bool
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// How long a shutdown waits for sources that do not end when they are cancelled.
    static let patience = TimeAmount.seconds(5)

    private init(
        channel: any Channel,
        port: Int,
        baseURL: String,
        service: ConnectionService,
        group: any EventLoopGroup,
        ownsGroup: Bool
    ) {
        self.channel = channel
        self.address = channel.localAddress
        self.port = port
        self.baseURL = baseURL
        self.service = service
        self.group = group
        self.ownsGroup = ownsGroup
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - configuration: where to listen, and which clients to answer.
    ///   - router: finds the source of an address.
    ///   - eventLoopGroup: the event loops to run on, which the proxy does not shut down; `nil`:
    ///     the proxy has threads of its own.
    ///   - pages: answers requests below `/page/`, outside of the secret; `nil`: the proxy serves
    ///     no pages.
    ///   - pass: admits addresses that contain a right of their own instead of the secret; `nil`:
    ///     the proxy admits only addresses with the secret.
    ///   - onEvent: receives the events: each request when it has ended, and changes of the proxy
    ///     itself. Called on an event loop: it must return at once.
    /// - Returns: the proxy, listening.
    /// - Throws: ``ProxyError`` with `portInUse`, `cannotListen`, `insecure`,
    ///   `invalidConfiguration` or `usersUnknown`.
    package static func start(
        _ configuration: ProxyConfiguration,
        router: any ProxyRouter,
        eventLoopGroup: (any EventLoopGroup)? = nil,
        pages: (any PageService)? = nil,
        pass: (any AddressPass)? = nil,
        onEvent: (@Sendable (ProxyEvent) -> Void)? = nil
    ) async throws(ProxyError) -> ProxyServer {
        let secret = try configuration.checkedSecret()
        let peers =
            configuration.admitsOnlySameUser
            ? try PeerAdmission(onRefused: { onEvent?(.clientRefused($0)) }) : nil
        let group =
            eventLoopGroup
            ?? MultiThreadedEventLoopGroup(
                numberOfThreads: max(1, min(configuration.eventLoopCount, 64))
            )
        let service = ConnectionService(
            configuration: configuration,
            secret: secret,
            router: router,
            eventLoops: group.makeIterator(),
            pages: pages,
            pass: pass,
            onEvent: onEvent
        )
        do {
            let bootstrap = Self.bootstrap(group, service, peers, onEvent)
            let listening =
                if let socket = configuration.listeningSocket {
                    bootstrap.withBoundSocket(socket)
                } else {
                    bootstrap.bind(host: configuration.host, port: configuration.port)
                }
            let channel = try await listening.get()
            let port = channel.localAddress?.port ?? configuration.port
            return ProxyServer(
                channel: channel,
                port: port,
                baseURL: configuration.baseURL(port: port, secret: secret),
                service: service,
                group: group,
                ownsGroup: eventLoopGroup == nil
            )
        } catch {
            if eventLoopGroup == nil { try? await group.shutdownGracefully() }
            throw ProxyError(listening: configuration, failure: error)
        }
    }

    private static func bootstrap(
        _ group: any EventLoopGroup,
        _ service: ConnectionService,
        _ peers: PeerAdmission?,
        _ onEvent: (@Sendable (ProxyEvent) -> Void)?
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(service: service, onEvent: onEvent)
                    )
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // A client may close its sending half and wait for its answer: see HalfClosedClient.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: 16 * 1024)
            )
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: 128 * 1024, high: 512 * 1024)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let peers, !peers.admits(channel) { return channel.close(promise: nil) }
                    guard Self.mayTakeDescriptor(of: channel, service) else {
                        return channel.close(promise: nil)
                    }
                    let address = ClientAddress(channel.remoteAddress)
                    guard !service.balancers.contains(where: { $0.contains(address) }) else {
                        return try channel.pipeline.syncOperations.addHandler(
                            ProxyHeaderReader(service.headers) {
                                try Self.setUp(channel, for: $0, service)
                            }
                        )
                    }
                    if try !Self.setUp(channel, for: address, service) {
                        channel.close(promise: nil)
                    }
                }
            }
    }

    /// Adds the handlers of a client's connection.
    ///
    /// - Returns: false if the connection must be closed: the proxy has stopped.
    private static func setUp(
        _ channel: any Channel,
        for client: ClientAddress,
        _ service: ConnectionService
    ) throws -> Bool {
        let now = channel.eventLoop.now
        guard let claim = service.registry.enter(from: client.network, at: now) else {
            return false
        }
        try channel.pipeline.syncOperations.addHandlers(
            ConnectionHandler.pipeline(
                service,
                client: client,
                claim: claim,
                on: channel.eventLoop
            )
        )
        return true
    }

    /// Whether a connection may keep its descriptor.
    ///
    /// The connection may not if its descriptor is one of the last ones, and no other connection
    /// can be closed for it. Then accepting pauses, as if the system had refused the connection.
    private static func mayTakeDescriptor(
        of channel: any Channel,
        _ service: ConnectionService
    ) -> Bool {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor, service.descriptors.holds(descriptor) else { return true }
        if service.headers.shed() { return true }
        // If all connections are new, close the oldest one: the newest is the likeliest to send a
        // request.
        let now = channel.eventLoop.now
        for time in [now, now + service.firstRequestTime] where service.registry.shed(at: time) {
            return true
        }
        channel.parent?.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        return false
    }

    /// Stops: stops listening, ends every connection, and returns when all have ended.
    ///
    /// Connections without a request are closed at once. A client can see when its response is cut
    /// short, so that no player treats a part as the whole. A second call waits until the first one
    /// has ended.
    ///
    /// - Parameter gracePeriod: how long responses that are being sent may take to be completed; a
    ///   day at most.
    package func shutdown(gracePeriod: Duration = .zero) async {
        let task = self.ending.withLock { ending in
            if let ending { return ending }
            // Owned by the server; ends with the last connection or when its patience ends; is not
            // cancelled, because other callers wait for it, too.
            let grace = min(max(gracePeriod, .zero), .seconds(86_400))
            let task = Task { await self.end(gracePeriod: TimeAmount(grace)) }
            ending = task
            return task
        }
        await task.value
    }

    private func end(gracePeriod: TimeAmount) async {
        try? await self.channel.close()
        let connections = self.service.registry.stop()
        for connection in connections {
            connection.eventLoop.execute { connection.value.serverStopped() }
        }
        let registry = self.service.registry
        let eventLoop = self.channel.eventLoop
        let force = eventLoop.scheduleTask(in: gracePeriod) {
            for connection in connections {
                connection.eventLoop.execute { connection.value.close() }
            }
        }
        let surrender = eventLoop.scheduleTask(in: gracePeriod + Self.patience) {
            registry.giveUp()
        }
        let isEmpty = await registry.emptied()
        force.cancel()
        surrender.cancel()
        // A task that is still running needs its thread: keeping the thread is better than a task
        // that never ends.
        if self.ownsGroup, isEmpty { try? await self.group.shutdownGracefully() }
    }
}

/// Finds the resource of an address of the proxy.
package protocol ProxyRouter: Sendable {
    /// Finds the source behind a target.
    ///
    /// Called on an event loop for every request: it must return at once. It should return the same
    /// source for the same target, because requests share the bytes that a source holds.
    ///
    /// - Parameter target: the address after the secret: the path, byte for byte as the player sent
    ///   it, and the query. It starts with a slash.
    /// - Returns: `nil` if there is no source: the player gets 404.
    func source(for target: String) -> (any ByteSource)?

    /// Whether players should be sent to this proxy, as `/readyz` answers; true by default.
    ///
    /// Called on an event loop: it must return at once.
    var isReady: Bool { get }
}

extension ProxyRouter {
    package var isReady: Bool { true }
}
