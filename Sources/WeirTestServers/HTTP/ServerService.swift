// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The functions that the connections of a loopback server call: to get an answer, and to report events.
///
/// The connections call them on event loops.
struct ServerService: Sendable {
    /// Decides on the answer to a request, and gives it a number for the other functions.
    var answer: @Sendable (ServerRequest) -> (number: Int, answer: ServerAnswer)
    /// `count` more bytes of a body have been written to the socket.
    var bytesLeft: @Sendable (_ number: Int, _ count: Int64) -> Void
    /// An answer has been sent, or its connection has ended.
    var ended: @Sendable (_ number: Int) -> Void
    /// The client has sent bytes that are not HTTP.
    var garbageCame: @Sendable (_ problem: String) -> Void
    /// The time, in Unix seconds.
    var now: @Sendable () -> Double
}

extension ServerService {
    /// Starts to listen, at a port that the system assigns.
    ///
    /// - Parameter group: the threads; the listener and its connections end with them.
    /// - Returns: the `Host` field of requests to this listener, such as `127.0.0.1:50123`.
    /// - Throws: the error of the system.
    func listen(on group: any EventLoopGroup) async throws -> String {
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
                    // ``ServerConnection`` answers errors of the protocol, and records them.
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
                    try pipeline.addHandler(ServerConnection(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return "127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    /// The service of a listener through which other programs control a server.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix seconds.
    ///   - answer: answers a request; `nil` once the server has gone.
    /// - Returns: a service that records nothing.
    static func control(
        now: @escaping @Sendable () -> Double,
        answer: @escaping @Sendable (ServerRequest) -> ServerAnswer?
    ) -> ServerService {
        ServerService(
            answer: { (0, answer($0) ?? .page(503)) },
            bytesLeft: { _, _ in },
            ended: { _ in },
            garbageCame: { _ in },
            now: now
        )
    }
}

extension ServerAnswer {
    /// An answer of a control listener: a value as JSON, with sorted keys.
    static func encoded(_ value: some Encodable) -> ServerAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return .page(500) }
        return .text(200, "application/json", String(decoding: data, as: UTF8.self))
    }
}
