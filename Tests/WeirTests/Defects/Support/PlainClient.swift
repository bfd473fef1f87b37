// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirTestKit

/// A player's connection: one request, byte for byte, and the response to it.
final class PlainClient: Sendable {
    /// A response as the client received it.
    struct Response: Sendable {
        var status = 0
        /// The header fields; their names are in lower case.
        var fields: [String: String] = [:]
        /// The bytes after the head, in their transfer coding.
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
    ///   - port: the server's port.
    ///   - host: an address of this machine.
    ///   - isReading: whether the client reads at once.
    /// - Returns: a connected client.
    /// - Throws: the connection's error.
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

    /// Sends a request on its own connection and waits for the whole response.
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

    /// Sends a request, which is the last one of the connection.
    func send(_ target: String, method: String = "GET", _ fields: [String] = []) async throws {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
        let text = (lines + ["", ""]).joined(separator: "\r\n")
        try await self.channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Reads the bytes that come first, and nothing after them.
    ///
    /// - Returns: the count of bytes received so far.
    func readOnce() async throws -> Int {
        self.channel.read()
        try await self.waitForBytes(1)
        return self.state.value.bytes.count
    }

    /// Starts to read on a connection that was made without reading.
    ///
    /// If the connection has already ended, the client has read all bytes that came.
    func startReading() async throws {
        do {
            try await self.channel.setOption(.autoRead, value: true).get()
        } catch ChannelError.ioOnClosedChannel {}
    }

    /// Waits until `count` bytes have come, with the head, or until the connection ends.
    func waitForBytes(_ count: Int) async throws {
        try await self.state.wait { $0.bytes.count >= count || $0.isOver }
    }

    /// Waits for the end of the connection, and parses the received bytes.
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

    /// Closes the connection.
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
