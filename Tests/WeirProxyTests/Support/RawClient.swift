// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirTestKit

/// A client that sends its requests byte for byte, and keeps the received bytes.
final class RawClient: Sendable {
    struct State: Sendable {
        var bytes: [UInt8] = []
        /// Whether the client reads on without keeping the bytes.
        var isDiscarding = false
        /// Whether the proxy has ended the connection.
        var isClosed = false
        /// Whether the proxy ended the connection with a reset.
        var wasReset = false
    }

    private let channel: any Channel
    private let state: Watched<State>

    private init(_ channel: any Channel, _ state: Watched<State>) {
        self.channel = channel
        self.state = state
    }

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - port: the port on 127.0.0.1.
    ///   - isReading: whether the client reads at once.
    ///   - receiveBuffer: the size of the socket's buffer, for a test that needs a small one.
    /// - Returns: a connected client.
    /// - Throws: the connection's error.
    static func connect(
        to port: Int,
        isReading: Bool = true,
        receiveBuffer: Int? = nil
    ) async throws -> RawClient {
        let state = Watched(State())
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: isReading)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(
                .socketOption(.so_rcvbuf),
                value: .init(receiveBuffer)
            )
        }
        let channel =
            try await bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel, state)
    }

    /// Sends text without changing its line ends.
    func send(_ text: String) async throws {
        try await self.send(Array(text.utf8))
    }

    /// Sends bytes.
    func send(_ bytes: [UInt8]) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Starts to read on a connection that was made without reading.
    func startReading() async throws {
        try await self.channel.setOption(.autoRead, value: true).get()
    }

    /// Whether the client has seen the proxy end the connection.
    var isClosed: Bool { self.state.value.isClosed }

    #if os(Linux)
    /// How many segments with data the client has received, repeated ones included.
    ///
    /// `tcpi_data_segs_in` in `linux/tcp.h`, whose `tcp_info` is longer than the C library's.
    func dataSegmentCount() async throws -> UInt32? {
        // The system writes as much of its `tcp_info` as there is room, here for 64 numbers.
        let information: SIMD64<UInt32>? = try await (self.channel as? any SocketOptionProvider)?
            .unsafeGetSocketOption(level: .tcp, name: .init(rawValue: 11)).get()
        return information?[38]
    }
    #endif

    /// Closes the sending half, and continues to read.
    func closeSendingHalf() async throws {
        try await self.channel.close(mode: .output)
    }

    /// Closes the connection.
    func close() async {
        try? await self.channel.close()
    }

    /// Waits until the proxy has ended the connection.
    @discardableResult
    func waitForEnd() async throws -> State {
        try await self.state.wait { $0.isClosed }
        return self.state.value
    }

    /// Waits for `count` bytes and removes them from the buffer; fewer if the connection ends.
    func bytes(_ count: Int) async throws -> [UInt8] {
        try await self.state.wait { $0.bytes.count >= count || $0.isClosed }
        return self.state.update { state in
            let taken = Array(state.bytes.prefix(count))
            state.bytes.removeFirst(taken.count)
            return taken
        }
    }

    /// Waits for a response's head, and removes it from the buffer.
    func head() async throws -> RawResponse {
        let end = Array("\r\n\r\n".utf8)
        var length = 0
        while true {
            let known = length
            try await self.state.wait { $0.bytes.count > known || $0.isClosed }
            let state = self.state.value
            if let found = state.bytes.firstRange(of: end) {
                return try RawResponse(head: try await self.bytes(found.upperBound))
            }
            guard !state.isClosed else { throw RawResponse.Malformed.noHead }
            length = state.bytes.count
        }
    }

    /// Reads on from now, and keeps no byte.
    func discardBytes() {
        self.state.update { $0.isDiscarding = true }
    }

    /// Waits for a whole response, and removes it from the buffer.
    func response(toHead: Bool = false) async throws -> RawResponse {
        var response = try await self.head()
        if toHead || response.status == 304 || response.status == 204 { return response }
        if let length = response.contentLength {
            response.body = try await self.bytes(length)
            guard response.body.count == length else { throw RawResponse.Malformed.shortBody }
        } else if response["Transfer-Encoding"] == "chunked" {
            response.body = try await self.chunks()
        } else {
            response.body = try await self.waitForEnd().bytes
        }
        return response
    }

    /// Sends a request and waits for its response.
    func get(
        _ target: String,
        method: String = "GET",
        _ fields: [String] = []
    ) async throws -> RawResponse {
        try await self.send(Self.request(target, method: method, fields))
        return try await self.response(toHead: method == "HEAD")
    }

    /// The text of a request.
    static func request(
        _ target: String,
        method: String = "GET",
        _ fields: [String] = []
    ) -> String {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + fields + ["", ""]
        return lines.joined(separator: "\r\n")
    }

    private func chunks() async throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while line.last != UInt8(ascii: "\n") {
                let byte = try await self.bytes(1)
                guard !byte.isEmpty else { throw RawResponse.Malformed.shortBody }
                line += byte
            }
            guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16)
            else {
                throw RawResponse.Malformed.noChunk
            }
            let chunk = try await self.bytes(size + 2)
            guard chunk.count == size + 2, chunk.suffix(2).elementsEqual("\r\n".utf8) else {
                throw RawResponse.Malformed.shortBody
            }
            if size == 0 { return body }
            body += chunk.dropLast(2)
        }
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let state: Watched<State>

        init(_ state: Watched<State>) {
            self.state = state
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(self.unwrapInboundIn(data).readableBytesView)
            self.state.update { if !$0.isDiscarding { $0.bytes += bytes } }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.state.update { $0.isClosed = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.state.update { $0.wasReset = true }
            context.close(promise: nil)
        }
    }
}
