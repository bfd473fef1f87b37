// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirTestKit

/// A player's connection: one request, byte for byte, and what comes of it.
final class PlainClient: Sendable {
    /// A response as it came.
    struct Response: Sendable {
        var status = 0
        /// The fields, names in lower case.
        var fields: [String: String] = [:]
        /// What follows the head, in its coding.
        var body: [UInt8] = []
    }

    private struct State: Sendable {
        var bytes: [UInt8] = []
        var isOver = false
    }

    private let channel: any Channel
    private let state: Watched<State>

    private init(_ channel: any Channel, _ state: Watched<State>) {
        self.channel = channel
        self.state = state
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: where to.
    ///   - host: an address of this machine.
    ///   - isReading: whether it reads at once.
    /// - Returns: a client that is connected.
    /// - Throws: what the connection failed with.
    static func connect(
        to port: Int,
        host: String = "127.0.0.1",
        isReading: Bool = true
    ) async throws -> PlainClient {
        let state = Watched(State())
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.autoRead, value: isReading)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: host, port: port).get()
        return PlainClient(channel, state)
    }

    /// Sends a request on a connection of its own and waits for all of the response.
    static func ask(
        _ port: Int,
        _ target: String = "/song.mp3",
        method: String = "GET",
        fields: [String] = []
    ) async throws -> Response {
        let client = try await Self.connect(to: port)
        try await client.send(target, method: method, fields)
        return try await client.response()
    }

    /// Sends a request, the last one of the connection.
    func send(_ target: String, method: String = "GET", _ fields: [String] = []) async throws {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
        let text = (lines + ["", ""]).joined(separator: "\r\n")
        try await self.channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Takes what has come first, and nothing after that.
    ///
    /// - Returns: how many bytes.
    func readOnce() async throws -> Int {
        self.channel.read()
        try await self.waitForBytes(1)
        return self.state.value.bytes.count
    }

    /// Reads on after it was connected without reading; where the connection has ended, all that came has been read.
    func startReading() async throws {
        do {
            try await self.channel.setOption(.autoRead, value: true).get()
        } catch ChannelError.ioOnClosedChannel {}
    }

    /// Waits until so many bytes have come, head included.
    func waitForBytes(_ count: Int) async throws {
        try await self.state.wait { $0.bytes.count >= count || $0.isOver }
    }

    /// Waits for the end of the connection, and reads what came.
    func response() async throws -> Response {
        try await self.state.wait { $0.isOver }
        let bytes = self.state.value.bytes
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return Response() }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n")
        var response = Response(body: Array(bytes[end.upperBound...]))
        let words = lines.first?.split(separator: " ") ?? []
        response.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            response.fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        return response
    }

    /// Leaves.
    func close() async {
        try? await self.channel.close()
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let state: Watched<State>

        init(_ state: Watched<State>) {
            self.state = state
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(self.unwrapInboundIn(data).readableBytesView)
            self.state.update { $0.bytes += bytes }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.state.update { $0.isOver = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
