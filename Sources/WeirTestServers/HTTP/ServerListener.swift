// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix

/// One server on loopback, at a port that the system gives.
final class ServerListener: Sendable {
    let port: Int
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
        self.port = channel.localAddress?.port ?? 0
    }

    /// What stands in the `Host` field of its requests.
    var authority: String { "127.0.0.1:\(self.port)" }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - group: the threads, whose end is the end of the listener and of its connections.
    ///   - service: decides what is answered.
    /// - Returns: the listener.
    /// - Throws: what the system says.
    static func start(
        on group: any EventLoopGroup,
        _ service: ServerService
    ) async throws -> ServerListener {
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: 64 * 1024, high: 256 * 1024)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Errors of the protocol are answered by our own handler, which records them.
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
                    try pipeline.addHandler(ServerConnection(service))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ServerListener(channel)
    }
}

/// What a listener's connections ask and tell: the edge between sockets and decisions.
///
/// All of it is called on event loops.
struct ServerService: Sendable {
    /// Decides an answer, and gives it a number under which the sending is told.
    var answer: @Sendable (ServerRequest) -> (number: Int, answer: ServerAnswer)
    /// So many more bytes of a body have gone into the socket.
    var bytesLeft: @Sendable (_ number: Int, _ count: Int64) -> Void
    /// An answer has been sent, or its connection has ended.
    var ended: @Sendable (_ number: Int) -> Void
    /// Something came that is not HTTP.
    var garbageCame: @Sendable (_ problem: String) -> Void
    /// The time, in Unix seconds.
    var now: @Sendable () -> Double
}
