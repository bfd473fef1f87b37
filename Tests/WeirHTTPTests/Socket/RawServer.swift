// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL
import WeirTestKit

/// A server on loopback that sends exactly the bytes that a test scripts, right or wrong.
final class RawServer: Sendable {
    /// What was asked, cut at its lines.
    struct Request: Sendable {
        let method: String
        let target: String
        let headers: [String: String]
        /// Which connection it came over, from 0.
        let connection: Int
        /// Which request it is, over all connections, from 0.
        let index: Int
    }

    enum Step: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Bytes of ``PatternBytes``.
        case pattern(Range<Int64>, seed: UInt64 = 1)
        /// The same, in chunks of the chunked coding, without the last one.
        case chunkedPattern(Range<Int64>, seed: UInt64 = 1)
        case hold(Gate)
        /// Nothing more until the client has gone.
        case stall
        case close
        /// The end of what the server sends; the connection is closed when the client closes it, too.
        case closeOutput
    }

    struct State: Sendable {
        var requests: [Request] = []
        var opened = 0
        var closed = 0
        /// How many of them the client reset.
        var resets = 0
    }

    let state: Watched<State>
    let port: Int
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    private init(
        _ channel: any Channel,
        _ group: MultiThreadedEventLoopGroup,
        _ state: Watched<State>
    ) {
        self.channel = channel
        self.group = group
        self.state = state
        self.port = channel.localAddress?.port ?? 0
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - isTLS: whether it speaks TLS, with ``TestCertificate``.
    ///   - host: the address it listens at.
    ///   - script: is given each request and says what is sent.
    /// - Returns: a server that listens.
    /// - Throws: what the system says.
    static func start(
        isTLS: Bool = false,
        host: String = "127.0.0.1",
        _ script: @escaping @Sendable (Request) -> [Step]
    ) async throws -> RawServer {
        let context = isTLS ? try TestCertificate.serverContext() : nil
        let state = Watched(State())
        // A group of its own, so that the end of the group is the end of all connections.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try pipeline.addHandler(RawConnection(state, script))
                }
            }
            .bind(host: host, port: 0).get()
        return RawServer(channel, group, state)
    }

    /// Closes everything; any number of times.
    func shutdown() async {
        try? await self.group.shutdownGracefully()
    }

    func url(_ target: String, scheme: String = "http", host: String = "127.0.0.1") -> String {
        "\(scheme)://\(host):\(self.port)\(target)"
    }
}
