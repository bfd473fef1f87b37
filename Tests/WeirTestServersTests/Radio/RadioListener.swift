// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirTestKit

/// A simple client: it sends one request, and keeps the bytes of the response.
final class RadioListener: Sendable {
    struct State: Sendable {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    let state = Watched(State())
    private let channel: any Channel

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let state: Watched<State>

        init(_ state: Watched<State>) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = self.unwrapInboundIn(data)
            self.state.update { $0.bytes += buffer.readableBytesView }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.state.update { $0.isClosed = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    /// Connects and sends the request.
    init(_ port: Int, _ target: String = "/", hasTitles: Bool = false) async throws {
        let state = self.state
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(state))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let field = hasTitles ? "Icy-MetaData: 1\r\n" : ""
        try await self.channel.writeAndFlush(
            ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        )
    }

    /// The head, once it has arrived; all bytes if the connection ends before.
    func head() async throws -> String {
        try await self.state.wait { $0.isClosed || Self.cut($0.bytes) != nil }
        let bytes = self.state.value.bytes
        return String(decoding: bytes[..<(Self.cut(bytes) ?? bytes.count)], as: UTF8.self)
    }

    /// The body up to a length, or all of it if the connection ends before.
    func body(upTo count: Int = .max) async throws -> [UInt8] {
        try await self.state.wait { state in
            state.isClosed || Self.cut(state.bytes).map { state.bytes.count - $0 >= count } == true
        }
        let bytes = self.state.value.bytes
        return Self.cut(bytes).map { Array(bytes[$0...].prefix(count)) } ?? []
    }

    /// Closes the connection.
    func leave() async throws { try await self.channel.close() }

    private static func cut(_ bytes: [UInt8]) -> Int? {
        let limit = min(bytes.count, 4_096)
        return (0..<max(0, limit - 3)).first { Array(bytes[$0..<($0 + 4)]) == [13, 10, 13, 10] }
            .map { $0 + 4 }
    }
}
